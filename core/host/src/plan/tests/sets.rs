//! What is asked of a set of entries.

use gannet_api::{Filter, GroupBy, QueryPlan, QuerySyntax, SetOperation, SetQuery};

use super::{KnownField, Lexicon, WordCounts, field, settings};
use crate::ignored_words::IgnoredWords;
use crate::plan::{add_set, plan};

/// Events of plants by class and state; some have the way of a trip.
fn lexicon() -> Lexicon {
    lexicon_with(&WordCounts {
        entries: 1000,
        ..WordCounts::default()
    })
}

fn lexicon_with(counts: &WordCounts) -> Lexicon {
    let fields: [KnownField; 9] = [
        field(
            "author",
            &[("surry", 60), ("seabrook", 40), ("monticello", 30)],
        ),
        field("meta.facility", &[("surry", 58), ("seabrook", 40)]),
        field(
            "meta.class",
            &[
                ("alert", 12),
                ("unusual event", 40),
                ("site area emergency", 2),
            ],
        ),
        field("meta.state", &[("VA", 60), ("NH", 40)]),
        field("meta.region", &[("1", 400), ("2", 300)]),
        field("meta.scram", &[("a/r", 20), ("m/r", 15)]),
        field("tags", &[("pumps", 12), ("vacuum", 20)]),
        field("meta.phase", &[("users", 200), ("shutdown", 100)]),
        field("shift", &[("night", 200), ("day", 100)]),
    ];
    Lexicon::of(&fields, counts)
}

pub(super) fn planned(text: &str) -> QueryPlan {
    planned_without(text, &[])
}

fn planned_without(text: &str, ignored: &[&str]) -> QueryPlan {
    let lexicon = lexicon();
    let (syntax, filter) = (QuerySyntax::Operators, Filter::none());
    let ignored: Vec<String> = ignored.iter().map(|one| (*one).to_owned()).collect();
    let ignored = IgnoredWords::new(&ignored);
    let mut plan = plan(text, syntax, &filter, &settings(), &lexicon);
    ignored.take_from(&mut plan);
    add_set(&mut plan, &lexicon, false, &ignored);
    plan
}

pub(super) fn set(text: &str) -> SetQuery {
    let plan = planned(text);
    assert!(plan.set.is_some(), "{text}: {:?}", plan.notes);
    plan.set.unwrap()
}

#[test]
fn the_operation_is_what_is_asked_of_the_set() {
    use SetOperation::{Count, First, Last, List, Rate};
    for (text, operation) in [
        ("how many scrams at Surry in 2003", Count),
        ("count of alerts between 2003 and 2005", Count),
        ("total reports from Surry", Count),
        ("list every unusual event at Seabrook", List),
        ("which plants declared an alert in 2008", List),
        ("what did Monticello report in 2009", List),
        ("did Surry send anything in during 2010?", List),
        ("unusual events at Seabrook in 2006 and 2007", List),
        ("earliest report from Surry in 2012", First),
        ("when was the last alert at Surry?", Last),
        ("how often were alerts declared from 2006 to 2011", Rate),
        ("scrams per year at Surry", Count),
    ] {
        let set = set(text);
        assert_eq!(set.operation, operation, "{text}");
        assert!(set.is_exact(), "{text}: {:?}", set.topic);
        // Entries may tell of a scram without the field of that name.
        assert_eq!(set.is_assumed, text.contains("scrams"), "{text}");
    }
}

#[test]
fn conditions_are_values_times_and_fields() {
    let scrams = set("how many scrams at Surry in 2003");
    assert_eq!(scrams.filter.clauses.len(), 2, "{:?}", scrams.filter);
    assert_eq!(scrams.times.len(), 1);
    let years = set("unusual events at Seabrook in 2006 and 2007");
    assert_eq!(years.times.len(), 2);
    let region = set("all alerts in region 2 since 2015");
    assert!(region.is_exact(), "{:?}", region.topic);
    assert_eq!(region.filter.clauses.len(), 2, "{:?}", region.filter);
    assert!(set("how often has Surry scrammed since 2012").is_exact());
    let both = set("alerts and unusual events at Seabrook since 2003");
    assert_eq!(both.filter.clauses.len(), 2, "{:?}", both.filter);
}

