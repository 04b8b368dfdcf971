//! Calls of each kind, and what ends them.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use futures::executor::block_on;
use futures::{FutureExt, StreamExt};
use gannet_api::{
    Call, Context, Credentials, Deadline, Entry, Error, Event, Events, FetchRequest, Filter,
    FilterField, PipelineRequest, Plugin, PublishRequest, Published, Record, SearchRequest, Setup,
    Writing,
};
use serde_json::json;

use super::playing_host::PlayingHost;
use crate::LibHeader;
use crate::host::{ForeignExport, Opening, start};
use crate::manifest::Manifest;
use crate::plugin::root;

/// The test program, started as a host starts a dylib: once.
pub(super) static EXPORTS: LazyLock<Vec<ForeignExport>> = LazyLock::new(|| {
    static HEADER: LibHeader = root::header();
    let manifest = b"gannet plugin manifest 1\nname=test\nversion=1.0.0\ncontract=2.1\n\
        abi_stable=0.11\npanic=unwind\nruntime=none\nroot=x\n\0";
    let opening = Opening {
        path: Path::new("unused"),
        manifest: &Manifest::read_section(manifest).unwrap()[0],
        runtime_threads: 1,
        enter_host: Arc::new(|work| work()),
    };
    start(&HEADER, opening).unwrap().exports
});

pub(super) fn made(name: &str) -> Plugin {
    let setup = Setup::default().with_retrieval_modules(vec!["one".to_owned()]);
    construct(name, &setup).unwrap()
}

fn construct(name: &str, setup: &Setup) -> Result<Plugin, Error> {
    let export = EXPORTS
        .iter()
        .find(|export| export.descriptor().name == name)
        .unwrap();
    export.construct(&json!({}), setup)
}

pub(super) fn context() -> Context {
    let call = Call::new("r1", "plant", Deadline::NEVER);
    Context::new(call, Arc::new(PlayingHost))
}

fn search(query: &str, context: &Context) -> Result<Vec<gannet_api::Hit>, Error> {
    let Plugin::SearchModule(module) = made("echo") else {
        panic!("echo is a search module");
    };
    let mut request = SearchRequest::new(query, 2);
    let by = gannet_api::Condition::Equals("ann".to_owned());
    request.filter = Filter::none().and(FilterField::Author, by);
    block_on(module.search(request, context))
}

#[test]
fn the_exports_are_sorted_by_kind_and_name() {
    let names: Vec<String> = EXPORTS
        .iter()
        .map(|export| export.descriptor().name.clone())
        .collect();
    let expected = [
        "echo", "teller", "words", "lengths", "numbers", "longest", "whole", "parrot",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_search_asks_the_host_and_brings_hits_and_notes_back() {
    let context = context();
    let hits = search("vacuum", &context).unwrap();
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].entry_id, "vacuum");
    assert!(hits[0].kind.contains("ann"), "{}", hits[0].kind);
    assert_eq!(hits[0].explain, Some(json!({ "tenant": "plant" })));
    assert_eq!(context.diagnostics.take()[0].message, "asked");
}

#[test]
fn a_panic_on_either_side_is_an_error_with_text_and_place() {
    let context = context();
    let error = search("panic", &context).unwrap_err().to_string();
    assert!(error.starts_with("panicked: as told, at "), "{error}");
    assert_eq!(context.diagnostics.take().len(), 1);
    let error = search("host panics", &context).unwrap_err().to_string();
    assert!(
        error.starts_with("panicked: the host: in the host, at "),
        "{error}"
    );
}

#[test]
fn errors_keep_their_kind_and_parts() {
    let error = search("error", &context()).unwrap_err();
    assert_eq!(error, Error::not_found("valve", "V3"));
}

#[test]
fn a_constructor_may_refuse_and_may_panic() {
    let setup = |instance: &str| Setup::default().with_instance(instance);
    let refused = construct("echo", &setup("refused")).err().unwrap();
    assert_eq!(refused, Error::configuration("echo.x", "is not to be"));
    let panicked = construct("echo", &setup("panics")).err().unwrap();
    assert!(panicked.to_string().contains("in the constructor, at "));
}

#[test]
fn a_call_can_be_dropped_while_it_waits() {
    let Plugin::SearchModule(module) = made("echo") else {
        panic!("echo is a search module");
    };
    let context = context();
    let waiting = module.search(SearchRequest::new("wait", 1), &context);
    assert!(waiting.now_or_never().is_none());
    assert!(search("after", &context).is_ok());
}

