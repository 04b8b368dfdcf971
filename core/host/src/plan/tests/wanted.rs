//! How many of the last or the first are asked for.

use gannet_api::{Intent, TimeOrder};

use super::planned;

#[test]
fn a_number_beside_the_last_or_the_first_is_how_many_are_wanted() {
    use Intent::{First, Latest};
    for (text, intent, number) in [
        ("list the last three leaks", Latest, 3),
        ("last 5 trips", Latest, 5),
        ("what were the last 10 events at Browns Ferry?", Latest, 10),
        ("show the 3 most recent leaks", Latest, 3),
        ("the latest few leaks", Latest, 3),
        ("the first two trips in 2019", First, 2),
        ("die letzten drei Lecks", Latest, 3),
        ("die ersten zwei Lecks", First, 2),
        ("les trois derniers arrêts", Latest, 3),
    ] {
        let plan = planned(text);
        assert_eq!(plan.intent, intent, "{text}");
        assert_eq!(plan.entries_wanted, Some(number), "{text}");
    }
}

#[test]
fn a_number_of_something_else_is_no_number_of_entries() {
    for text in [
        "the last leak",
        "the last one",
        "when did RF-2 last trip?",
        "when did two pumps last trip?",
        "unit 2 last tripped",
        "the last 10 MW run",
        "trips in the first 3 hours of the run",
        "leaks in the last 3 days",
        "three leaks",
        "list 3 leaks",
    ] {
        assert_eq!(planned(text).entries_wanted, None, "{text}");
    }
}

#[test]
fn the_number_is_no_word_to_look_for_and_no_time() {
    let plan = planned("list the last three leaks");
    assert_eq!(plan.content_terms(), ["list", "leaks"]);
    assert_eq!(plan.intent_words, ["the last", "three"]);
    assert!(plan.times.is_empty());
    let note = "asks for 3 of them: `three`";
    assert!(plan.notes.iter().any(|one| one == note), "{:?}", plan.notes);
}

#[test]
fn the_causes_of_the_last_ones_are_of_a_number_too() {
    let plan = planned("what caused the last two leaks");
    assert_eq!(plan.intent, Intent::Cause);
    assert_eq!(plan.order, Some(TimeOrder::Newest));
    assert_eq!(plan.entries_wanted, Some(2));
    assert_eq!(plan.order_words, ["the last", "two"]);
    assert_eq!(plan.content_terms(), ["leaks"]);
}