#[test]
fn the_words_of_every_condition_are_named_and_can_be_ignored() {
    let text = "how many unusual events with scrams and leaks in region 2 since 2003 by state";
    let whole = set(text);
    assert_eq!(whole.group_words.as_deref(), Some("by state"));
    let words = |field: &str| whole.field_words.get(field).cloned().unwrap_or_default();
    assert_eq!(words("meta.class"), ["unusual events"]);
    assert_eq!(words("meta.scram"), ["scrams"]);
    assert_eq!(words("meta.region"), ["region 2"]);
    let names = |set: &SetQuery| -> Vec<String> {
        let clauses = set.filter.clauses.iter();
        clauses.map(|one| one.field.query_name()).collect()
    };
    let all = ["meta.class", "meta.scram", "meta.region"];
    assert_eq!(names(&whole), all);
    for (field, words) in &whole.field_words {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let part = planned_without(text, &words).set.unwrap();
        let left: Vec<&str> = all.into_iter().filter(|one| one != field).collect();
        assert_eq!(names(&part), left, "{field}");
        assert_eq!(part.topic, whole.topic, "{field}");
    }
    let part = planned_without(text, &["since 2003", "by state", "leaks"]);
    let part = part.set.unwrap();
    assert_eq!((part.times.len(), part.group_by), (0, None));
    assert_eq!(part.topic, Vec::<String>::new());
    let part = planned_without("how many alerts since 2003 by state", &["how many"]);
    assert_eq!(part.set.unwrap().group_by, whole.group_by);
}

#[test]
fn a_year_to_come_is_a_time() {
    let alerts = set("how many alerts since 2099");
    assert!(alerts.is_exact(), "{:?}", alerts.topic);
    assert_eq!(alerts.times.len(), 1);
}

#[test]
fn several_that_are_asked_for_are_a_set_with_a_topic() {
    for (text, topic) in [
        ("which plants had jellyfish in 2003", &["jellyfish"][..]),
        ("which plants had jellyfish trouble", &["jellyfish"]),
        ("people who died at Surry", &["people", "died"]),
        ("valves that failed in 2003", &["valves", "failed"]),
        ("guards who fell asleep", &["guards", "fell", "asleep"]),
        ("trucks hit by lightning", &["trucks", "hit", "lightning"]),
        ("which relay trips were there in 2003", &["relay", "trips"]),
        ("pager trouble in 2003", &["pager"]),
        ("Siren not working at Surry", &["Siren"]),
        ("problems in 2003", &["problems"]),
        ("latest relay trip", &["relay", "trip"]),
        ("list leaks among the valves", &["leaks", "valves"]),
    ] {
        let set = set(text);
        assert_eq!(set.topic, topic, "{text}");
    }
    for text in [
        "which plant had jellyfish in 2003",
        "pumps, who repaired them at Surry?",
        "which relay trips opened the breaker in 2003",
        "who was the first director",
        "valves by the door",
        "pager not working",
    ] {
        assert_eq!(planned(text).set, None, "{text}");
    }
}

#[test]
fn without_the_words_that_ask_for_a_number_entries_are_listed() {
    let text = "how many reports from Surry";
    let listed = planned_without(text, &["how many reports"]).set.unwrap();
    assert_eq!(listed.operation, SetOperation::List);
    assert!(listed.is_exact(), "{:?}", listed.topic);
}

#[test]
fn what_remains_is_the_topic() {
    let turtles = set("sea turtles at Surry in 2003");
    assert_eq!(turtles.topic, ["sea", "turtles"]);
    let leaks = set("how many reports of leaking valves at Surry in 2003");
    assert_eq!(leaks.topic, ["leaking", "valves"]);
    assert!(!leaks.is_exact());
}

#[test]
fn a_number_of_the_last_is_a_limit_and_one_is_the_default() {
    assert_eq!(set("the last three alerts at Surry").limit, Some(3));
    assert_eq!(set("last alert at Surry").limit, Some(1));
    assert_eq!(set("all alerts at Surry").limit, None);
}

#[test]
fn entries_are_counted_by_time_and_by_field() {
    let field = |name: &str| Some(GroupBy::from_name(name));
    for (text, group) in [
        ("scrams per year at Surry", field("year")),
        ("alerts each month in 2003", field("month")),
        ("alerts per day in May 2003", field("day")),
        ("unusual events by state in 2005", field("meta.state")),
        (
            "which plants declared an alert in 2008",
            field("meta.facility"),
        ),
        ("how many alerts at Surry", None),
    ] {
        assert_eq!(set(text).group_by, group, "{text}");
    }
}