#[test]
fn a_pipeline_streams_completions_and_events() {
    let Plugin::Pipeline(pipeline) = made("teller") else {
        panic!("teller is a pipeline");
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let events = Events::to(move |event: Event| listener.lock().unwrap().push(event));
    let context = context().with_events(events);
    let answer = block_on(pipeline.run(PipelineRequest::new("why", 3), &context)).unwrap();
    assert_eq!(
        answer.answer.as_deref(),
        Some("Token(\"a\");End(\"stop\");")
    );
    assert_eq!(
        answer.plan,
        Some(json!({ "modules": ["one"], "query": "why" }))
    );
    assert_eq!(answer.citations, ["E1"]);
    assert!(answer.degraded);
    assert_eq!(*heard.lock().unwrap(), [Event::End, Event::End]);
}

fn read(source: &str) -> Vec<Result<Record, Error>> {
    let Plugin::Adapter(adapter) = made("words") else {
        panic!("words is an adapter");
    };
    let request = FetchRequest::default().with_source(source.to_owned());
    let stream = block_on(adapter.fetch(request, &context())).unwrap();
    assert_eq!(stream.total, Some(source.split(' ').count() as u64));
    block_on(stream.records.collect())
}

#[test]
fn records_come_in_order_over_many_batches() {
    let words: Vec<String> = (0..200).map(|number| format!("w{number}")).collect();
    let records = read(&words.join(" "));
    let ids: Vec<String> = records
        .into_iter()
        .map(|record| match record.unwrap() {
            Record::Entry(entry) => entry.entry_id,
            other => panic!("expected an entry, got {other:?}"),
        })
        .collect();
    assert_eq!(ids, words);
}

#[test]
fn a_stream_ends_with_the_error_or_panic_that_ended_the_plugins() {
    let records = read("a bad broken b");
    assert_eq!(records.len(), 3);
    assert!(matches!(&records[1], Ok(Record::Rejected(rejected)) if rejected.reason == "bad"));
    assert_eq!(records[2], Err(Error::internal("the source broke")));
    let others = read("gone@E7 at@page-3");
    assert_eq!(others[0], Ok(Record::Deleted("E7".to_owned())));
    assert_eq!(others[1], Ok(Record::Cursor("page-3".to_owned())));
    let records = read("a b panic c");
    assert_eq!(records.len(), 3);
    assert!(matches!(&records[2], Err(Error::Panicked { .. })));
}

#[test]
fn a_stream_says_since_when_it_is_complete() {
    let Plugin::Adapter(adapter) = made("words") else {
        panic!("words is an adapter");
    };
    let instant: jiff::Timestamp = "2024-01-05T08:30:00.000000001Z".parse().unwrap();
    for since in [None, Some(instant)] {
        let request = FetchRequest::default().with_since(since);
        let stream = block_on(adapter.fetch(request, &context())).unwrap();
        assert_eq!(stream.complete_since, since);
    }
}

#[test]
fn an_enhancer_gives_each_entry_its_own_outcome() {
    let Plugin::Enhancer(enhancer) = made("lengths") else {
        panic!("lengths is an enhancer");
    };
    let entry = |id: &str, text: &str| Entry::new(id, "x", jiff::Timestamp::UNIX_EPOCH, text);
    let batch = vec![entry("a", "four"), entry("b", "")];
    let enhanced = block_on(enhancer.enhance(batch, &context())).unwrap();
    let patch = enhanced[0].outcome.as_ref().unwrap();
    assert_eq!(patch.summary.as_deref(), Some("4"));
    assert_eq!(enhanced[1].outcome, Err("empty".to_owned()));
}

#[test]
fn an_adapter_says_that_it_writes_and_takes_an_entry() {
    let words = EXPORTS
        .iter()
        .find(|export| export.descriptor().name == "words")
        .unwrap();
    let writing = words.describe(&json!({})).unwrap().writing;
    let wanted = Writing::new("words").with_needs_credentials(true);
    assert_eq!(writing, Some(wanted));

    let Plugin::Adapter(adapter) = made("words") else {
        panic!("words is an adapter");
    };
    let entry = Entry::new("L1", "here", jiff::Timestamp::UNIX_EPOCH, "RF trip");
    let context = context();
    let request = PublishRequest::new(entry);
    let refused = block_on(adapter.publish(request.clone(), &context)).unwrap_err();
    let message = "log in".to_owned();
    assert_eq!(refused, Error::Credentials { message });
    let request = request.with_credentials(Credentials::new("lee", "s3cret"));
    let published = block_on(adapter.publish(request, &context)).unwrap();
    assert_eq!(published, Published::new("lee: RF trip"));
    assert_eq!(context.diagnostics.take()[0].message, "written");
}
