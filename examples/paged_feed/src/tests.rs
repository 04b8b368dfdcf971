#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Adapter, Error, FetchRequest, Result, Setup};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use pollster::block_on;
use serde_json::{Value, json};

use crate::PagedFeed;

/// A service of three pages: the second fails when it is told to.
fn service(second_fails: bool) -> FakeHost {
    FakeHost::default().on_http(move |request| {
        let (_, after) = &request.query[0];
        Ok(match after.as_str() {
            "" => answer(&json!({"entries": [item("1", 1), item("2", 2)], "next": "two"})),
            "two" if second_fails => HttpResponse::new(503, "busy"),
            "two" => answer(&json!({"entries": [item("3", 3)], "deleted": ["1"],
                "next": "end"})),
            _ => answer(&json!({"entries": []})),
        })
    })
}

fn item(id: &str, minute: u8) -> Value {
    json!({"id": id, "time": format!("2024-01-05T08:0{minute}:00Z"), "author": "Lee",
        "text": "RF trip"})
}

fn answer(page: &Value) -> HttpResponse {
    HttpResponse::new(200, page.to_string())
}

fn fetch(host: &FakeHost, request: FetchRequest) -> Result<Fetched> {
    let settings = testing::settings(json!({"url": "http://feed.example/entries"})).unwrap();
    let feed = PagedFeed::new(settings, &Setup::default()).unwrap();
    let context = host.context();
    block_on(async { Fetched::collect(feed.fetch(request, &context).await?).await })
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn all_pages_are_read_and_the_last_cursor_is_where_they_end() {
    let fetched = fetch(&service(false), FetchRequest::default()).unwrap();
    assert_eq!(fetched.ids(), ["1", "2", "3"]);
    assert_eq!(fetched.deleted, ["1"]);
    assert_eq!(fetched.cursor.as_deref(), Some("end"));
    assert_eq!(fetched.entries[0].author, "Lee");
}

#[test]
fn a_run_begins_at_its_cursor() {
    let request = FetchRequest::default().with_cursor("two".to_owned());
    let host = service(false);
    assert_eq!(fetch(&host, request).unwrap().ids(), ["3"]);
    let asked = &host.calls().http[0];
    assert_eq!(asked.query, [("after".to_owned(), "two".to_owned())]);
}

#[test]
fn a_service_that_fails_ends_the_run_with_its_error() {
    let failed = fetch(&service(true), FetchRequest::default());
    assert!(matches!(
        failed,
        Err(Error::Provider {
            retryable: true,
            ..
        })
    ));
}
