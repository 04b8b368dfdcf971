//! What an entry has in common with the one that is asked about, in words.

use gannet_analysis::is_function_word;
use gannet_api::{Entry, FilterField, PlaceField, fold};

use super::asked::AskedEvent;
use super::compare::days_between;
use super::place::shared_places;
use super::words::EventWords;

/// Shared words that are given, and how many of them the reason names.
const WORDS_GIVEN: usize = 12;
const WORDS_NAMED: usize = 4;
/// The inverse document frequency of a word that is named, at least.
const TELLING: f64 = 2.0;
/// Names that are given for a pair.
const NAMES_NAMED: usize = 2;

/// What a pair has in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Common {
    /// The place or device of a field, or a device in both texts.
    pub(super) device: String,
    /// The rarest shared words, as the asked text writes them. Of those the reason
    /// names a few, words of both headings first.
    pub(super) words: Vec<String>,
    /// In words, the most telling first.
    pub(super) why: Vec<String>,
}

impl Common {
    pub(super) fn of(asked: &AskedEvent<'_>, entry: &Entry, words: &EventWords) -> Self {
        let places = shared_places(&asked.places, entry);
        let mut names: Vec<&String> = asked.words.names.intersection(&words.names).collect();
        names.retain(|name| !places.iter().any(|place| fold(&place.value) == **name));
        names.sort();
        names.truncate(NAMES_NAMED);
        let telling = telling_words(asked, words);
        let mut named = heading_words(asked, words);
        let others = telling.iter().filter(|word| !named.contains(*word));
        let others: Vec<String> = others.cloned().collect();
        named.extend(others);
        named.retain(|word| word.chars().count() > 1 && !is_of_name(word, &places, &names));
        named.truncate(WORDS_NAMED);
        let mut why: Vec<String> = places
            .iter()
            .take(1)
            .map(|place| format!("same {} {}", place.name(), place.value))
            .collect();
        why.extend(
            names
                .iter()
                .map(|name| format!("same name {}", name.to_uppercase())),
        );
        if !named.is_empty() {
            why.push(format!("same words: {}", named.join(", ")));
        }
        if let Some(of_asked) = asked.entry {
            why.push(apart(days_between(of_asked, entry)));
        }
        // An author may be a person.
        let mut of_fields = places
            .iter()
            .filter(|place| place.field != FilterField::Author);
        let of_field = of_fields.next().map(|place| place.value.clone());
        let of_text = names.first().map(|name| name.to_uppercase());
        Self {
            device: of_field.or(of_text).unwrap_or_default(),
            words: telling,
            why,
        }
    }
}

/// The rarest words that both have, as the asked text writes them; names, numbers
/// and words that say nothing apart.
fn telling_words(asked: &AskedEvent<'_>, other: &EventWords) -> Vec<String> {
    let is_shared =
        |term: &str, idf: f64| idf >= TELLING && asked.words.is_told(term) && other.is_told(term);
    let telling = heaviest_words(asked, is_shared).into_iter();
    telling.take(WORDS_GIVEN).collect()
}

/// The words of both headings, also common ones, the rarest first.
fn heading_words(asked: &AskedEvent<'_>, other: &EventWords) -> Vec<String> {
    let is_shared =
        |term: &str, _: f64| asked.words.title.contains(term) && other.title.contains(term);
    heaviest_words(asked, is_shared)
}

fn heaviest_words(asked: &AskedEvent<'_>, is_shared: impl Fn(&str, f64) -> bool) -> Vec<String> {
    let shared = asked.idfs.iter().filter(|(term, idf)| {
        let is_word = term.chars().all(char::is_alphabetic);
        is_word && is_shared(term, **idf)
    });
    let mut shared: Vec<(&str, f64)> = shared.map(|(term, idf)| (term.as_str(), *idf)).collect();
    shared.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let written = shared.into_iter().map(|(term, _)| asked.as_written(term));
    let telling = written.filter(|word| !is_function_word(word));
    telling.map(str::to_owned).collect()
}

/// Whether a word is a part of a place or a name that both have, which the reason
/// has by itself.
fn is_of_name(word: &str, places: &[&PlaceField], names: &[&String]) -> bool {
    let places = places.iter().map(|place| place.value.as_str());
    let mut names = places.chain(names.iter().map(|name| name.as_str()));
    let word = fold(word);
    names.any(|name| {
        let mut parts = name.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| fold(part) == word)
    })
}

/// `3 days earlier`, `5 hours later`, `2 years earlier`.
fn apart(days: f64) -> String {
    let (distance, side) = (days.abs(), if days < 0.0 { "earlier" } else { "later" });
    let (number, unit) = match distance {
        hours if hours < 1.0 => ((hours * 24.0).round(), "hour"),
        days if days < 60.0 => (days.round(), "day"),
        days if days < 730.0 => ((days / 30.44).round(), "month"),
        days => ((days / 365.25).round(), "year"),
    };
    match number {
        0.0 => "at the same time".to_owned(),
        1.0 => format!("1 {unit} {side}"),
        number => format!("{number} {unit}s {side}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_between_is_in_the_unit_that_fits() {
        assert_eq!(apart(-0.2), "5 hours earlier");
        assert_eq!(apart(1.1), "1 day later");
        assert_eq!(apart(-400.0), "13 months earlier");
        assert_eq!(apart(-3.0 * 365.0), "3 years earlier");
        assert_eq!(apart(0.0), "at the same time");
    }
}
