//! The adapter against recorded cases, where they are at hand: a folder
//! `shared/cases` beside the repository. Without it the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_ornl_logbook::OrnlLogbook;
use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Error, FetchRequest};
use gannet_plugin::testing::FakeHost;
use gannet_test_adapters::{
    assert_attachments, assert_converted, cases, fetch, fetch_text, fixture, instant, request,
};
use serde_json::{Value, json};

#[test]
fn entries_are_converted_as_recorded() {
    for case in cases("adapter_convert", "ORNL Logbook") {
        let text = json!([case["input"]["entry"]]).to_string();
        let fetched = fetch_text::<OrnlLogbook>(text, json!({}), FetchRequest::default()).unwrap();
        assert_converted(&fetched, &case);
    }
}

#[test]
fn lists_are_found_and_selected_from_as_recorded() {
    for case in cases("adapter_fetch", "ORNL Logbook") {
        let input = &case["input"];
        let text = match input["fixture"].as_str() {
            Some(name) => fixture(name),
            None => input["payload"].to_string(),
        };
        let fetched = match fetch_text::<OrnlLogbook>(text, json!({}), request(&input["args"])) {
            Ok(fetched) => fetched,
            // Not an empty list, but an error that says what is missing.
            Err(Error::InvalidInput { message }) if case["expected"] == json!([]) => {
                assert!(message.contains("`entries`"), "{message}");
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
    for case in cases("ornl_attachments", "ORNL Logbook") {
        let mut entry = json!({"ID": 1, "title": "x", "entry_time": 0});
        for (key, value) in case["input"].as_object().unwrap() {
            entry[key] = value.clone();
        }
        let fetched = fetch_text::<OrnlLogbook>(
            json!([entry]).to_string(),
            json!({}),
            FetchRequest::default(),
        );
        assert_attachments(&fetched.unwrap().entries[0].attachments, &case["expected"]);
    }
}

#[test]
fn times_are_read_as_recorded() {
    for case in cases("parse_timestamp", "ornl_logbook") {
        let entry = json!({"ID": 1, "title": "x", "entry_time": case["input"]["value"]});
        let fetched = fetch_text::<OrnlLogbook>(
            json!([entry]).to_string(),
            json!({}),
            FetchRequest::default(),
        );
        let fetched = fetched.unwrap();
        match case["expected"].as_str() {
            Some(text) => assert_eq!(fetched.entries[0].timestamp, instant(&Value::from(text))),
            None => assert_eq!(fetched.rejected.len(), 1, "{case}"),
        }
    }
}

#[test]
fn an_address_is_asked_for_the_whole_list() {
    let host = FakeHost::default().on_http(|request| {
        assert_eq!(request.url, "https://log.lab.example/entries");
        Ok(HttpResponse::new(
            200,
            r#"[{"ID": 1, "entry_time": 7, "title": "x"}]"#,
        ))
    });
    let settings = json!({"source_url": "https://log.lab.example/entries"});
    let fetched = fetch::<OrnlLogbook>(&host, settings, FetchRequest::default()).unwrap();
    assert_eq!((fetched.ids(), fetched.total), (vec!["1"], Some(1)));
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
