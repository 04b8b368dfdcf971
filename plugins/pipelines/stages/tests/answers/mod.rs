//! Answers from entries, and the reader that is asked for them.

use std::sync::Arc;

use gannet_plugin::host::Level;
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Context, Entry, Error};
use gannet_plugin::provider::Reading;
use gannet_stages::{
    AnswerInput, CitationStyle, ComposedAnswer, GROUNDED_PROBABILITY, Matches, answer_from_entries,
};

use crate::support::{FakeHost, entry};
use crate::{panicked, timed_out};

fn logbook() -> [Entry; 4] {
    [
        entry("A", "Vacuum pump serviced."),
        entry("B", "The cavity tripped. Reset."),
        entry("C", "Beam back."),
        entry("D", "Shift over."),
    ]
}

/// The answer of a host with this reader, and what it was asked.
fn answered(question: &str, host: FakeHost) -> (ComposedAnswer, Arc<FakeHost>, Context) {
    answered_of(question, None, host)
}

fn answered_of(
    question: &str,
    matches: Option<Matches>,
    host: FakeHost,
) -> (ComposedAnswer, Arc<FakeHost>, Context) {
    let (host, context) = host.context();
    let plan = QueryPlan::of_terms(question, Default::default());
    let input = AnswerInput {
        plan: &plan,
        entries: &logbook(),
        scores: &[4.0, 3.0],
        matches,
        style: CitationStyle::EntryId,
        timezone: "UTC",
        reader: Some("mine"),
        grounded_probability: GROUNDED_PROBABILITY,
    };
    let answer = pollster::block_on(answer_from_entries(input, &context));
    (answer, host, context)
}

#[test]
fn a_list_of_one_entry_is_what_that_entry_says_where_it_answers() {
    let question = "which parts had failed when the cavity tripped?";
    for (entries, text) in [
        (1, "On 2024-03-15: The cavity tripped. [#B]"),
        (2, "2 entries match"),
    ] {
        let matches = Matches {
            entries,
            at_least: false,
            are_close: false,
        };
        let (answer, ..) = answered_of(question, Some(matches), FakeHost::default());
        assert!(answer.text.starts_with(text), "{}", answer.text);
    }
}

#[test]
fn the_reader_is_asked_once_with_the_first_entries_and_their_scores() {
    let (answer, host, context) = answered("why did the cavity trip?", FakeHost::default());
    assert_eq!(answer.text, "On 2024-03-15: The cavity tripped. [#B]");
    assert_eq!(answer.status, AnswerStatus::Grounded);
    let asked = host.readings.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].question, "why did the cavity trip?");
    assert_eq!(asked[0].provider.as_deref(), Some("mine"));
    assert!(asked[0].plan.is_some());
    let passages = asked[0].passages.iter();
    let passages: Vec<(&str, f64)> = passages
        .map(|passage| (passage.entry.entry_id.as_str(), passage.score))
        .collect();
    assert_eq!(passages, [("A", 4.0), ("B", 3.0), ("C", 0.0)]);
    assert_eq!(context.diagnostics.take(), []);
}

#[test]
fn a_reader_that_finds_nothing_leaves_the_closest_entries() {
    let host = FakeHost {
        reading: Some(Ok(Reading::new(Vec::new(), 1.0))),
        ..FakeHost::default()
    };
    let (answer, _, context) = answered("why did the cavity trip?", host);
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    assert_eq!(answer.confidence, Some(0.0));
    assert_eq!(answer.citations, ["A", "B", "C"]);
    assert!(!answer.is_unread);
    assert_eq!(context.diagnostics.take(), []);
}

#[test]
fn whatever_a_reader_fails_at_the_closest_entries_stand_and_it_is_said() {
    for failure in [timed_out(), panicked(), Error::not_found("reader", "mine")] {
        let host = FakeHost {
            reading: Some(Err(failure.clone())),
            ..FakeHost::default()
        };
        let (answer, _, context) = answered("why did the cavity trip?", host);
        let start = "Closest entries, not an answer:\n- On 2024-03-15: Vacuum pump serviced. [#A]";
        assert!(answer.text.starts_with(start), "{}", answer.text);
        assert_eq!(answer.status, AnswerStatus::Insufficient);
        assert_eq!(answer.confidence, None);
        assert_eq!(answer.citations, ["A", "B", "C"]);
        assert!(answer.is_unread);
        let notes = context.diagnostics.take();
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].level, Level::Warning);
        assert_eq!(notes[0].category.as_deref(), Some(failure.category()));
    }
}

#[test]
fn the_built_in_reader_stands_in_for_one_that_fails() {
    let host = FakeHost {
        broken_reader: Some("mine"),
        ..FakeHost::default()
    };
    let (answer, host, context) = answered("why did the cavity trip?", host);
    assert_eq!(answer.text, "On 2024-03-15: The cavity tripped. [#B]");
    assert_eq!(answer.status, AnswerStatus::Grounded);
    assert!(answer.confidence.is_some() && !answer.is_unread);
    let asked = host.readings.lock().unwrap();
    let asked = asked.iter().map(|request| request.provider.as_deref());
    assert_eq!(asked.collect::<Vec<_>>(), [Some("mine"), None]);
    let notes = context.diagnostics.take();
    assert_eq!(notes.len(), 1);
    let start = "the built-in reader was asked in place of `mine`: ";
    assert!(notes[0].message.starts_with(start), "{}", notes[0].message);
}

#[test]
fn the_closest_entries_of_a_list_are_no_answer() {
    let close = Matches {
        entries: 2,
        at_least: false,
        are_close: true,
    };
    let question = "which cavities tripped?";
    let (answer, ..) = answered_of(question, Some(close), FakeHost::default());
    let start = "Closest entries, not an answer:\n- ";
    assert!(answer.text.starts_with(start), "{}", answer.text);
    assert_eq!(answer.status, AnswerStatus::Insufficient);
}

#[test]
fn what_the_search_answers_alone_is_not_read() {
    let (answer, host, _) = answered("why?", FakeHost::default());
    assert_eq!(answer.status, AnswerStatus::Clarify);
    assert!(host.readings.lock().unwrap().is_empty());
}
