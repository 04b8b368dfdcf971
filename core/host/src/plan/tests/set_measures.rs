//! Numbers of values, means and comparisons in a question about a set.

use gannet_api::{GroupBy, SetMeasure};

use super::sets::{planned, set};

#[test]
fn the_values_of_a_field_are_counted() {
    for (text, group, is_assumed) in [
        ("how many different authors are there?", "author", false),
        (
            "number of states with an alert in 2008",
            "meta.state",
            false,
        ),
        (
            "how many plants declared an alert in 2008",
            "meta.facility",
            true,
        ),
        ("how many states had a leak in 2008", "meta.state", true),
    ] {
        let set = set(text);
        assert_eq!(set.measure, Some(SetMeasure::Values), "{text}");
        assert_eq!(set.group_by, Some(GroupBy::from_name(group)), "{text}");
        assert_eq!(set.is_assumed, is_assumed, "{text}: {set:?}");
    }
}

#[test]
fn entries_and_what_they_tell_of_are_no_values() {
    for text in [
        "how many scrams at Surry in 2003",
        "how many alerts at Surry",
        "how many people were hurt at Surry in 2003",
        "how many reports by author",
    ] {
        let measure = planned(text).set.and_then(|set| set.measure);
        assert_eq!(measure, None, "{text}");
    }
}

#[test]
fn the_mean_of_times_is_computed() {
    for (text, group) in [
        ("mean number of alerts per year", "year"),
        ("average number of reports per day in May 2003", "day"),
        ("alerts per month, on average", "month"),
        (
            "what is the average number of alerts per month in 2003?",
            "month",
        ),
    ] {
        let set = set(text);
        assert_eq!(set.measure, Some(SetMeasure::Mean), "{text}");
        assert_eq!(set.group_by, Some(GroupBy::from_name(group)), "{text}");
        assert!(set.unread.is_empty() && !set.is_assumed, "{text}: {set:?}");
    }
}

#[test]
fn of_what_most_entries_are_is_counted_by_it() {
    for text in [
        "which plant had the most reports?",
        "which plant sent the most reports in 2003",
    ] {
        let set = set(text);
        let group = Some(GroupBy::from_name("meta.facility"));
        assert_eq!(set.group_by, group, "{text}");
        assert!(set.is_exact() && !set.is_assumed, "{text}: {set:?}");
    }
    assert_eq!(planned("which plant had the pump report?").set, None);
}

#[test]
fn what_is_compared_is_counted_side_by_side() {
    for (text, unread, group) in [
        (
            "more alerts in May than in June 2003",
            "than in June 2003",
            "month",
        ),
        (
            "were there fewer alerts in 2003 than in 2004?",
            "than in 2004",
            "year",
        ),
        (
            "more alerts than unusual events in 2003",
            "than unusual events",
            "meta.class",
        ),
        ("compare reports of 2003 and 2004", "compare", "year"),
        (
            "compare reports from Surry and Seabrook in 2003",
            "compare",
            "author",
        ),
        (
            "which plants declared more than 2 alerts",
            "more than 2",
            "meta.facility",
        ),
    ] {
        let set = set(text);
        assert_eq!(set.unread, [unread], "{text}");
        assert_eq!(set.group_by, Some(GroupBy::from_name(group)), "{text}");
        assert!(set.is_assumed && set.is_exact(), "{text}: {set:?}");
    }
}