#[test]
fn a_question_about_one_event_asks_of_no_set() {
    for text in [
        "why did Surry trip in 2003?",
        "how was the leak at Surry repaired?",
        "Surry",
        "pump 2 tripped at Surry",
        "alert at Surry on 3 May 2003",
        "vacuum pumps in 2024",
        "author:surry alerts NOT 2003",
        "how many pumps failed at Surry in 2003?",
        "how many gallons leaked at Surry?",
        "Impossible to log in to the archive",
        "what percentage of alerts were at Surry?",
    ] {
        assert_eq!(planned(text).set, None, "{text}");
    }
}

#[test]
fn a_thing_that_is_counted_may_be_a_word() {
    assert!(set("how many pumps in 2024").is_assumed);
    assert_eq!(set("how many manual scrams at Surry").topic, ["manual"]);
    assert!(!set("how many reports of pumps in 2024").is_assumed);
}

#[test]
fn a_kind_that_an_entry_states_is_no_set() {
    for text in [
        "what class of steel was used in the valve?",
        "the pumps were replaced by what author?",
        "in 2008 what state was the breaker of the pump in?",
    ] {
        let plan = planned(text);
        assert!(plan.set.is_none(), "{text}: {:?}", plan.set);
    }
}

#[test]
fn what_conditions_cannot_say_is_no_set() {
    for text in [
        "how many alerts were not in Virginia?",
        "alerts at Surry but not in 2022",
        "how many alerts after the trip at Surry?",
        "first alert after the trip at Surry",
        "was the last alert at Surry?",
    ] {
        let plan = planned(text);
        assert!(plan.set.is_none(), "{text}: {:?}", plan.set);
    }
    let numbered = planned("list every alert at Surry unit no 2");
    assert!(numbered.set.is_some(), "{:?}", numbered.notes);
}

#[test]
fn two_bounds_are_one_range() {
    for text in [
        "how many alerts after March 2022 and before June 2023",
        "how many alerts since April 2022 until May 2023",
    ] {
        let times = set(text).times;
        assert_eq!(times.len(), 1, "{text}: {times:?}");
        assert!(
            times[0].from.is_some() && times[0].until.is_some(),
            "{text}"
        );
    }
    let apart = set("how many alerts before 2003 and after 2010").times;
    assert_eq!(apart.len(), 2, "{apart:?}");
}

#[test]
fn all_entries_are_a_set() {
    for (text, operation) in [
        ("how many entries are there?", SetOperation::Count),
        ("last 3 entries", SetOperation::Last),
        ("oldest entry", SetOperation::First),
        ("what did the last entry say?", SetOperation::Last),
    ] {
        let set = set(text);
        assert_eq!(set.operation, operation, "{text}");
        assert!(set.is_exact() && set.filter.is_empty(), "{text}: {set:?}");
    }
}

#[test]
fn a_weekday_and_a_year_beside_a_month_are_guesses() {
    for text in [
        "how many alerts were there on Monday",
        "how many alerts in March 2022 and 2024",
    ] {
        assert!(set(text).is_assumed, "{text}");
    }
    assert!(!set("how many alerts in 2022 and 2024").is_assumed);
}

#[test]
fn what_only_some_facilities_call_an_entry_is_assumed_unless_entries_have_the_word() {
    for text in [
        "how many messages did Surry send",
        "how many event reports did Surry file",
        "list all notifications from Surry",
    ] {
        assert!(set(text).is_assumed, "{text}");
    }
    assert!(!set("how many reports did Surry file").is_assumed);
    let counts = WordCounts {
        entries: 1000,
        with_word: [("event".to_owned(), 600)].into(),
    };
    let lexicon = lexicon_with(&counts);
    let (syntax, filter) = (QuerySyntax::Operators, Filter::none());
    let ignored = IgnoredWords::new(&[]);
    let text = "how many events did Surry report";
    let mut plan = plan(text, syntax, &filter, &settings(), &lexicon);
    add_set(&mut plan, &lexicon, false, &ignored);
    assert!(!plan.set.unwrap().is_assumed);
}

#[test]
fn a_condition_that_is_counted_itself_is_assumed() {
    assert!(set("how many night shifts did Surry write in 2022").is_assumed);
    assert!(set("how many users came in 2022").is_assumed);
    assert!(!set("how many reports of the users in 2022").is_assumed);
    assert!(!set("how many Surry alerts in 2022").is_assumed);
}
