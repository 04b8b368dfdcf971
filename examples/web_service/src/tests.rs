#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Entry, Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::testing::{self, FakeHost};
use pollster::block_on;
use serde_json::json;

use crate::WebService;

fn entry(id: &str, author: &str) -> Entry {
    let mut entry = Entry::new(id, "log", "2024-01-05T08:30:00Z".parse().unwrap(), "RF");
    entry.author = author.to_owned();
    entry
}

fn ask(host: &FakeHost, request: SearchRequest) -> Result<Vec<Hit>> {
    let settings = testing::settings(json!({"url": "http://service.example/s"})).unwrap();
    let module = WebService::new(settings, &Setup::default()).unwrap();
    block_on(module.search(request, &host.context()))
}

fn host_answering(status: u16, body: &'static str) -> FakeHost {
    let entries = [entry("E1", "Lee"), entry("E2", "Ito"), entry("E3", "Lee")];
    let host = FakeHost::default().with_entries(entries);
    host.on_http(move |_| Ok(HttpResponse::new(status, body)))
}

const FOUND: &str = r#"[{"id": "E3", "score": 0.9}, {"id": "E2", "score": 0.6},
    {"id": "gone", "score": 0.5}, {"id": "E1", "score": 0.1}]"#;

fn ids(hits: Result<Vec<Hit>>) -> Vec<String> {
    hits.unwrap().into_iter().map(|hit| hit.entry_id).collect()
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn the_service_is_asked_and_its_order_kept() {
    let host = host_answering(200, FOUND);
    let found = ids(ask(&host, SearchRequest::new("rf & trip", 10)));
    assert_eq!(found, ["E3", "E2", "E1"]);
    let asked = &host.calls().http[0];
    assert_eq!(asked.url, "http://service.example/s");
    assert_eq!(asked.query[0], ("q".to_owned(), "rf & trip".to_owned()));
}

#[test]
fn the_filter_the_limit_and_the_least_score_hold() {
    let host = host_answering(200, FOUND);
    let lee = Condition::Contains("Lee".to_owned());
    let mut request = SearchRequest::new("rf", 1);
    request.filter = Filter::none().and(FilterField::Author, lee);
    assert_eq!(ids(ask(&host, request)), ["E3"]);

    let mut request = SearchRequest::new("rf", 10);
    request.params.insert("least_score".to_owned(), json!(0.5));
    assert_eq!(ids(ask(&host, request)), ["E3", "E2"]);
}

#[test]
fn a_service_that_fails_or_answers_nonsense_is_named() {
    for (status, body) in [(503, "busy"), (404, ""), (200, "<html>"), (200, "{}")] {
        let failed = ask(&host_answering(status, body), SearchRequest::new("rf", 10));
        assert!(
            matches!(failed, Err(Error::Provider { .. })),
            "{status} {body}"
        );
    }
}
