//! The adapter against recorded cases, where they are at hand: a folder
//! `shared/cases` beside the repository. Without it the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_jlab_logbook::JlabLogbook;
use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Error, FetchRequest};
use gannet_plugin::testing::FakeHost;
use gannet_test_adapters::{
    assert_attachments, assert_converted, cases, fetch, fetch_text, fixture, request,
};
use serde_json::{Value, json};

#[test]
fn entries_are_converted_as_recorded() {
    for case in cases("adapter_convert", "JLab Logbook") {
        let text = json!([case["input"]["entry"]]).to_string();
        let fetched = fetch_text::<JlabLogbook>(text, json!({}), FetchRequest::default()).unwrap();
        if let Some(date) = case["input"]["entry"]["created"].as_str() {
            // 1970 in ARIEL; a time in the place of the object is read here.
            assert!(fetched.entries[0].timestamp.to_string().starts_with(date));
            continue;
        }
        assert_converted(&fetched, &case);
    }
}

#[test]
fn lists_are_found_and_selected_from_as_recorded() {
    for case in cases("adapter_fetch", "JLab Logbook") {
        let input = &case["input"];
        let text = match input["fixture"].as_str() {
            Some(name) => fixture(name),
            None => input["payload"].to_string(),
        };
        let settings = match input["attrs"]["books_filter"].clone() {
            Value::Null => json!({}),
            books => json!({"books": books}),
        };
        let fetched = match fetch_text::<JlabLogbook>(text, settings, request(&input["args"])) {
            Ok(fetched) => fetched,
            // Not an empty list, but an error that says what is missing.
            Err(Error::InvalidInput { message }) if case["expected"] == json!([]) => {
                assert!(message.contains("`data.entries` or `entries`"), "{message}");
                continue;
            }
            Err(error) => panic!("{case}: {error}"),
        };
        // Records without a time are rejected here.
        let rejected = fetched
            .rejected
            .iter()
            .filter_map(|rejected| rejected.entry_id.as_deref());
        let ids: Vec<&str> = fetched.ids().into_iter().chain(rejected).collect();
        assert_eq!(json!(ids), case["expected"], "{case}");
    }
}

#[test]
fn attachments_are_read_as_recorded() {
    for case in cases("jlab_attachments", "JLab Logbook") {
        let entry = json!({
            "id": 1, "title": "x", "created": {"timestamp": 0}, "attachments": case["input"],
        });
        let fetched = fetch_text::<JlabLogbook>(
            json!([entry]).to_string(),
            json!({}),
            FetchRequest::default(),
        );
        assert_attachments(&fetched.unwrap().entries[0].attachments, &case["expected"]);
    }
}

#[test]
fn an_address_is_asked_once_for_the_whole_list() {
    let host = FakeHost::default().on_http(|request| {
        assert_eq!(request.url, "https://log.lab.example/api/entries");
        let body = json!({"data": {"entries": [
            {"lognumber": 1, "created": {"timestamp": "10"}, "title": "A"},
            {"lognumber": 2, "created": {"timestamp": "20"}, "title": "B"},
        ]}});
        Ok(HttpResponse::new(200, body.to_string()))
    });
    let settings = json!({"source_url": "https://log.lab.example/api/entries"});
    let since = FetchRequest::default().with_since(jiff::Timestamp::from_second(10).unwrap());

    let fetched = fetch::<JlabLogbook>(&host, settings, since).unwrap();
    assert_eq!((fetched.ids(), fetched.total), (vec!["2"], Some(2)));
    assert_eq!(host.calls().http.len(), 1);
}

#[test]
fn a_page_or_a_refusal_in_the_place_of_the_list_is_an_error() {
    let settings = json!({"source_url": "https://log.lab.example/api/entries"});
    let error = |status, body: &'static str| {
        let host = FakeHost::default().on_http(move |_| Ok(HttpResponse::new(status, body)));
        let fetched = fetch::<JlabLogbook>(&host, settings.clone(), FetchRequest::default());
        fetched.unwrap_err().to_string()
    };
    let page = error(200, "<html>Log in</html>");
    assert!(
        page.contains("log.lab.example/api/entries` is neither a JSON array"),
        "{page}"
    );
    assert!(error(403, "no").contains("status 403"));
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
