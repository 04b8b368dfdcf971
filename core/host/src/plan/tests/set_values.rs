//! Several values of a field in a question about a set of entries.

use gannet_api::Condition;

use super::sets::set;

/// The conditions of a set, several values of one joined by `|`.
fn conditions(text: &str) -> Vec<String> {
    let clauses = set(text).filter.clauses.into_iter();
    let clauses = clauses.map(|clause| match clause.condition {
        Condition::Equals(value) => value,
        Condition::AnyOf(values) => values.join("|"),
        other => panic!("{text}: {other:?}"),
    });
    clauses.collect()
}

#[test]
fn tags_side_by_side_all_hold() {
    for text in [
        "how many vacuum pumps reports in 2024",
        "last report of pumps with vacuum",
    ] {
        let mut all = conditions(text);
        all.sort();
        assert_eq!(all, ["pumps", "vacuum"], "{text}");
        assert!(!set(text).is_assumed, "{text}");
    }
}

#[test]
fn a_thing_beside_the_entries_is_a_condition_however_they_are_asked_for() {
    for text in [
        "how many pumps reports in 2024",
        "pumps reports in 2024",
        "pumps reports",
    ] {
        assert_eq!(conditions(text), ["pumps"], "{text}");
        let set = set(text);
        assert!(set.is_exact() && !set.is_assumed, "{text}: {set:?}");
    }
}

#[test]
fn tags_with_or_between_are_alternatives_and_with_and_may_be() {
    let text = "how many reports of pumps or vacuum in 2024";
    assert_eq!(conditions(text), ["pumps|vacuum"]);
    assert!(!set(text).is_assumed);
    for text in [
        "how many reports of pumps and vacuum in 2024",
        "how many reports of pumps, vacuum in 2024",
    ] {
        assert_eq!(conditions(text), ["pumps|vacuum"], "{text}");
        assert!(set(text).is_assumed, "{text}");
    }
}

#[test]
fn of_a_field_with_one_value_an_entry_has_any_of_several() {
    let joined = "how many reports from Surry, Seabrook or Monticello";
    assert_eq!(conditions(joined), ["monticello|seabrook|surry"]);
    assert!(!set(joined).is_assumed);
    let both = "how many reports from Surry and Seabrook";
    assert!(!set(both).is_assumed);
    // What is meant by values side by side is not said.
    assert!(set("how many reports from Surry Seabrook").is_assumed);
}

#[test]
fn the_name_of_a_field_beside_its_value_says_no_more_than_the_value() {
    for text in [
        "how many reports in the shutdown phase in 2003",
        "how many reports at the facilities Surry and Seabrook",
        "last report by author Monticello",
        "how many alert class reports",
    ] {
        let set = set(text);
        assert!(set.is_exact() && !set.is_assumed, "{text}: {set:?}");
        assert!(set.group_by.is_none(), "{text}");
        assert_eq!(set.filter.clauses.len(), 1, "{text}");
    }
}
