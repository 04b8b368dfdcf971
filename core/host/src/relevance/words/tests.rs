#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;

fn asked(terms: &[(&str, f64)]) -> Vec<AskedTerm> {
    let terms = terms.iter().map(|(term, weight)| AskedTerm {
        term: (*term).to_owned(),
        weight: *weight,
    });
    terms.collect()
}

fn entry(title: &str, text: &str) -> Entry {
    let mut entry = Entry::new("A-1", "test", Timestamp::UNIX_EPOCH, text).with_author("Okafor");
    entry.metadata.insert("title".to_owned(), title.into());
    entry
}

fn compared(terms: &[(&str, f64)], title: &str, text: &str) -> RelevanceFeatures {
    WordComparison::new(&asked(terms)).compare(&entry(title, text))
}

#[test]
fn a_term_counts_by_its_weight_wherever_the_entry_has_it() {
    let features = compared(
        &[("pump", 1.0), ("leak", 3.0)],
        "Leak",
        "the pump was quiet",
    );
    assert_eq!(features.coverage, 1.0);
    assert_eq!(features.coverage_title, 0.75);
    assert_eq!(features.coverage_early, 0.25);
    assert_eq!((features.heaviest, features.heaviest_title), (1.0, 1.0));
    let without = compared(
        &[("pump", 1.0), ("leak", 3.0)],
        "Round",
        "the pump was quiet",
    );
    assert_eq!(without.coverage, 0.25);
    assert_eq!(without.heaviest, 0.0);
}

#[test]
fn the_author_is_found_as_the_title_is() {
    let features = compared(&[("okafor", 2.0)], "Round", "all quiet");
    assert_eq!(features.coverage_title, 1.0);
    assert_eq!(features.pairs, 1.0);
}

#[test]
fn a_term_is_found_as_the_beginning_of_a_longer_one() {
    assert_eq!(
        compared(&[("rhabdo", 2.0)], "", "rhabdomyolysis").coverage,
        1.0
    );
    // Short beginnings are those of many words.
    assert_eq!(
        compared(&[("rha", 2.0)], "", "rhabdomyolysis").coverage,
        0.0
    );
}

#[test]
fn terms_that_are_near_each_other_are_a_pair() {
    let terms = [("water", 1.0), ("pump", 1.0)];
    assert_eq!(
        compared(&terms, "", "the cool water of this pump").pairs,
        1.0
    );
    let apart = format!("water {} pump", "valve ".repeat(5));
    assert_eq!(compared(&terms, "", &apart).pairs, 0.0);
}

#[test]
fn a_window_holds_the_terms_of_a_stretch_of_the_text() {
    let terms = [("water", 1.0), ("pump", 1.0)];
    let apart = format!("water {} pump", "valve ".repeat(WINDOW));
    let features = compared(&terms, "", &apart);
    assert_eq!(features.coverage, 1.0);
    assert_eq!(features.coverage_window, 0.5);
    assert_eq!(compared(&terms, "", "water pump").coverage_window, 1.0);
}

#[test]
fn every_entry_has_all_words_of_a_question_without_any() {
    let features = compared(&[], "Round", "all quiet");
    assert_eq!((features.coverage, features.pairs), (1.0, 1.0));
}
