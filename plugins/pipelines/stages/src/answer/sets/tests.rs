#![allow(clippy::unwrap_used)]

use gannet_plugin::filter::TimeRange;
use gannet_plugin::plan::{GroupBy, PlanSource, PlanTime};

use super::*;
use crate::CitationStyle;

fn entries(days: &[&str]) -> Vec<Entry> {
    let entry = |day: &&str| {
        let at = format!("{day}T10:30:00Z").parse().unwrap();
        Entry::new(*day, "log", at, "Pump tripped.")
    };
    days.iter().map(entry).collect()
}

fn answer(set: CountedSet<'_>, entries: &[Entry]) -> ComposedAnswer {
    answer_from_set(set, &input(&QueryPlan::default(), entries))
}

fn input<'i>(plan: &'i QueryPlan, entries: &'i [Entry]) -> AnswerInput<'i> {
    AnswerInput {
        plan,
        entries,
        scores: &[],
        matches: None,
        style: CitationStyle::EntryId,
        timezone: "UTC",
        reader: None,
        grounded_probability: 0.8,
    }
}

fn set(query: &SetQuery, count: u64) -> CountedSet<'_> {
    CountedSet {
        query,
        count,
        groups: &[],
        left_out: 0,
        times: &[],
        nearest: None,
        certainty: None,
    }
}

#[test]
fn a_counted_set_is_grounded_and_its_entries_are_listed() {
    let query = SetQuery::new(SetOperation::Count).with_times(vec![TimeRange::default()]);
    let found = answer(set(&query, 2), &entries(&["2024-03-02", "2024-05-01"]));
    assert!(
        found.text.starts_with("2 entries:\n- On 2024-03-02: "),
        "{}",
        found.text
    );
    assert_eq!(found.status, AnswerStatus::Grounded);
    assert_eq!(found.confidence, Some(1.0));
    assert_eq!(found.citations, ["2024-03-02", "2024-05-01"]);
    let more = answer(set(&query, 300), &entries(&["2024-03-02"]));
    assert!(
        more.text.starts_with("300 entries; the newest 1:\n"),
        "{}",
        more.text
    );
}

#[test]
fn a_guessed_condition_is_no_proof() {
    let query = SetQuery::new(SetOperation::Count).with_is_assumed(true);
    let found = answer(set(&query, 1), &entries(&["2024-03-02"]));
    assert_eq!(found.status, AnswerStatus::Partial);
    assert_eq!(found.confidence, None);
}

#[test]
fn a_part_of_the_question_that_is_not_answered_is_said() {
    let query = SetQuery::new(SetOperation::Count)
        .with_is_assumed(true)
        .with_unread(vec!["mean".to_owned(), "per week".to_owned()]);
    let found = answer(set(&query, 1), &entries(&["2024-03-02"]));
    assert_eq!(found.status, AnswerStatus::Partial);
    let opening = "Not answered of the question: `mean`, `per week`.\n1 entry:\n- On 2024-03-02: ";
    assert!(found.text.starts_with(opening), "{}", found.text);
}

#[test]
fn the_last_ones_are_named_with_how_many_there_are() {
    let query = SetQuery::new(SetOperation::Last).with_limit(2);
    let found = answer(set(&query, 7), &entries(&["2024-05-01", "2024-03-02"]));
    assert!(
        found.text.starts_with("The newest 2 of 7 entries:\n"),
        "{}",
        found.text
    );
}

#[test]
fn all_of_the_last_ones_are_not_some_of_them() {
    let query = SetQuery::new(SetOperation::Last).with_limit(9);
    let found = answer(set(&query, 2), &entries(&["2024-05-01", "2024-03-02"]));
    let opening = "All 2 entries, the newest first:\n";
    assert!(found.text.starts_with(opening), "{}", found.text);
}

#[test]
fn one_interval_has_no_range() {
    let query = SetQuery::new(SetOperation::Rate);
    let found = entries(&["2024-03-11", "2024-03-01"]);
    let times: Vec<Timestamp> = found.iter().map(|entry| entry.timestamp).collect();
    let counted = CountedSet {
        times: &times,
        ..set(&query, 2)
    };
    let text = answer(counted, &found).text;
    let opening = "2 entries from 2024-03-01 to 2024-03-11, one in 10 days:\n";
    assert!(text.starts_with(opening), "{text}");
}

