//! The ids of other entries that an entry may name.

use std::collections::BTreeSet;

use super::linked::{FIELDS_OF_IDS, linked_ids};
use crate::Entry;

/// Bytes of an id that a text can name.
pub(super) const LONGEST_ID: usize = 80;
/// Digits from which a number is hardly a quantity.
const LONG_NUMBER: usize = 5;
/// Words before the number of an entry.
const NOUNS: [&str; 4] = ["entry", "entries", "elog", "olog"];
/// What the event notifications of the NRC are called, before their number.
const NOTIFICATIONS: [&str; 3] = ["EN", "ENS", "ENs"];
/// Words before a number that need `#` or a word for a number between.
const UNCERTAIN: [&str; 8] = [
    "event",
    "events",
    "notification",
    "notifications",
    "notice",
    "report",
    "reports",
    "log",
];
/// Words between those and a number.
const NUMBER_WORDS: [&str; 7] = ["number", "numbers", "no", "nos", "id", "ids", "s"];
/// Words between two numbers.
const AND: [&str; 3] = ["and", "or", "also"];
/// Characters that end a word, besides spaces.
const SEPARATORS: [char; 10] = [',', ';', '(', ')', '[', ']', '<', '>', '"', '\''];

/// What may be ids of other entries in the text and the metadata of an entry.
/// Which are ids, the store knows.
///
/// A word with letters and digits may be an id. A number by itself is one only
/// where the text says so: `entry 1234`, `entries #12 and #13`, `elog:123`,
/// `elog:RF/123`, `/Olog/logs/123`, `EN 41524`, `Event Number 41524`. It stands
/// for the id as it is and behind what the id of the entry itself begins with:
/// in `RF/17`, `entry 12` names `RF/12`.
///
/// ```
/// use gannet_api::Entry;
/// use gannet_api::query::named_ids;
///
/// let text = "As in SKY-0158, see entry 17. No flow on 3 June.";
/// let entry = Entry::new("SKY-0169", "log", Default::default(), text);
/// let ids: Vec<String> = named_ids(&entry).into_iter().collect();
/// assert_eq!(ids, ["17", "SKY-0017", "SKY-0158", "SKY-17"]);
/// ```
pub fn named_ids(entry: &Entry) -> BTreeSet<String> {
    let mut found = References::of(&entry.entry_id);
    found.read(&entry.raw_text);
    for (key, value) in &entry.metadata {
        if FIELDS_OF_IDS.contains(&key.as_str()) {
            let ids = linked_ids(entry, key);
            ids.iter().for_each(|id| found.add(id));
        } else if let Some(text) = value.as_str() {
            found.read(text);
        }
    }
    found.ids.remove(&entry.entry_id);
    found.ids
}

/// Whether an address has this word as a part of its own.
fn has_part(address: &str, word: &str) -> bool {
    let mut parts = address.split(['/', '.', ':', '-', '_']);
    parts.any(|part| part.eq_ignore_ascii_case(word))
}

/// A query for the texts that may name an entry by its id, or by its number.
///
/// ```
/// use gannet_api::query::reference_query;
/// let query = reference_query("RF/17");
/// let (texts, metadata) = query.split_once(" OR meta.").unwrap();
/// assert_eq!(texts, r#""RF/17" OR "entry 17" OR "elog 17" OR "logs 17""#);
/// assert_eq!(metadata.split(" OR ").count(), 3);
/// ```
pub fn reference_query(id: &str) -> String {
    let id = id.replace('"', " ");
    let number = number_of(&id);
    // A short number is in too many texts to be looked for by itself.
    let mut phrases = Vec::new();
    if number.len() < id.len() || number.len() >= LONG_NUMBER {
        phrases.push(format!("\"{id}\""));
    }
    if number.len() >= LONG_NUMBER && number.len() < id.len() {
        phrases.push(format!("\"{number}\""));
    } else if !number.is_empty() && number.len() < LONG_NUMBER {
        let words = ["entry", "elog", "logs"];
        phrases.extend(words.map(|word| format!("\"{word} {number}\"")));
    }
    phrases.extend(FIELDS_OF_IDS.map(|field| format!("meta.{field}:\"{id}\"")));
    phrases.join(" OR ")
}

