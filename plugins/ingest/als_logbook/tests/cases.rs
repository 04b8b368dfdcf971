//! The adapter against recorded cases, where they are at hand: a folder
//! `shared/cases` beside the repository. Without it the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_als_logbook::AlsLogbook;
use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::FetchRequest;
use gannet_plugin::testing::FakeHost;
use gannet_test_adapters::{
    assert_attachments, assert_converted, cases, fetch, fetch_text, fixture, instant, request,
};
use jiff::SignedDuration;
use serde_json::{Value, json};

#[test]
fn entries_are_converted_as_recorded() {
    for case in cases("adapter_convert", "ALS eLog") {
        let text = case["input"]["entry"].to_string();
        let fetched = fetch_text::<AlsLogbook>(text, json!({}), FetchRequest::default()).unwrap();
        assert_converted(&fetched, &case);
    }
}

#[test]
fn files_are_fetched_as_recorded() {
    for case in cases("adapter_fetch", "ALS eLog") {
        let input = &case["input"];
        let text = match input["fixture"].as_str() {
            Some(name) => fixture(name),
            None => input["payload"].as_str().unwrap().to_owned(),
        };
        let fetched = fetch_text::<AlsLogbook>(text, json!({}), request(&input["args"])).unwrap();
        assert_eq!(json!(fetched.ids()), case["expected"], "{case}");
    }
}

#[test]
fn categories_and_attachments_are_read_as_recorded() {
    let read = |fields: Value, settings| {
        let mut entry = json!({"id": 1, "timestamp": 0, "subject": "x"});
        for (key, value) in fields.as_object().unwrap() {
            entry[key] = value.clone();
        }
        let fetched =
            fetch_text::<AlsLogbook>(entry.to_string(), settings, FetchRequest::default());
        fetched.unwrap().entries.remove(0)
    };
    for case in cases("als_categories", "") {
        let entry = read(json!({"category": case["input"]}), json!({}));
        let categories = entry
            .metadata
            .get("categories")
            .cloned()
            .unwrap_or(json!([]));
        assert_eq!(categories, case["expected"], "{case}");
    }
    for case in cases("als_attachments", "") {
        let settings = json!({"attachment_url": case["input"]["prefix"]});
        let entry = read(
            json!({"attachments": case["input"]["attachments"]}),
            settings,
        );
        assert_attachments(&entry.attachments, &case["expected"]);
    }
}

#[test]
fn windows_of_time_are_cut_as_recorded() {
    for case in cases("time_windows", "") {
        let input = &case["input"];
        let days = i32::try_from(input["chunk_days"].as_i64().unwrap()).unwrap();
        let width = SignedDuration::from_hours(24) * days;
        let windows =
            gannet_sources::time_windows(instant(&input["start"]), instant(&input["end"]), width);
        let windows: Vec<[jiff::Timestamp; 2]> = windows.map(|one| [one.start, one.end]).collect();
        let expected = case["expected"].as_array().unwrap().iter();
        let expected: Vec<[jiff::Timestamp; 2]> = expected
            .map(|pair| [instant(&pair[0]), instant(&pair[1])])
            .collect();
        assert_eq!(windows, expected, "{case}");
    }
}

#[test]
fn the_service_is_asked_as_recorded() {
    for case in cases("als_http_params", "") {
        let host = FakeHost::default().on_http(|_| Ok(HttpResponse::new(200, "[]")));
        let settings = json!({"source_url": "https://log.lab.example/elog.php", "chunk_days": 31});
        let request = FetchRequest::default()
            .with_since(instant(&case["input"]["start"]))
            .with_until(instant(&case["input"]["end"]));
        fetch::<AlsLogbook>(&host, settings, request).unwrap();
        let asked = host.calls().http[0].query.clone();
        let asked = asked
            .into_iter()
            .map(|(key, value)| (key, Value::from(value)));
        assert_eq!(Value::Object(asked.collect()), case["expected"], "{case}");
    }
}

#[test]
fn answers_that_are_no_list_give_no_entries_as_recorded() {
    for case in cases("als_window_body", "") {
        let body = case["input"].as_str().unwrap().to_owned();
        let host = FakeHost::default().on_http(move |_| Ok(HttpResponse::new(200, body.as_str())));
        let settings = json!({"source_url": "https://log.lab.example/elog.php"});
        let request = FetchRequest::default()
            .with_since(jiff::Timestamp::UNIX_EPOCH)
            .with_until(jiff::Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1));
        let fetched = fetch::<AlsLogbook>(&host, settings, request);
        let Some(record) = case["expected"].get(0) else {
            let error = fetched.unwrap_err().to_string();
            assert!(error.contains("the service answered"), "{case}: {error}");
            continue;
        };
        // A record of a list, which has no time.
        let fetched = fetched.unwrap();
        assert!(fetched.entries.is_empty(), "{case}");
        assert_eq!(fetched.rejected.len(), 1, "{case}");
        let rejected = &fetched.rejected[0];
        assert_eq!(
            rejected.entry_id.as_deref(),
            record["id"].as_str(),
            "{case}"
        );
    }
}
