//! The adapter against a server that answers badly, and one that answers well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Mutex;
use std::time::Duration;

use gannet_als_logbook::{AlsLogbook, Settings};
use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Adapter, Entry, Error, FetchRequest, Result};
use gannet_plugin::publish::{Credentials, PublishRequest, Published};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use gannet_test_adapters::{cases, fetch, fetch_text, publish};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

const URL: &str = "https://log.lab.example/rpc/elog.php";

/// Windows of a day.
fn settings() -> serde_json::Value {
    json!({"source_url": URL, "chunk_days": 1, "retry_delay_seconds": 0.0})
}

fn days(count: i64) -> FetchRequest {
    let day = SignedDuration::from_hours(24);
    FetchRequest::default()
        .with_since(Timestamp::UNIX_EPOCH)
        .with_until(Timestamp::UNIX_EPOCH + day * i32::try_from(count).unwrap())
}

/// A host whose server answers these, one after another.
fn answering(answers: Vec<Result<HttpResponse>>) -> FakeHost {
    let answers = Mutex::new(answers.into_iter());
    FakeHost::default().on_http(move |request| {
        assert_eq!(request.url, URL);
        assert_eq!(request.timeout, Some(Duration::from_secs(60)));
        answers.lock().unwrap().next().expect("a further request")
    })
}

fn ok(body: &str) -> Result<HttpResponse> {
    Ok(HttpResponse::new(200, body))
}

fn entries(ids: &[(u32, u32)]) -> Result<HttpResponse> {
    let entries = ids
        .iter()
        .map(|(id, hour)| json!({"id": id.to_string(), "timestamp": hour * 3600, "subject": "x"}));
    ok(&json!(entries.collect::<Vec<_>>()).to_string())
}

fn cut() -> Result<HttpResponse> {
    Err(Error::Provider {
        provider: "log.lab.example".to_owned(),
        message: "no answer: connection closed before message completed".to_owned(),
        retryable: true,
    })
}

fn read(host: &FakeHost, days_wanted: i64) -> Result<Fetched> {
    fetch::<AlsLogbook>(host, settings(), days(days_wanted))
}

#[test]
fn spans_are_asked_for_in_order_and_entries_on_borders_come_once() {
    let host = answering(vec![
        entries(&[(1, 1), (2, 24)]),
        entries(&[(2, 24), (3, 30)]),
        entries(&[(4, 60)]),
    ]);
    assert_eq!(read(&host, 3).unwrap().ids(), ["1", "2", "3", "4"]);
    let spans: Vec<String> = host
        .calls()
        .http
        .iter()
        .map(|request| format!("{} {}", request.query[1].1, request.query[2].1))
        .collect();
    assert_eq!(spans, ["0 86400", "86400 172800", "172800 259200"]);
}

#[test]
fn a_limit_ends_the_requests() {
    let host = answering(vec![entries(&[(1, 1), (2, 2), (3, 3)])]);
    let request = days(30).with_limit(2);
    assert_eq!(
        fetch::<AlsLogbook>(&host, settings(), request)
            .unwrap()
            .ids(),
        ["1", "2"]
    );
    assert_eq!(host.calls().http.len(), 1);
}

#[test]
fn entries_of_the_very_end_of_the_request_are_left_out() {
    let host = answering(vec![entries(&[(1, 23), (2, 24)])]);
    assert_eq!(read(&host, 1).unwrap().ids(), ["1"]);

    let lines = [23 * 3600, 24 * 3600]
        .map(|second| json!({"id": second, "timestamp": second, "subject": "x"}).to_string());
    let fetched = fetch_text::<AlsLogbook>(lines.join("\n"), json!({}), days(1));
    assert_eq!(fetched.unwrap().ids(), ["82800"]);
}

#[test]
fn a_server_that_fails_or_is_cut_off_is_asked_again() {
    let busy = || Ok(HttpResponse::new(503, "busy"));
    let host = answering(vec![
        cut(),
        busy(),
        Ok(HttpResponse::new(429, "")),
        entries(&[(1, 1)]),
    ]);
    assert_eq!(read(&host, 1).unwrap().ids(), ["1"]);

    let host = answering(vec![busy(), busy(), busy(), busy()]);
    let error = read(&host, 1).unwrap_err();
    assert!(error.is_retryable());
    let message = error.to_string();
    assert!(message.contains("status 503: busy"), "{message}");
    assert!(
        message.contains("1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z"),
        "{message}"
    );
}

