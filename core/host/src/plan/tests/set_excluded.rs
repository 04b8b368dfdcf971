//! What a question about entries excludes.

use gannet_api::Condition;

use super::sets::planned;

#[test]
fn values_and_times_are_conditions_that_no_member_meets() {
    for (text, filter) in [
        ("which reports are not from Surry?", 0),
        ("how many reports not in 2008", 0),
        ("how many reports that are not alerts", 0),
        ("reports other than alerts", 0),
        ("list reports not from Surry or Seabrook", 0),
        ("list reports not from Surry or from Seabrook", 0),
        ("how many alerts weren't at Surry", 1),
        ("how many alerts except those at Surry", 1),
        ("reports from Surry without pumps", 1),
        ("last alert at Surry that was not in 2008", 2),
    ] {
        let plan = planned(text);
        let set = plan.set.unwrap();
        assert_eq!(set.excluded.len(), 1, "{text}: {:?}", set.excluded);
        assert_eq!(set.filter.clauses.len(), filter, "{text}: {set:?}");
        assert!(set.is_exact() && set.times.is_empty(), "{text}: {set:?}");
        assert!(!set.is_assumed && plan.unread.is_empty(), "{text}: {set:?}");
        assert!(plan.times.is_empty(), "{text}");
    }
    assert!(
        planned("how many alerts except pumps")
            .set
            .unwrap()
            .is_assumed
    );
    let both = planned("list reports not from Surry or Seabrook");
    assert!(both.entities.is_empty(), "{:?}", both.entities);
    let set = both.set.unwrap();
    assert_eq!(set.excluded_words, ["not from Surry or Seabrook"]);
    let excluded = &set.excluded[0].condition;
    assert!(matches!(excluded, Condition::AnyOf(values) if values.len() == 2));
}

#[test]
fn other_words_are_not_answered() {
    for (text, unread) in [
        (
            "how many alerts were not in Virginia or 2008?",
            "not in Virginia or 2008",
        ),
        ("how many reports not about valves", "not about valves"),
        ("how many alerts except trips", "except trips"),
    ] {
        let plan = planned(text);
        assert!(plan.set.is_none(), "{text}: {:?}", plan.set);
        assert_eq!(plan.unread, [unread], "{text}");
        assert!(plan.times.is_empty(), "{text}");
    }
}

#[test]
fn what_did_not_happen_may_be_what_entries_are_about() {
    for text in [
        "how many times was there no vacuum",
        "why was there no vacuum at Surry",
        "how often did the pumps not start",
        "when was the last day without any alerts",
        "last time Surry did not trip",
        "how many alerts at Surry but also at Seabrook",
        "how many reports of pumps not working",
    ] {
        let plan = planned(text);
        let excluded = plan.set.map(|set| set.excluded).unwrap_or_default();
        assert!(excluded.is_empty() && plan.unread.is_empty(), "{text}");
    }
}
