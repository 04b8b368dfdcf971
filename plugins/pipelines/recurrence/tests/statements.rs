//! What the entries of a group state.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::prelude::{Answer, Entry, Pipeline, PipelineRequest, Setup};
use gannet_plugin::provider::{ReadRequest, ReadSpan, Reading};
use gannet_plugin::search::{Recurrence, SimilarEvent};
use gannet_plugin::testing::{self, FakeHost};
use gannet_recurrence::Recurrences;
use pollster::block_on;
use serde_json::{Value, json};

const FIRST: &str = "RF-2 tripped. Cause: worn flow switch. Flow switch replaced.";
const AGAIN: &str = "RF-2 tripped again. The cause is under investigation. Switch to be replaced.";

fn entry(id: &str, day: &str, text: &str) -> Entry {
    let time = format!("2024-01-{day}T08:30:00Z").parse().unwrap();
    Entry::new(id, "log", time, text)
}

/// Every sentence answers every question, the first one best.
fn read(request: &ReadRequest) -> Reading {
    let text = &request.passages[0].entry.raw_text;
    let starts = std::iter::once(0).chain(text.match_indices(". ").map(|(at, _)| at + 2));
    let spans = starts.enumerate().map(|(place, start)| {
        let probability = 0.9 - place as f64 / 10.0;
        ReadSpan::new(0, start..start + 5, probability)
    });
    Reading::new(spans.collect(), 0.1)
}

fn ask(host: FakeHost) -> (Answer, Vec<String>) {
    ask_about(AGAIN, host)
}

/// Asks about an entry of four days later.
fn ask_about(later: &str, host: FakeHost) -> (Answer, Vec<String>) {
    let host = host
        .with_entries([entry("E1", "05", FIRST), entry("E2", "09", later)])
        .on_recurrence(|_| {
            let mut event = SimilarEvent::new("E1", 0.9, 0.8);
            event.device = "RF-2".to_owned();
            event.words = vec!["switch".to_owned(), "tripped".to_owned()];
            Ok(Recurrence::new(Some("E2".to_owned()), vec![event]))
        });
    let settings = testing::settings(json!({})).unwrap();
    let pipeline = Recurrences::new(settings, &Setup::default()).unwrap();
    let request = PipelineRequest::new("E2", 10);
    let answer = block_on(pipeline.run(request, &host.context())).unwrap();
    let read = host.calls().reads;
    let read = read
        .iter()
        .map(|one| one.passages[0].entry.entry_id.clone());
    (answer, read.collect())
}

fn group(answer: &Answer) -> &Value {
    &answer.extensions["recurrence"]["groups"][0]
}

#[test]
fn a_group_has_the_sentences_that_say_its_cause_and_its_repair() {
    let (answer, read) = ask(FakeHost::default().on_read(|request| Ok(read(request))));
    let group = group(&answer);
    assert_eq!(group["symptom"], json!(["switch", "tripped"]));
    let stated = |text: &str| json!({ "entry_id": "E1", "text": text, "probability": 0.9 });
    assert_eq!(group["cause"], stated("Cause: worn flow switch."));
    assert_eq!(group["outcome"], stated("Flow switch replaced."));
    assert_eq!(group["entries"][1]["cause"], json!(null));
    let text = answer.answer.as_deref().unwrap();
    assert!(
        text.starts_with("RF-2 (switch, tripped): this happened at least twice"),
        "{text}"
    );
    assert!(
        text.contains("\nWhat caused it: Cause: worn flow switch. [#E1]\nLast repaired by: "),
        "{text}"
    );
    // What says neither in words is not read.
    assert_eq!(read, ["E1", "E1"]);
}

#[test]
fn nothing_is_stated_that_the_reader_doubts() {
    let host = FakeHost::default().on_read(|request| {
        let mut reading = read(request);
        reading.no_answer = 0.7;
        Ok(reading)
    });
    let (answer, _) = ask(host);
    assert_eq!(group(&answer)["cause"], json!(null));
    assert_eq!(group(&answer)["outcome"], json!(null));
}

#[test]
fn a_fault_and_its_repair_happened_once() {
    let host = FakeHost::default().on_read(|request| Ok(read(request)));
    let (answer, _) = ask_about("RF-2: the flow switch was the cause of the trip.", host);
    assert_eq!(group(&answer)["count"], 1);
    assert_eq!(group(&answer)["intervals_days"], json!([]));
    let text = answer.answer.as_deref().unwrap();
    assert!(
        text.contains("at least once, on 2024-01-05. [#E1] [#E2]"),
        "{text}"
    );
}

#[test]
fn what_fixed_it_is_the_newest_repair_that_no_later_occurrence_follows() {
    let host = FakeHost::default().on_read(|request| Ok(read(request)));
    let (answer, _) = ask_about("RF-2 tripped again. Circulator exchanged.", host);
    let group = group(&answer);
    assert_eq!(group["outcome"]["text"], "Circulator exchanged.");
    assert_eq!(group["outcome_held"], true);
    let text = answer.answer.as_deref().unwrap();
    let fixed = "\nWhat fixed it: Circulator exchanged. [#E2]";
    assert!(text.contains(fixed), "{text}");
}
