//! The words of an entry that say what happened: without references to
//! entries, so that a link is no evidence of likeness.

use std::collections::{HashMap, HashSet};

use gannet_analysis::TextTerms;

/// Bytes of a text that are read.
const BYTES_READ: usize = 6_000;
/// From so many digits on a number is a reference, and no measured value.
const DIGITS_OF_REFERENCE: usize = 5;
/// Characters of a name with digits, at least.
const SHORTEST_NAME: usize = 3;

/// What an entry or a text tells of an event.
#[derive(Debug, Clone, Default)]
pub(super) struct ToldEvent<'t> {
    pub(super) title: Option<&'t str>,
    /// The text, which begins with the title.
    pub(super) text: &'t str,
    /// The names of places and devices in its fields.
    pub(super) places: Vec<String>,
    /// The ids of the compared entries.
    pub(super) ids: Vec<&'t str>,
}

impl ToldEvent<'_> {
    /// Text and places without references.
    pub(super) fn words(&self) -> String {
        let text = &self.text[..self.text.floor_char_boundary(BYTES_READ)];
        let mut words = without_references(text, &self.ids);
        for place in &self.places {
            words.push('\n');
            words.push_str(place);
        }
        words
    }
}

/// The words of a text, as the text index has them.
#[derive(Debug, Clone, Default)]
pub(super) struct EventWords {
    /// Distinct words of the title, or of the first line where there is none.
    pub(super) title: HashSet<String>,
    /// The words of the text in order, those of places last.
    pub(super) text: Vec<String>,
    /// How many of them are of the text itself.
    told: usize,
    /// How often each is in the text.
    pub(super) counts: HashMap<String, u32>,
    /// Names with digits in lower case: devices, signals, forms.
    pub(super) names: HashSet<String>,
}

impl EventWords {
    /// Reads what is told of an event.
    pub(super) fn read(told: &ToldEvent<'_>, analyser: &mut TextTerms) -> Self {
        let first_line = || told.text.lines().next().unwrap_or_default();
        let title = without_references(told.title.unwrap_or_else(first_line), &told.ids);
        let text = told.words();
        let of_places: usize = told.places.iter().map(|one| analyser.of(one).len()).sum();
        let terms = analyser.of(&text);
        let mut counts = HashMap::new();
        for term in &terms {
            match counts.get_mut(term) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(term.clone(), 1);
                }
            }
        }
        Self {
            title: analyser.of(&title).into_iter().collect(),
            names: names(&text),
            told: terms.len().saturating_sub(of_places),
            text: terms,
            counts,
        }
    }

    /// Pairs of neighbouring words.
    pub(super) fn neighbors(&self) -> HashSet<(&str, &str)> {
        let pairs = self.text.windows(2);
        pairs
            .map(|pair| (pair[0].as_str(), pair[1].as_str()))
            .collect()
    }

    /// Whether a word is in the text, and not in the fields alone.
    pub(super) fn is_told(&self, word: &str) -> bool {
        self.text[..self.told].iter().any(|own| own == word)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.counts.contains_key(word)
    }
}

/// A text without words that refer to entries: ids that look like those of the
/// compared entries, and long numbers.
fn without_references(text: &str, ids: &[&str]) -> String {
    let mut kept = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|edge: char| !edge.is_alphanumeric());
        if is_reference(bare, ids) {
            continue;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    kept
}

fn is_reference(word: &str, ids: &[&str]) -> bool {
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let longest = longest_number(word);
    let is_number = longest >= DIGITS_OF_REFERENCE && digits * 2 >= word.len();
    is_number || ids.iter().any(|id| looks_like(word, id))
}

fn longest_number(word: &str) -> usize {
    let runs = word.split(|c: char| !c.is_ascii_digit());
    runs.map(str::len).max().unwrap_or(0)
}

/// Whether a word is an id of the same form: its letters with other digits. An
/// id of few digits alone has no form of its own.
fn looks_like(word: &str, id: &str) -> bool {
    if word == id {
        return true;
    }
    let has_form = id.len() >= DIGITS_OF_REFERENCE && id.len() == word.len();
    has_form
        && word.bytes().zip(id.bytes()).all(|(one, other)| {
            one.eq_ignore_ascii_case(&other) || one.is_ascii_digit() && other.is_ascii_digit()
        })
}

fn names(text: &str) -> HashSet<String> {
    let words = text.split_whitespace();
    let bare = words.map(|word| word.trim_matches(|edge: char| !edge.is_alphanumeric()));
    let named = bare.filter(|word| {
        word.len() >= SHORTEST_NAME
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.chars().next().is_some_and(char::is_alphabetic)
    });
    named.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_no_words() {
        let text = "As in SKY-0158 and EN 41524 (bug 752376): RF-2 tripped at 40 kW, SR07:VAC:GV1 \
                    closed, LER 98-0036";
        let kept = without_references(text, &["SKY-0001"]);
        assert_eq!(
            kept,
            "As in and EN (bug RF-2 tripped at 40 kW, SR07:VAC:GV1 closed, LER 98-0036"
        );
    }

    #[test]
    fn names_have_letters_and_digits() {
        let mut found: Vec<String> = names("RF-2 at SR07:VAC:GV1, 40 kW in A3.")
            .into_iter()
            .collect();
        found.sort();
        assert_eq!(found, ["rf-2", "sr07:vac:gv1"]);
    }

    #[test]
    fn a_text_without_title_is_named_by_its_first_line() {
        let mut analyser = TextTerms::default();
        let told = ToldEvent {
            text: "Pump tripped\n\nIt was hot.",
            ..ToldEvent::default()
        };
        let words = EventWords::read(&told, &mut analyser);
        assert!(words.title.contains("pump") && !words.title.contains("hot"));
        assert!(words.has("hot"));
    }
}