/// The digits at the end of an id.
fn number_of(id: &str) -> &str {
    &id[id.trim_end_matches(|end: char| end.is_ascii_digit()).len()..]
}

/// How sure it is that the next number is that of an entry.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Nothing,
    /// Where a word for a number or `#` follows.
    Perhaps,
    Id,
}

struct References<'e> {
    /// What the id of the entry itself begins with, and its number.
    prefix: &'e str,
    number: &'e str,
    ids: BTreeSet<String>,
    expected: Expected,
    is_notification: bool,
}

impl<'e> References<'e> {
    fn of(own_id: &'e str) -> Self {
        let number = number_of(own_id);
        Self {
            prefix: &own_id[..own_id.len() - number.len()],
            number,
            ids: BTreeSet::new(),
            expected: Expected::Nothing,
            is_notification: false,
        }
    }

    fn read(&mut self, text: &str) {
        self.expect(Expected::Nothing);
        for word in text.split_whitespace() {
            self.add_word(word.trim_matches(|edge: char| !edge.is_alphanumeric()));
            for part in word.split(SEPARATORS) {
                for (at, part) in part.split('#').enumerate() {
                    if at > 0 && self.expected == Expected::Perhaps {
                        self.expect(Expected::Id);
                    }
                    self.read_word(part);
                }
            }
        }
    }

    fn read_word(&mut self, written: &str) {
        let word = written.trim_matches(|edge: char| !edge.is_alphanumeric());
        if word.is_empty() {
            return;
        }
        if is_number(word) {
            // "Event 41524" is one event, and "event 3" any.
            let is_long = self.expected == Expected::Perhaps && word.len() >= LONG_NUMBER;
            if self.expected == Expected::Id || is_long {
                self.add_number(word);
                self.expected = Expected::Id;
            } else {
                self.expect(Expected::Nothing);
            }
        } else {
            self.add_parts(word);
            let expected = self.expected_after(word);
            self.expect(expected);
        }
        // "See the last entry. 12 V are missing."
        let lower = word.to_lowercase();
        if written.ends_with('.') && !NUMBER_WORDS.contains(&lower.as_str()) {
            self.expect(Expected::Nothing);
        } else if written.ends_with(':') && NOUNS.contains(&lower.as_str()) {
            self.expect(Expected::Perhaps);
        }
    }

    fn expected_after(&mut self, word: &str) -> Expected {
        let lower = word.to_lowercase();
        let is = |words: &[&str]| words.contains(&lower.as_str());
        if NOTIFICATIONS.contains(&word) {
            self.is_notification = true;
            return Expected::Id;
        }
        if is(&NOUNS) {
            return Expected::Id;
        }
        if is(&UNCERTAIN) {
            self.is_notification |= !is(&["log"]);
            // "event notification 41524"
            let is_certain = self.expected != Expected::Nothing && lower.starts_with("notif");
            return match is_certain || self.expected == Expected::Id {
                true => Expected::Id,
                false => Expected::Perhaps,
            };
        }
        match self.expected {
            Expected::Perhaps if is(&NUMBER_WORDS) => Expected::Id,
            Expected::Id if is(&NUMBER_WORDS) || is(&AND) => Expected::Id,
            _ => Expected::Nothing,
        }
    }

    fn expect(&mut self, expected: Expected) {
        self.expected = expected;
        self.is_notification &= expected != Expected::Nothing;
    }

    /// `elog:123`, `elog:RF/123`, `EN-41524`, `https://host/Olog/logs/123`,
    /// `https://host/elog/RF/123`.
    fn add_parts(&mut self, word: &str) {
        if word.contains("://") || word.contains("/logs/") {
            self.add_path(word);
            return;
        }
        let Some((head, id)) = word.split_once([':', '-', '/']) else {
            return;
        };
        let is_notification = NOTIFICATIONS.contains(&head);
        if !is_notification && !NOUNS.contains(&head.to_lowercase().as_str()) {
            return;
        }
        let before = std::mem::replace(&mut self.is_notification, is_notification);
        match is_number(id) {
            true => self.add_number(id),
            false => self.add_word(id),
        }
        self.is_notification = before;
    }