#[test]
fn a_refusal_ends_the_run_at_once_and_keeps_what_was_read() {
    let host = answering(vec![entries(&[(1, 1)]), Ok(HttpResponse::new(404, "gone"))]);
    let adapter_error = read(&host, 3).unwrap_err();
    assert!(!adapter_error.is_retryable());
    assert!(adapter_error.to_string().contains("status 404: gone"));
    assert_eq!(host.calls().http.len(), 2);
}

#[test]
fn an_answer_that_is_no_list_is_an_error_that_names_its_span() {
    for (body, reason) in [
        ("<!DOCTYPE html><title>Log in</title>", "a page of HTML"),
        ("{\"error\": \"x\"}", "not a JSON array"),
        ("[{\"id\": \"1\", \"timesta", "not a JSON array"),
        ("", "nothing"),
        (" \n", "nothing"),
    ] {
        let host = answering(vec![entries(&[(1, 1)]), ok(body)]);
        let error = read(&host, 3).unwrap_err();
        assert!(matches!(error, Error::Provider { .. }), "{error:?}");
        let message = error.to_string();
        let reason = format!("the service answered {reason}");
        assert!(message.contains(&reason), "{message}");
        assert!(message.contains("asked for 1970-01-02T00"), "{message}");
        assert_eq!(host.calls().http.len(), 2);
    }
}

#[test]
fn an_entry_outside_of_its_span_ends_the_run() {
    let host = answering(vec![entries(&[(1, 1)]), entries(&[(2, 30), (3, 60)])]);
    let message = read(&host, 3).unwrap_err().to_string();
    assert!(
        message.contains("an entry of 1970-01-03T12:00:00Z came"),
        "{message}"
    );
    assert_eq!(host.calls().http.len(), 2);
}

#[test]
fn an_empty_list_is_a_span_without_entries_and_bad_entries_are_rejected() {
    let host = answering(vec![
        ok("[]"),
        ok("[7, {\"id\": \"5\", \"timestamp\": \"soon\", \"subject\": \"x\"}]"),
        entries(&[(9, 49)]),
    ]);
    let fetched = read(&host, 3).unwrap();

    assert_eq!(fetched.ids(), ["9"]);
    let rejected: Vec<String> = fetched
        .rejected
        .iter()
        .map(|rejected| format!("{}: {}", &rejected.position[..10], rejected.reason))
        .collect();
    let expected = [
        "1970-01-02: not a JSON object",
        "1970-01-02: `timestamp` \"soon\" is not a valid",
    ];
    assert_eq!(rejected.len(), expected.len(), "{rejected:?}");
    for (own, start) in rejected.iter().zip(expected) {
        assert!(own.starts_with(start), "{own}");
    }
    assert!(fetched.rejected[1].position.ends_with(", entry 2"));
}

#[test]
fn without_times_it_is_asked_from_the_configured_start_until_now() {
    let host = FakeHost::default().on_http(|_| Ok(HttpResponse::new(200, "[]")));
    let mut settings = settings();
    let start = Timestamp::now() - SignedDuration::from_hours(36);
    settings["start"] = start.to_string().into();
    fetch::<AlsLogbook>(&host, settings, FetchRequest::default()).unwrap();
    let asked = host.calls().http;
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].query[1].1, start.as_second().to_string());
}

#[test]
fn an_entry_keeps_its_own_metadata_over_what_other_keys_say() {
    let read = |metadata: serde_json::Value| {
        let entry = json!({
            "id": "7", "timestamp": 0, "subject": "x", "level": "Info", "metadata": metadata,
        });
        fetch_text::<AlsLogbook>(entry.to_string(), json!({}), FetchRequest::default()).unwrap()
    };
    let fetched = read(json!({"level": "Problem", "shift": "Owl"}));
    let expected = json!({"title": "x", "subject": "x", "level": "Problem", "shift": "Owl"});
    assert_eq!(json!(fetched.entries[0].metadata), expected);
    let rejected = read(json!("Owl")).rejected;
    assert!(rejected[0].reason.contains("`metadata`"), "{rejected:?}");
}

