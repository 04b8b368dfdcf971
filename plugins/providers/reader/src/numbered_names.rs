//! Names that end in a number, as facilities give them to devices: `chiller 3`,
//! `CAV1`, `unit 2`.

use std::collections::HashSet;

use gannet_plugin::plan::{EntityKind, QueryPlan};
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::is_stop_word;
use gannet_stages::words;

use crate::candidates::field_text;

/// Characters of the number at most: `03c` of `SR03C`. A year is none.
const LONGEST_NUMBER: usize = 3;
/// Words between a name and its number: "chiller no. 3".
const BEFORE_A_NUMBER: [&str; 3] = ["no", "nr", "number"];
/// Words between the numbers of several: "chillers 1 and 3".
const BETWEEN_NUMBERS: [&str; 5] = ["and", "or", "to", "und", "et"];

/// A name in lower case and its number without leading zeros.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberedName {
    letters: String,
    number: String,
}

impl NumberedName {
    /// Of a word such as `cav1`.
    fn of_word(word: &str) -> Option<Self> {
        let at = word.find(|c: char| !c.is_alphabetic())?;
        let (letters, number) = word.split_at(at);
        let is_one_word = number.chars().all(char::is_alphanumeric);
        (at > 0 && is_one_word).then(|| Self::new(letters, number))?
    }

    fn new(letters: &str, number: &str) -> Option<Self> {
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        (is_number && number.len() <= LONGEST_NUMBER).then(|| Self {
            letters: letters.trim_end_matches('s').to_owned(),
            number: number.trim_start_matches('0').to_owned(),
        })
    }

    /// Whether both may be of one thing: `K1` and `klystron 1`.
    fn is_like(&self, other: &Self) -> bool {
        let (one, two) = (&self.letters, &other.letters);
        self.number == other.number && (one.starts_with(two) || two.starts_with(one))
    }

    /// Whether they are of two things of one kind: `K1` and `K2`.
    fn differs_from(&self, other: &Self) -> bool {
        self.letters == other.letters && self.number != other.number
    }
}

/// The names that stand in words, in order.
pub(crate) fn names_in(words: &[String]) -> Vec<NumberedName> {
    let mut names: Vec<NumberedName> = Vec::new();
    // What a number would be the number of.
    let mut named: Option<&str> = None;
    for word in words {
        if word.chars().all(char::is_alphabetic) {
            let joins = BEFORE_A_NUMBER.contains(&word.as_str())
                || BETWEEN_NUMBERS.contains(&word.as_str());
            if !joins {
                named = (!is_stop_word(word)).then_some(word);
            }
            continue;
        }
        let is_number = word.chars().all(|c| c.is_ascii_digit());
        match named.filter(|_| is_number) {
            Some(letters) => names.extend(NumberedName::new(letters, word)),
            None => {
                names.extend(NumberedName::of_word(word));
                named = None;
            }
        }
    }
    names
}

/// The names that a question is about. What times and values of fields are called
/// by is none, but for tags, systems and devices: `chiller` may be a tag.
pub(crate) fn names_asked(plan: &QueryPlan) -> Vec<NumberedName> {
    let things = plan.entities.iter().filter(|entity| {
        use EntityKind::{Device, Pv, System, Tag};
        matches!(entity.kind, Tag | System | Device | Pv)
    });
    let spans = things.filter_map(|thing| thing.span.clone());
    let things = spans.filter_map(|span| plan.text.get(span).map(str::to_owned));
    let content = plan.content_terms().into_iter().chain(things);
    let content: HashSet<String> = content.flat_map(|term| words(&term)).collect();
    let mut asked = words(&plan.text);
    asked.retain(|word| content.contains(word) || is_stop_word(word));
    names_in(&asked)
}

/// The names in the title, the text and the fields of an entry.
pub(crate) fn names_of(entry: &Entry, sentences: &[&[String]]) -> Vec<NumberedName> {
    let mut names = names_in(&words(entry.title().unwrap_or_default()));
    names.extend(names_in(&words(&entry.author)));
    names.extend(sentences.iter().flat_map(|words| names_in(words)));
    for (field, value) in &entry.metadata {
        names.extend(names_in(&words(&format!("{field} {}", field_text(value)))));
    }
    names
}

/// How many of the names asked for are not among those found.
pub(crate) fn missing(asked: &[NumberedName], found: &[NumberedName]) -> usize {
    let is_missing = |name: &&NumberedName| !found.iter().any(|other| other.is_like(name));
    asked.iter().filter(is_missing).count()
}

/// Whether a name is found that differs from one asked for by its number alone,
/// while the one asked for is not.
pub(crate) fn has_another(asked: &[NumberedName], found: &[NumberedName]) -> bool {
    asked.iter().any(|name| {
        found.iter().any(|other| other.differs_from(name))
            && !found.iter().any(|other| other.is_like(name))
    })
}

#[cfg(test)]
mod tests {
    use gannet_plugin::filter::FilterField;
    use gannet_plugin::plan::{PlanEntity, PlanSource, PlanTime, Precision};
    use gannet_plugin::query::ParsedQuery;

    use super::*;

    fn names(text: &str) -> Vec<(String, String)> {
        let names = names_in(&words(text)).into_iter();
        names.map(|name| (name.letters, name.number)).collect()
    }

    fn name(letters: &str, number: &str) -> (String, String) {
        (letters.to_owned(), number.to_owned())
    }

    #[test]
    fn a_number_belongs_to_the_noun_before_it() {
        assert_eq!(names("Why did chiller 3 trip?"), [name("chiller", "3")]);
        assert_eq!(names("CAV1 and K02"), [name("cav", "1"), name("k", "2")]);
        assert_eq!(names("pump no. 4"), [name("pump", "4")]);
        let both = [name("chiller", "1"), name("chiller", "3")];
        assert_eq!(names("chillers 1 and 3"), both);
        assert_eq!(names("a limit of 12 in 2005, and June 2004"), []);
    }

    #[test]
    fn the_name_may_be_a_value_of_a_field_and_a_time_is_none() {
        let text = "Why did chiller 3 trip on June 12?";
        let mut plan = QueryPlan::of_terms(text, ParsedQuery::default());
        let tag = PlanEntity::new(EntityKind::Tag, "chiller", PlanSource::Words);
        let tag = tag.with_field(FilterField::from_name("tags"));
        plan.entities.push(tag.with_span(8..15));
        let mut time = PlanTime::new(Precision::Day, PlanSource::Words);
        time.span = Some(26..33);
        plan.times.push(time);
        let names = names_asked(&plan);
        assert_eq!(names, names_in(&words("chiller 3")));
    }

    #[test]
    fn a_name_is_found_in_full_and_in_short() {
        let found = |asked: &str, text: &str| {
            let (asked, found) = (names_in(&words(asked)), names_in(&words(text)));
            (missing(&asked, &found), has_another(&asked, &found))
        };
        assert_eq!(found("klystron 1 filament", "K1 was replaced"), (0, false));
        assert_eq!(found("chiller 3", "Chiller 1 tripped"), (1, true));
        assert_eq!(found("chiller 3", "Chillers 1 and 3 tripped"), (0, false));
        assert_eq!(found("chiller 3", "The pump was warm"), (1, false));
        assert_eq!(found("SR03C:RF:CAV1", "cavity 1"), (1, false));
    }
}
