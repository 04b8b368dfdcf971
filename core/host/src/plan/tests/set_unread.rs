//! Parts of a question about a set that the plan does not answer.

use gannet_api::{GroupBy, Intent};

use super::sets::{planned, set};

#[test]
fn what_is_not_answered_is_named_and_makes_the_set_assumed() {
    for (text, unread, group) in [
        ("first report of each month", "each month", None),
        ("first alert per year", "per year", None),
        ("last report of each state", "each state", None),
        ("median number of alerts per year", "median", Some("year")),
        ("alerts per month, average", "average", Some("month")),
        ("alerts by state and year", "and year", Some("meta.state")),
        ("alerts per year by state", "by state", Some("year")),
        ("how many alerts per week", "per week", None),
        ("how many alerts per weekday in 2003", "per weekday", None),
        ("how many alerts per quarter", "per quarter", None),
        ("how many alerts on a Sunday", "Sunday", None),
        (
            "how many alerts on 29 February 2023",
            "29 February 2023",
            None,
        ),
    ] {
        let set = set(text);
        assert_eq!(set.unread, [unread], "{text}");
        assert_eq!(set.group_by, group.map(GroupBy::from_name), "{text}");
        assert!(set.is_assumed && set.is_exact(), "{text}: {set:?}");
    }
}

#[test]
fn most_questions_are_answered_whole() {
    for text in [
        "scrams per year at Surry",
        "how many alerts on 28 February 2023",
        "how many reports of average flow",
        "how many alerts were there on Monday",
    ] {
        assert!(set(text).unread.is_empty(), "{text}");
    }
}

#[test]
fn a_part_of_several_is_a_number_that_is_computed_and_of_entries_is_not_answered() {
    for (text, unread) in [
        (
            "percentage of Surry reports",
            Some("percentage of Surry reports"),
        ),
        (
            "what share of the alerts were at Surry",
            Some("share of the alerts"),
        ),
        (
            "fraction of all logged entries",
            Some("fraction of all logged entries"),
        ),
        ("what percentage of main valves failed", None),
    ] {
        let plan = planned(text);
        assert_eq!(plan.intent, Intent::Count, "{text}");
        assert!(plan.set.is_none(), "{text}: {:?}", plan.set);
        assert_eq!(plan.unread.first().map(String::as_str), unread, "{text}");
    }
    for text in [
        "at what percentage of power did it run",
        "percentage of power in the runs",
    ] {
        assert_eq!(planned(text).intent, Intent::Find, "{text}");
    }
}