    fn add_path(&mut self, address: &str) {
        let path = address.split(['?', '&']).next().unwrap_or(address);
        let Some((before, number)) = path.trim_end_matches('/').rsplit_once('/') else {
            return;
        };
        if !is_number(number) {
            return;
        }
        let folder = before.rsplit('/').next().unwrap_or_default();
        if folder == "logs" || has_part(before, "elog") {
            self.add_number(number);
        }
        self.add(&format!("{folder}/{number}"));
    }

    /// A word that may be an id as it is.
    fn add_word(&mut self, word: &str) {
        if !is_number(word) && word.bytes().any(|byte| byte.is_ascii_digit()) {
            self.add(word);
        }
    }

    /// The ids that a number may stand for.
    fn add_number(&mut self, number: &str) {
        let (prefix, width) = (self.prefix, self.number.len());
        self.add(number);
        if width > 0 && !prefix.is_empty() {
            self.add(&format!("{prefix}{number}"));
            self.add(&format!("{prefix}{number:0>width$}"));
        }
        if self.is_notification {
            self.add(&format!("EN{number}"));
        }
    }

    fn add(&mut self, id: &str) {
        if !id.is_empty() && id.len() <= LONGEST_ID {
            self.ids.insert(id.to_owned());
        }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(id: &str, text: &str) -> Entry {
        Entry::new(id, "log", Default::default(), text)
    }

    fn names(own_id: &str, text: &str, id: &str) -> bool {
        named_ids(&entry(own_id, text)).contains(id)
    }

    #[test]
    fn a_number_is_an_id_where_the_text_says_so() {
        for text in [
            "see entry 12",
            "Entry #12, done",
            "see entries 11 and 12.",
            "entries #10, #11, and #12",
            "log entry 12",
            "elog:12 says",
            "elog 12",
            "https://host/Olog/logs/12",
            "(/Olog/logs/12)",
            "https://elog.host/12",
            "report number 12",
            "log no. 12",
        ] {
            assert!(names("7", text, "12"), "{text}");
        }
        for text in [
            "on 12 June",
            "12 bar",
            "the last entry. 12 V",
            "CAV1 #12",
            "an event of 12 minutes",
            "entry: 12 bar",
            "entry of 12 values",
            "https://host/page/12",
            "en 12 minutes",
        ] {
            assert!(!names("7", text, "12"), "{text}");
        }
    }

    #[test]
    fn a_number_is_read_in_the_collection_of_the_entry() {
        assert!(names("RF/17", "see entry 12", "RF/12"));
        assert!(names("SKY-0169", "see entry 12", "SKY-0012"));
        assert!(names("3f2b", "see entry 12", "12"));
        assert!(names("Vac/17", "elog:RF/12", "RF/12"));
        assert!(names("Vac/17", "https://elog.host/RF/12", "RF/12"));
        assert!(!names("12", "see entry 12", "12"));
    }

    #[test]
    fn event_notifications_are_named_in_many_ways() {
        for text in [
            "SEE EN #41524",
            "EN# 41524",
            "EN 41524.",
            "EN-41524",
            "EN41524",
            "Event Number 41524",
            "see also EN 41500, 41524",
            "events #41500, #41510, and #41524",
            "Event Notification 41524",
            "EVENT NOTIFICATION (EN) # 41524",
            "See event 41524",
            "events #s 41500 and 41524",
        ] {
            assert!(names("EN50000", text, "EN41524"), "{text}");
            assert!(names("note", text, "EN41524"), "{text}");
        }
        assert!(!names("EN50000", "an event at 41524 feet", "EN41524"));
    }

    #[test]
    fn fields_that_link_are_ids_as_they_are_and_lists_of_others_are_not_read() {
        let mut one = entry("9", "nothing");
        for (key, value) in [
            ("linked_to", json!("42")),
            ("replies", json!(["43", "RF/44"])),
            ("reason", json!("as in SKY-0158")),
            ("linked_entries", json!(["SKY-0001"])),
            ("count", json!("45")),
        ] {
            one.metadata.insert(key.to_owned(), value);
        }
        let ids: Vec<String> = named_ids(&one).into_iter().collect();
        assert_eq!(ids, ["42", "43", "RF/44", "SKY-0158"]);
    }
}
