#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::filter::{Condition, Filter, FilterField, NumberRange, TimeRange};
use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::testing::{self, FakeHost};
use pollster::block_on;
use serde_json::{Value, json};

use crate::{GannetRemote, filters};

fn ask(host: &FakeHost, request: SearchRequest) -> Result<Vec<Hit>> {
    let settings = json!({ "url": "http://north.example/" });
    let setup = Setup::default().with_instance("north");
    let module = GannetRemote::new(testing::settings(settings).unwrap(), &setup).unwrap();
    block_on(module.search(request, &host.context()))
}

fn answering(status: u16, body: &'static str) -> FakeHost {
    FakeHost::default().on_http(move |_| Ok(HttpResponse::new(status, body)))
}

fn body_of(host: &FakeHost) -> Value {
    serde_json::from_slice(&host.calls().http[0].body).unwrap()
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn the_search_of_the_other_gannet_is_asked_without_an_answer() {
    let host = answering(200, r#"{"entries": []}"#);
    ask(&host, SearchRequest::new("why did it trip?", 500)).unwrap();
    let asked = &host.calls().http[0];
    assert_eq!(asked.url, "http://north.example/api/search");
    let expected = json!({
        "query": "why did it trip?", "mode": "rag", "max_results": 100, "filters": {},
        "advanced_params": { "answer": "none" },
    });
    assert_eq!(body_of(&host), expected);
}

#[test]
fn a_question_of_another_gannet_is_not_passed_on_unless_the_settings_say_so() {
    for (max_hops, came_over, is_asked) in
        [(1, 0, true), (1, 1, false), (3, 2, true), (3, 3, false)]
    {
        let host = answering(200, r#"{"entries": []}"#);
        let setup = Setup::default().with_instance("north");
        let settings = json!({ "url": "http://north.example/", "max_hops": max_hops });
        let module = GannetRemote::new(testing::settings(settings).unwrap(), &setup).unwrap();
        let mut context = host.context();
        context.call.hops = came_over;
        let hits = block_on(module.search(SearchRequest::new("trip", 10), &context)).unwrap();
        assert_eq!(hits, []);
        let asked = host.calls().http;
        assert_eq!(asked.len(), usize::from(is_asked));
        if let Some(asked) = asked.first() {
            let hops = ("gannet-hops".to_owned(), (came_over + 1).to_string());
            assert!(asked.headers.contains(&hops), "{:?}", asked.headers);
        }
        let notes = context.diagnostics.take();
        assert_eq!(notes.is_empty(), is_asked, "{notes:?}");
    }
}

#[test]
fn a_gannet_that_did_not_ask_its_own_is_named() {
    let body = r#"{"entries": [], "diagnostics": [
        {"level": "info", "source": "south", "message": "…", "category": "not_passed_on"}]}"#;
    let setup = Setup::default().with_instance("north");
    let settings = testing::settings(json!({ "url": "http://north.example" })).unwrap();
    let module = GannetRemote::new(settings, &setup).unwrap();
    let host = answering(200, body);
    let context = host.context();
    block_on(module.search(SearchRequest::new("trip", 10), &context)).unwrap();
    let notes = context.diagnostics.take();
    let expected = "north answered without the Gannets that it asks itself";
    assert_eq!(notes[0].message, expected);
}

#[test]
fn a_filter_is_said_as_the_interface_takes_it() {
    let filter =
        |name: &str, condition| Filter::none().and(FilterField::from_name(name), condition);
    let equals = |text: &str| Condition::Equals(text.to_owned());
    let any =
        |texts: &[&str]| Condition::AnyOf(texts.iter().map(|&text| text.to_owned()).collect());
    let bound = NumberRange {
        at_most: Some(3.5),
        ..NumberRange::default()
    };
    let since = TimeRange {
        from: "2024-01-05T08:30:00Z".parse().ok(),
        until: None,
    };
    for (filter, expected) in [
        (
            filter("author", Condition::Contains("lee".to_owned())),
            json!({"author": "lee"}),
        ),
        (
            filter("logbook", any(&["a", "b"])),
            json!({"logbook": "a|b"}),
        ),
        (
            filter("severity", Condition::Number(bound)),
            json!({"meta.severity": "<=3.5"}),
        ),
        (
            filter("date", Condition::Time(since)),
            json!({"start_date": "2024-01-05T08:30:00Z"}),
        ),
        (filter("id", any(&["north:7", "8"])), json!({"id": "7"})),
        // What cannot be said there is left to this side.
        (filter("tag", equals("a|b")), json!({})),
        (
            filter("tag", Condition::Contains("a".to_owned())),
            json!({}),
        ),
    ] {
        let said = filters::of(&filter, "north:").map(Value::from);
        assert_eq!(said, Some(expected), "{filter:?}");
    }
    assert_eq!(filters::of(&filter("id", equals("8")), "north:"), None);
}

#[test]
fn what_comes_back_is_checked_by_the_whole_filter() {
    let entry = |id: &str, tags: &str| {
        format!(
            r#"{{"entry_id": "{id}", "source_system": "s", "timestamp": "2024-01-05T08:30:00Z",
            "raw_text": "Trip", "kind": "logbook", "metadata": {{"tags": {tags}}},
            "score": 0.5, "score_kind": "convex"}}"#
        )
    };
    let entries = [entry("1", r#"["rf"]"#), entry("2", r#"["vacuum"]"#)].join(",");
    let body: &'static str = format!(r#"{{"entries": [{entries}]}}"#).leak();
    let tags = FilterField::from_name("tag");
    let filter = Filter::none().and(tags, Condition::Contains("vac".to_owned()));
    let request = SearchRequest::new("trip", 10).with_filter(filter);
    let hits = ask(&answering(200, body), request).unwrap();
    let ids: Vec<&str> = hits.iter().map(|hit| hit.entry_id.as_str()).collect();
    assert_eq!(ids, ["north:2"]);
}

#[test]
fn a_partial_answer_has_a_note() {
    let host = answering(200, r#"{"entries": [], "degraded": true}"#);
    let setup = Setup::default().with_instance("north");
    let settings = testing::settings(json!({ "url": "http://north.example" })).unwrap();
    let module = GannetRemote::new(settings, &setup).unwrap();
    let context = host.context();
    block_on(module.search(SearchRequest::new("trip", 10), &context)).unwrap();
    let notes = context.diagnostics.take();
    assert_eq!(notes[0].message, "north answered in part");
}

#[test]
fn a_gannet_that_fails_or_is_none_is_named() {
    let problem = r#"{"type": "about:blank", "status": 503, "code": "overloaded"}"#;
    for (status, body) in [
        (503, problem),
        (401, "{}"),
        (404, ""),
        (200, "<html>"),
        (200, "{}"),
    ] {
        let failed = ask(&answering(status, body), SearchRequest::new("trip", 10));
        assert!(
            matches!(failed, Err(Error::Provider { .. })),
            "{status} {body}"
        );
    }
}
