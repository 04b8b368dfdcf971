//! How plainly a sentence states what a question asks for.

use super::asked::{Asked, Need};
use super::english::{english, holds_any, is_unit, spaced};
use super::terms::stem;

/// What words count that often stand beside a cause or a repair, and a number
/// without a unit.
const PERHAPS: f64 = 0.4;
/// What a number counts with a unit, but without the thing that is counted;
/// for a duration one with another unit.
const WITH_UNIT: f64 = 0.7;
/// Words after a number in which the thing that is counted may stand.
const WORDS_AFTER_A_NUMBER: usize = 4;

/// How plainly a sentence states what the question asks for, 0 to 1.
pub(super) fn states_it(asked: &Asked, sentence: &str) -> f64 {
    let text = spaced(sentence);
    let certain = |holds: bool| if holds { 1.0 } else { 0.0 };
    match asked.need {
        Need::Cause => by_words(&text, &english().states_cause, &english().may_state_cause),
        Need::Fix => by_words(&text, &english().states_fix, &english().may_state_fix),
        Need::Outcome => certain(holds_any(&text, &english().states_outcome)),
        Need::Number => number(asked, sentence),
        Need::Date => certain(holds_date(sentence) || holds_month(&text)),
        Need::Name => certain(holds_new_name(asked, sentence)),
        Need::Any => 0.0,
    }
}

fn by_words(text: &str, plainly: &[String], perhaps: &[String]) -> f64 {
    match holds_any(text, plainly) {
        true => 1.0,
        false if holds_any(text, perhaps) => PERHAPS,
        false => 0.0,
    }
}

/// The best of the sentence's numbers.
fn number(asked: &Asked, sentence: &str) -> f64 {
    let words: Vec<&str> = sentence
        .split(|c: char| c.is_whitespace() || "()[]".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let numbers = (0..words.len()).filter_map(|at| {
        let unit = unit_in(words[at])?;
        let bare = |word: &&str| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        };
        let after = words[at + 1..].iter().take(WORDS_AFTER_A_NUMBER);
        let after: Vec<String> = after.map(bare).collect();
        let next = after.first().filter(|_| unit.is_empty());
        let unit = next.cloned().unwrap_or(unit);
        let is_counted = after.iter().any(|word| asked.counted.contains(&stem(word)));
        Some(worth_of_number(asked, &unit, is_counted))
    });
    numbers.fold(0.0, f64::max)
}

fn worth_of_number(asked: &Asked, unit: &str, is_counted: bool) -> f64 {
    let mut units_of_time = english().units_of_time.iter();
    let is_time = units_of_time.any(|known| unit.starts_with(known.as_str()));
    if is_counted || (asked.asks_duration && is_time) {
        1.0
    } else if is_unit(unit) || unit == "%" {
        WITH_UNIT
    } else {
        PERHAPS
    }
}

/// What stands behind the number in a word that begins with one: `psi` in
/// `3-psi`, nothing in `12`; `None` when the word is no number. Years, times
/// of day, dates and ordinals are none.
fn unit_in(word: &str) -> Option<String> {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric() && c != '%')
        .to_lowercase();
    if english().number_words.contains(&word) {
        return Some(String::new());
    }
    let digits = word.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.');
    let (number, rest) = word.split_at(digits.unwrap_or(word.len()));
    let has_digits = number.starts_with(|c: char| c.is_ascii_digit());
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let is_year_or_time = rest.is_empty() && number.len() == 4 && is_plain;
    let rest = rest.trim_start_matches('-');
    let is_ordinal = matches!(rest, "st" | "nd" | "rd" | "th");
    let is_unit = rest.chars().all(|c| c.is_alphabetic() || c == '%');
    (has_digits && !is_year_or_time && !is_ordinal && is_unit).then(|| rest.to_owned())
}

/// Whether a [`spaced`] text names a month, a day of the week or a century.
fn holds_month(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut pairs = words
        .windows(2)
        .flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]);
    holds_any(text, &english().date_words)
        || pairs.any(|(a, b)| english().ordinary_months.contains(a) && is_number(b))
}

fn holds_date(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !(c.is_ascii_digit() || c == '/' || c == '-'));
    words.any(|word| {
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        let parts: Vec<&str> = word.split(['/', '-']).collect();
        let is_date = parts.len() >= 2 && parts.iter().all(|part| (1..=4).contains(&part.len()));
        is_year || is_date
    })
}

/// A word with a capital inside a sentence that the question does not have.
fn holds_new_name(asked: &Asked, sentence: &str) -> bool {
    let inner = sentence.split_whitespace().skip(1);
    inner
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.chars().count() > 1 && word.starts_with(char::is_uppercase))
        .any(|word| !asked.all_words.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use gannet_plugin::plan::{Intent, QueryPlan};
    use gannet_plugin::query::ParsedQuery;

    use super::*;

    fn stated(question: &str, intent: Intent, sentence: &str) -> f64 {
        let plan = QueryPlan::of_terms(question, ParsedQuery::default()).with_intent(intent);
        states_it(&Asked::read(&plan, &[]), sentence)
    }

    #[test]
    fn a_number_of_the_counted_thing_is_stated_plainly() {
        let of = |sentence| stated("how many fuel rods cracked?", Intent::Count, sentence);
        assert_eq!(of("The crew found 12 cracked rods."), 1.0);
        assert_eq!(of("It took two hours."), WITH_UNIT);
        assert_eq!(of("Level 7 was reached."), PERHAPS);
        assert_eq!(of("At 0412 on March 3rd, 2021 (3/3/21)."), 0.0);
    }

    #[test]
    fn a_number_with_a_point_is_no_year_and_a_modal_verb_no_month() {
        let leak = |sentence| stated("how big was the leak?", Intent::Find, sentence);
        assert_eq!(leak("It leaked 12.5 gpm."), WITH_UNIT);
        let when = |sentence| stated("when did the fan trip?", Intent::When, sentence);
        assert_eq!(when("It may need grease."), 0.0);
        assert_eq!(when("It tripped on 5 May."), 1.0);
    }

    #[test]
    fn a_duration_needs_a_unit_of_time() {
        let of = |sentence| stated("how long was the beam off?", Intent::Find, sentence);
        assert_eq!(of("The beam was off for 45 minutes."), 1.0);
        assert_eq!(of("A 3-inch valve was replaced."), WITH_UNIT);
    }

    #[test]
    fn a_cause_may_be_stated_plainly_or_perhaps() {
        let of = |sentence| stated("why did it trip?", Intent::Cause, sentence);
        assert_eq!(of("The trip was due to a loose cable."), 1.0);
        assert_eq!(of("It tripped when the door was opened."), PERHAPS);
        assert_eq!(of("The shift leader was informed."), 0.0);
    }
}