#[test]
fn a_start_that_is_not_valid_is_refused() {
    let host = FakeHost::default();
    let refused = fetch::<AlsLogbook>(&host, json!({"start": "long ago"}), FetchRequest::default());
    assert!(matches!(refused, Err(Error::Setting { name, .. }) if name == "start"));
}

#[test]
fn a_line_that_is_too_long_is_rejected() {
    let text = format!("{{\"id\": 1, \"subject\": \"{}\"}}\n", "x".repeat(500));
    let fetched = fetch_text::<AlsLogbook>(
        text,
        json!({"max_line_bytes": 100}),
        FetchRequest::default(),
    );
    assert!(
        fetched.unwrap().rejected[0]
            .reason
            .contains("`max_line_bytes`")
    );
}

/// What becomes of an entry that is written with this answer, and the requests.
fn write(
    answer: Result<HttpResponse>,
    credentials: Option<Credentials>,
) -> (Result<Published>, Vec<HttpRequest>) {
    let host = FakeHost::default().on_http(move |_| answer.clone());
    let mut settings = settings();
    settings["write"] = json!({"url": "https://log.lab.example/write", "logbook": "Operations"});
    let entry = Entry::new("L", "Gannet", Timestamp::UNIX_EPOCH, "RF trip\n\nReset.");
    let request = PublishRequest::new(entry).with_credentials(credentials);
    let outcome = publish::<AlsLogbook>(&host, settings, request);
    (outcome, host.calls().http)
}

fn lee() -> Option<Credentials> {
    Some(Credentials::new("lee", "s3cret"))
}

#[test]
fn an_entry_is_written_once_and_has_the_id_of_the_answer() {
    let (published, requests) = write(ok("<root><id>4711</id></root>"), lee());
    assert_eq!(published.unwrap(), Published::new("4711"));
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!(request.method, "POST");
    assert_eq!(request.url, "https://log.lab.example/write");
    let body = String::from_utf8(request.body.clone()).unwrap();
    assert!(body.starts_with("<root><author>lee</author><password>s3cret</password>"));
    assert!(body.contains("<subject>RF trip</subject><details>Reset.</details>"));
    assert!(body.contains("<logbook>Operations</logbook>"));
}

#[test]
fn nothing_is_sent_without_credentials_and_a_refusal_is_told_as_one() {
    let (refused, requests) = write(ok("<id>1</id>"), None);
    assert!(matches!(refused, Err(Error::Credentials { .. })));
    assert!(requests.is_empty());
    let (refused, _) = write(Ok(HttpResponse::new(401, "no")), lee());
    assert!(matches!(refused, Err(Error::Credentials { .. })));
}

#[test]
fn an_answer_that_leaves_it_open_is_not_asked_for_again() {
    for answer in [
        cut(),
        Ok(HttpResponse::new(500, "")),
        ok("<!DOCTYPE html><html id=\"x\"><title>Log in</title></html>"),
        ok(""),
        ok("<root><id>47"),
    ] {
        let (outcome, requests) = write(answer, lee());
        let error = outcome.unwrap_err();
        let is_open = matches!(
            error,
            Error::Provider {
                retryable: false,
                ..
            }
        );
        assert!(is_open, "{error:?}");
        assert_eq!(requests.len(), 1);
        assert!(!error.to_string().contains("s3cret"));
    }
    let (busy, _) = write(Ok(HttpResponse::new(503, "")), lee());
    assert!(busy.unwrap_err().is_retryable());
    let (invalid, _) = write(Ok(HttpResponse::new(400, "no subject")), lee());
    assert!(
        matches!(invalid, Err(Error::InvalidInput { message }) if message.contains("no subject"))
    );
}

#[test]
fn it_says_that_it_writes_only_with_an_address() {
    for case in cases("adapter_caps", "als_logbook") {
        let input = &case["input"];
        let url = input["write"]["write_url"].as_str();
        let settings: Settings = testing::settings(json!({"write": {"url": url}})).unwrap();
        let writing = AlsLogbook::describe(&settings).writing;
        assert_eq!(
            writing.is_some(),
            case["expected"]["supports_write"] == true,
            "{case}"
        );
        if let Some(writing) = writing {
            assert_eq!(
                writing.needs_credentials,
                case["expected"]["requires_write_auth"] == true
            );
            assert_eq!(
                writing.source_system,
                case["expected"]["source_system_name"]
            );
        }
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