#[test]
fn an_empty_time_is_named_with_its_preposition() {
    for (text, words, precision, expected) in [
        (
            "trips in winter 2024",
            "winter 2024",
            Precision::Season,
            "in winter 2024",
        ),
        (
            "trips in the first week of May 2019",
            "first week of May 2019",
            Precision::Week,
            "in the first week of May 2019",
        ),
        (
            "trips since 2013",
            "since 2013",
            Precision::Year,
            "since 2013",
        ),
        (
            "trips last winter",
            "last winter",
            Precision::Season,
            "last winter",
        ),
        ("trips in 2020?", "2020", Precision::Year, "in 2020"),
        (
            "trips on 3 May 2020",
            "3 May 2020",
            Precision::Day,
            "on 3 May 2020",
        ),
    ] {
        let start = text.find(words).unwrap();
        let time = PlanTime::new(precision, PlanSource::Words)
            .with_from("2020-01-01T00:00:00Z".parse().ok())
            .with_span(start..start + words.len());
        let plan = QueryPlan::default().with_text(text).with_times(vec![time]);
        assert_eq!(named_times(&plan), expected, "{text}");
    }
}

#[test]
fn how_often_is_the_interval_and_its_range() {
    let query = SetQuery::new(SetOperation::Rate);
    let found = entries(&["2024-03-31", "2024-03-11", "2024-03-01"]);
    let times: Vec<Timestamp> = found.iter().map(|entry| entry.timestamp).collect();
    let counted = CountedSet {
        times: &times,
        ..set(&query, 3)
    };
    let text = answer(counted, &found).text;
    let expected = "3 entries from 2024-03-01 to 2024-03-31, one in 15 days on average; the \
                    intervals are 10 to 20 days:\n";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn counts_by_year_are_lines() {
    let query = SetQuery::new(SetOperation::Count).with_group_by(GroupBy::Year);
    let group = |value: &str, count| SetGroup {
        value: value.to_owned(),
        count,
    };
    let groups = [group("2023", 0), group("2024", 1)];
    let counted = CountedSet {
        groups: &groups,
        ..set(&query, 1)
    };
    let text = answer(counted, &entries(&["2024-03-02"])).text;
    assert!(
        text.starts_with("1 entry, by year:\n- 2023: 0\n- 2024: 1\nEntries:\n"),
        "{text}"
    );
}

#[test]
fn the_rows_that_an_answer_does_not_name_are_counted() {
    let author = GroupBy::Field(gannet_plugin::filter::FilterField::Author);
    let query = SetQuery::new(SetOperation::Count).with_group_by(author);
    let groups = (0..400).map(|at| SetGroup {
        value: format!("author {at}"),
        count: 1,
    });
    let groups: Vec<SetGroup> = groups.collect();
    let counted = CountedSet {
        groups: &groups,
        left_out: 50,
        ..set(&query, 450)
    };
    let text = answer(counted, &entries(&["2024-03-02"])).text;
    assert!(text.contains("\n- author 39: 1\n- 410 more\n"), "{text}");
}

#[test]
fn the_number_of_values_is_said_with_their_counts() {
    let area = GroupBy::from_name("meta.area");
    let query = SetQuery::new(SetOperation::Count)
        .with_group_by(area)
        .with_measure(SetMeasure::Values);
    let group = |at: usize| SetGroup {
        value: format!("area {at}"),
        count: 1,
    };
    let mut groups: Vec<SetGroup> = (0..25).map(group).collect();
    groups.push(SetGroup {
        value: SetGroup::NO_VALUE.to_owned(),
        count: 2,
    });
    let counted = CountedSet {
        groups: &groups,
        ..set(&query, 27)
    };
    let text = answer(counted, &entries(&["2024-03-02"])).text;
    let opening = "25 values of area.\n27 entries, by area:\n- area 0: 1\n";
    assert!(text.starts_with(opening), "{text}");
    assert!(text.contains("\n- area 19: 1\n- 6 more\n"), "{text}");
    let certainty = SetCertainty {
        certain: 20,
        confidence: 0.6,
        end_confidence: 0.9,
    };
    let uncertain = CountedSet {
        certainty: Some(certainty),
        ..counted
    };
    let text = answer(uncertain, &[]).text;
    let opening = "About 25 values of area.\nAbout 27 entries (20 certain), by area:\n";
    assert!(text.starts_with(opening), "{text}");
}

#[test]
fn a_mean_is_said_with_its_periods() {
    let query = SetQuery::new(SetOperation::Count)
        .with_group_by(GroupBy::Month)
        .with_measure(SetMeasure::Mean);
    let group = |value: &str, count| SetGroup {
        value: value.to_owned(),
        count,
    };
    let groups = [
        group("2024-03", 2),
        group("2024-04", 0),
        group("2024-05", 5),
    ];
    let counted = CountedSet {
        groups: &groups,
        ..set(&query, 7)
    };
    let found = answer(counted, &entries(&["2024-03-02"]));
    let opening = "Mean: 2.33 entries a month, over 3 months.\n7 entries, by month:\n- 2024-03: 2";
    assert!(found.text.starts_with(opening), "{}", found.text);
    assert_eq!(found.status, AnswerStatus::Grounded);
}

#[test]
fn an_empty_set_names_the_last_one_before() {
    let query = SetQuery::new(SetOperation::Count);
    let counted = CountedSet {
        nearest: Some(Nearest::Before),
        ..set(&query, 0)
    };
    let text = answer(counted, &entries(&["2023-03-02"])).text;
    assert!(
        text.starts_with("None at that time; the last before was:\n- On 2023-03-02"),
        "{text}"
    );
    // An exact count of none is an answer.
    let nothing = answer(set(&query, 0), &[]);
    assert_eq!(nothing.status, AnswerStatus::Grounded);
}

#[test]
fn an_empty_set_names_the_nearest_without_one_condition() {
    let query = SetQuery::new(SetOperation::Last).with_is_assumed(true);
    let none = CountedSet {
        nearest: Some(Nearest::Partly),
        ..set(&query, 0)
    };
    let found = answer(none, &entries(&["2024-03-02"]));
    assert_eq!(found.status, AnswerStatus::Partial);
    let start = "None has all that is asked for; without one condition the newest is:\n- On";
    assert!(found.text.starts_with(start), "{}", found.text);
}

#[test]
fn that_no_entry_is_about_a_topic_is_no_proof() {
    let query = SetQuery::new(SetOperation::List).with_topic(vec!["quake".to_owned()]);
    let certainty = SetCertainty {
        certain: 0,
        confidence: 0.95,
        end_confidence: 0.95,
    };
    let counted = CountedSet {
        nearest: Some(Nearest::After),
        certainty: Some(certainty),
        ..set(&query, 0)
    };
    let found = answer(counted, &entries(&["2024-03-02"]));
    assert_eq!(found.status, AnswerStatus::Partial);
}

#[test]
fn a_number_that_is_probably_wrong_is_no_answer_unless_all_are_listed() {
    let status = |operation, count| {
        let query = SetQuery::new(operation).with_topic(vec!["night".to_owned()]);
        let certainty = SetCertainty {
            certain: 1,
            confidence: 0.01,
            end_confidence: 0.5,
        };
        let counted = CountedSet {
            certainty: Some(certainty),
            ..set(&query, count)
        };
        answer(counted, &entries(&["2024-03-02", "2024-05-01"])).status
    };
    let (count, list) = (SetOperation::Count, SetOperation::List);
    assert_eq!(status(count, 90), AnswerStatus::Insufficient);
    assert_eq!(status(count, 2), AnswerStatus::Partial);
    assert_eq!(status(list, 90), AnswerStatus::Partial);
}

#[test]
fn where_a_topic_may_be_said_in_other_words_the_few_others_may_be_the_answer() {
    let query = SetQuery::new(SetOperation::List).with_topic(vec!["quake".to_owned()]);
    let (plan, others) = (QueryPlan::default(), entries(&["2024-03-02"]));
    let say = |none| answer_without_members(&query, none, &input(&plan, &others));
    assert_eq!(say(0.9).status, AnswerStatus::Insufficient);
    let uncertain = say(0.6);
    assert_eq!(uncertain.status, AnswerStatus::Partial);
    let opening = "No entry is surely about `quake`. One entry meets the other conditions:";
    assert!(uncertain.text.starts_with(opening), "{}", uncertain.text);
}
