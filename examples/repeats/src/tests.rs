#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::prelude::{Answer, Entry, Pipeline, PipelineRequest, Setup};
use gannet_plugin::search::{Recurrence, RecurrenceRequest, SimilarEvent};
use gannet_plugin::testing::{self, FakeHost};
use pollster::block_on;
use serde_json::json;

use crate::Repeats;

fn entry(id: &str, day: &str, title: &str) -> Entry {
    let time = format!("2024-01-{day}T08:30:00Z").parse().unwrap();
    let mut entry = Entry::new(id, "log", time, title);
    entry.metadata.insert("title".to_owned(), json!(title));
    entry
}

fn logbook() -> FakeHost {
    FakeHost::default().with_entries([
        entry("E1", "05", "Flow switch of CAV1"),
        entry("E2", "06", "Vacuum leak at SR07"),
        entry("E3", "09", "Flow switch of CAV1 again"),
    ])
}

/// E3 is like E1, and hardly like E2; what is asked must be earlier.
fn compared(asked: &RecurrenceRequest) -> Recurrence {
    let mut events = Vec::new();
    if asked.event == "E3" {
        let mut first = SimilarEvent::new("E1", 0.91, 0.8);
        first.why = vec!["same words: flow, switch".to_owned()];
        events = vec![first, SimilarEvent::new("E2", 0.1, 0.1)];
    }
    let logbook = [
        entry("E1", "05", ""),
        entry("E2", "06", ""),
        entry("E3", "09", ""),
    ];
    let passes = |id: &str| {
        logbook
            .iter()
            .any(|one| one.entry_id == id && asked.filter.matches(one))
    };
    events.retain(|event| passes(&event.entry_id));
    assert!(!passes(&asked.event), "only earlier entries are asked for");
    Recurrence::new(Some(asked.event.clone()), events)
}

fn ask(host: &FakeHost, request: PipelineRequest) -> Answer {
    let settings = testing::settings(json!({})).unwrap();
    let pipeline = Repeats::new(settings, &Setup::default()).unwrap();
    block_on(pipeline.run(request, &host.context())).unwrap()
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn what_happened_before_is_named_with_its_reason() {
    let host = logbook().on_recurrence(|asked| Ok(compared(asked)));
    let answer = ask(&host, PipelineRequest::new("", 10));
    assert_eq!(
        answer.answer.unwrap(),
        "- [#E3] is like [#E1] (91 %: same words: flow, switch)"
    );
    assert_eq!(answer.citations, ["E3", "E1"]);
    assert_eq!(answer.hits.len(), 1);
}

#[test]
fn the_filter_and_the_parameters_hold() {
    let host = logbook().on_recurrence(|asked| Ok(compared(asked)));
    let not_e1 = Condition::AnyOf(vec!["E2".to_owned(), "E3".to_owned()]);
    let filter = Filter::none().and(FilterField::EntryId, not_e1);
    let answer = ask(&host, PipelineRequest::new("", 10).with_filter(filter));
    assert!(answer.citations.is_empty(), "{answer:?}");

    let mut request = PipelineRequest::new("", 10);
    request
        .params
        .insert("least_probability".to_owned(), json!(0.05));
    assert_eq!(ask(&host, request).citations, ["E3", "E1", "E2"]);
}

#[test]
fn a_host_that_compares_nothing_is_told() {
    let host = logbook();
    let settings = testing::settings(json!({})).unwrap();
    let pipeline = Repeats::new(settings, &Setup::default()).unwrap();
    let context = host.context();
    let answer = block_on(pipeline.run(PipelineRequest::new("", 10), &context)).unwrap();
    assert!(answer.citations.is_empty());
    assert_eq!(context.diagnostics.take().len(), 1);
}
