//! The adapter against an Olog service that a script plays.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Mutex;

use gannet_olog::{Olog, Settings};
use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Adapter, Entry, Error, FetchRequest, Result, Setup};
use gannet_plugin::publish::{Credentials, PublishRequest, Published};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use jiff::Timestamp;
use serde_json::{Value, json};

const URL: &str = "https://olog.lab.example/Olog";

fn fetch(host: &FakeHost, mut settings: Value, request: FetchRequest) -> Result<Fetched> {
    settings["source_url"] = format!("{URL}/").into();
    settings["retry_delay_seconds"] = json!(0.0);
    let settings: Settings = testing::settings(settings)?;
    let setup = Setup::default().with_timezone("America/New_York");
    let adapter = Olog::new(settings, &setup)?;
    let context = host.context();
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}

fn hours(from: i64, until: i64) -> FetchRequest {
    let at = |hour: i64| Some(Timestamp::from_second(1_704_412_800 + hour * 3600).unwrap());
    FetchRequest::default()
        .with_since(at(from))
        .with_until(at(until))
}

fn log(id: usize, second: i64) -> Value {
    json!({"id": id, "title": "x", "createdDate": (1_704_412_800 + second) * 1000})
}

/// The entries of the span that a request asks for, of those in these seconds.
fn found(request: &HttpRequest, seconds: &[i64]) -> Vec<Value> {
    let time = |name: &str| {
        let local = value(request, name);
        let local: jiff::civil::DateTime = local.replace(' ', "T").parse().unwrap();
        let zoned = local.to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        zoned.timestamp().as_second() - 1_704_412_800
    };
    let (start, end) = (time("start"), time("end"));
    let numbered = seconds.iter().enumerate();
    let found = numbered.filter(|(_, second)| (start..=end).contains(*second));
    found.map(|(id, second)| log(id, *second)).collect()
}

/// A service with an entry in each of these seconds, as it answers searches.
fn service(seconds: Vec<i64>) -> FakeHost {
    FakeHost::default().on_http(move |request| {
        assert_eq!(request.url, format!("{URL}/logs/search"));
        let found = found(request, &seconds);
        let asked = |name: &str| -> usize { value(request, name).parse().unwrap() };
        let (from, size) = (asked("from"), asked("size"));
        let logs: Vec<&Value> = found.iter().skip(from).take(size).collect();
        Ok(HttpResponse::new(
            200,
            json!({"hitCount": found.len(), "logs": logs}).to_string(),
        ))
    })
}

fn value(request: &HttpRequest, name: &str) -> String {
    let found = request.query.iter().find(|(own, _)| own == name);
    found.map(|(_, value)| value.clone()).unwrap_or_default()
}

#[test]
fn an_entry_of_the_service_becomes_an_entry() {
    let host = FakeHost::default().on_http(|_| {
        let logs = json!([{
            "id": 7, "owner": "lee", "title": "RF trip", "description": "Reset.", "level": "Info",
            "state": "Inactive", "createdDate": 1_704_443_400_500_i64, "modifyDate": 1_704_443_401_000_i64,
            "logbooks": [{"name": "RF"}, {"name": "Operations"}], "tags": [{"name": "trip"}],
            "properties": [{"name": "Shift", "attributes": [
                {"name": "Lead", "value": "Chen"}, {"name": "Crew", "value": null}]}],
            "attachments": [{"id": "u", "filename": "my scope.png", "fileMetadataDescription": "image/png"}],
        }]);
        Ok(HttpResponse::new(200, logs.to_string()))
    });
    let fetched = fetch(&host, json!({}), hours(0, 24)).unwrap();

    let entry = &fetched.entries[0];
    assert_eq!(entry.entry_id, "7");
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00.5Z");
    assert_eq!(
        (entry.author.as_str(), entry.raw_text.as_str()),
        ("lee", "RF trip\n\nReset.")
    );
    assert_eq!(
        json!(entry.metadata),
        json!({
            "title": "RF trip", "level": "Info", "state": "Inactive", "logbooks": ["Operations", "RF"],
            "tags": ["trip"], "modified": "2024-01-05T08:30:01Z", "properties": {"Shift": {"Lead": "Chen"}},
        })
    );
    let attachment = &entry.attachments[0];
    let url = format!("{URL}/logs/attachments/7/my%20scope.png");
    assert_eq!(attachment.url.as_deref(), Some(url.as_str()));
    assert_eq!(attachment.mime_type.as_deref(), Some("image/png"));
}

#[test]
fn spans_are_asked_for_page_by_page_in_the_time_of_the_server() {
    let host = service((0..250).map(|number| number * 600).collect());
    let settings = json!({
        "chunk_days": 1, "page_size": 100, "server_timezone": "UTC", "logbooks": ["RF", "Operations"]
    });
    let fetched = fetch(&host, settings, hours(0, 40)).unwrap();

    // Both ends are excluded; 144 entries a day.
    assert_eq!(fetched.entries.len(), 239);
    assert_eq!((fetched.ids()[0], fetched.ids()[238]), ("1", "239"));
    let asked: Vec<String> = host
        .calls()
        .http
        .iter()
        .map(|request| format!("{} + {}", value(request, "start"), value(request, "from")))
        .collect();
    assert_eq!(
        asked,
        [
            "2024-01-05 00:00:00.000 + 0",
            "2024-01-05 00:00:00.000 + 100",
            "2024-01-06 00:00:00.000 + 0",
        ]
    );
    assert_eq!(
        value(&host.calls().http[0], "end"),
        "2024-01-06 00:00:01.000"
    );
    assert_eq!(value(&host.calls().http[0], "logbooks"), "RF,Operations");
}

#[test]
fn times_are_those_of_the_facility_where_the_server_is_not_said_to_be_elsewhere() {
    let host = FakeHost::default().on_http(|_| Ok(HttpResponse::new(200, "[]")));
    fetch(&host, json!({}), hours(0, 1)).unwrap();
    assert_eq!(
        value(&host.calls().http[0], "start"),
        "2024-01-04 19:00:00.000"
    );
}

/// Midnight is sent to it as 19:00 of the day before, and read as UTC.
#[test]
fn a_server_that_reads_times_in_another_zone_ends_the_run_where_an_entry_shows_it() {
    let host = service(vec![-3_600, 600]);
    let error = fetch(&host, json!({}), hours(0, 6)).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("set `server_timezone`"), "{message}");
    assert!(message.contains("2024-01-04T23:00:00Z"), "{message}");
    let settings = json!({"server_timezone": "UTC"});
    let fetched = fetch(&service(vec![-3_600, 600]), settings, hours(0, 6));
    assert_eq!(fetched.unwrap().ids(), ["1"]);
}

#[test]
fn a_span_that_ends_while_the_clock_shows_an_hour_again_is_asked_for_to_its_end() {
    let host = FakeHost::default().on_http(|_| Ok(HttpResponse::new(200, "[]")));
    let at = |text: &str| text.parse::<Timestamp>().ok();
    let request = FetchRequest::default()
        .with_since(at("2024-11-03T04:00:00Z"))
        .with_until(at("2024-11-03T06:30:00Z"));
    fetch(&host, json!({}), request).unwrap();
    assert_eq!(
        value(&host.calls().http[0], "end"),
        "2024-11-03 02:30:01.000"
    );
}

#[test]
fn a_span_with_more_than_the_service_gives_is_asked_for_in_halves() {
    let host = service((1..12_001).collect());
    let settings = json!({"server_timezone": "UTC", "page_size": 1000});
    let fetched = fetch(&host, settings, hours(0, 6)).unwrap();
    let mut ids: Vec<&str> = fetched.ids();
    let all = ids.len();
    ids.dedup();
    assert_eq!((ids.len(), all), (12_000, 12_000));
}

/// A service that answers lists alone, each of at most 100 entries.
fn old_service(entries: usize, knows_pages: bool) -> FakeHost {
    FakeHost::default().on_http(move |request| {
        let from: usize = match knows_pages {
            true => value(request, "from").parse().unwrap(),
            false => 0,
        };
        let page = (from..entries).take(100);
        let logs: Vec<Value> = page.map(|id| log(id, 10)).collect();
        Ok(HttpResponse::new(200, json!(logs).to_string()))
    })
}

#[test]
fn a_service_that_gives_small_pages_and_no_total_is_asked_until_a_page_is_empty() {
    let fetched = fetch(&old_service(650, true), json!({}), hours(0, 1)).unwrap();
    assert_eq!(fetched.entries.len(), 650);
    assert_eq!(fetched.ids()[649], "649");
}

/// What the second page skips would be taken for deleted.
#[test]
fn without_a_total_an_entry_that_is_deleted_between_two_pages_ends_the_run() {
    let host = FakeHost::default().on_http(|request| {
        let from: usize = value(request, "from").parse().unwrap();
        let there = usize::from(from > 0)..150;
        let page = there.skip(from).take(100);
        let logs: Vec<Value> = page.map(|id| log(id, 10)).collect();
        Ok(HttpResponse::new(200, json!(logs).to_string()))
    });
    let error = fetch(&host, json!({}), hours(0, 1)).unwrap_err();
    assert!(error.is_retryable());
    assert!(error.to_string().contains("deleted or edited"), "{error}");
}

#[test]
fn a_service_that_knows_no_pages_is_read_once() {
    let host = old_service(50, false);
    let fetched = fetch(&host, json!({}), hours(0, 1)).unwrap();
    assert_eq!(fetched.entries.len(), 50);
    assert_eq!(host.calls().http.len(), 2);
}

/// What it leaves out would be taken for deleted.
#[test]
fn a_service_that_knows_no_pages_and_gives_a_full_one_is_asked_for_halves() {
    let seconds: Vec<i64> = (1..101).map(|number| number * 30).collect();
    let host = FakeHost::default().on_http(move |request| {
        let logs: Vec<Value> = found(request, &seconds).into_iter().take(60).collect();
        Ok(HttpResponse::new(200, json!(logs).to_string()))
    });
    let settings = json!({"server_timezone": "UTC", "page_size": 60});
    let fetched = fetch(&host, settings, hours(0, 1)).unwrap();
    assert_eq!(fetched.entries.len(), 100);
}

#[test]
fn bad_answers_are_asked_again_or_end_the_run_with_a_reason() {
    let run = |answers: Vec<(u16, &'static str)>| {
        let answers = Mutex::new(answers.into_iter());
        let host = FakeHost::default().on_http(move |_| {
            let (status, body) = answers.lock().unwrap().next().expect("a further request");
            match status {
                0 => Err(Error::Provider {
                    provider: "olog.lab.example".to_owned(),
                    message: "no answer: connection closed".to_owned(),
                    retryable: true,
                }),
                _ => Ok(HttpResponse::new(status, body)),
            }
        });
        fetch(&host, json!({}), hours(0, 1)).map(|fetched| fetched.rejected.len())
    };
    let message = |answers| run(answers).unwrap_err().to_string();

    assert_eq!(run(vec![(503, ""), (0, ""), (200, "[]")]), Ok(0));
    assert!(message(vec![(500, ""); 4]).contains("status 500"));
    assert!(message(vec![(404, "no")]).contains("status 404: no"));
    assert!(message(vec![(200, "<html>Log in</html>")]).contains("is `source_url` the address"));
    assert!(message(vec![(200, "{}")]).contains("not the JSON that is expected"));
    assert!(message(vec![(200, r#"{"hitCount": 5, "logs": []}"#)]).contains("0 of 5 entries"));
    assert_eq!(
        run(vec![(200, r#"{"hitCount": 2, "logs": [7, {"id": 1}]}"#)]),
        Ok(2)
    );
}

#[test]
fn wrong_settings_are_refused_by_their_names() {
    for (key, value) in [("start", "long ago"), ("server_timezone", "Nowhere/Here")] {
        let refused = fetch(&FakeHost::default(), json!({key: value}), hours(0, 1));
        assert!(
            matches!(refused, Err(Error::Setting { name, .. }) if name == key),
            "{key}"
        );
    }
}

/// What becomes of an entry that is written with this answer, and the requests.
fn write(
    answer: Result<HttpResponse>,
    metadata: Value,
    credentials: Option<Credentials>,
) -> (Result<Published>, Vec<HttpRequest>) {
    let host = FakeHost::default().on_http(move |_| answer.clone());
    let settings = json!({"write": {"url": format!("{URL}/")}});
    let mut entry = Entry::new("L", "Gannet", Timestamp::UNIX_EPOCH, "RF trip\n\nReset.");
    entry.metadata = metadata.as_object().unwrap().clone();
    let request = PublishRequest::new(entry).with_credentials(credentials);
    let settings: Settings = testing::settings(settings).unwrap();
    let adapter = Olog::new(settings, &Setup::default()).unwrap();
    let outcome = pollster::block_on(adapter.publish(request, &host.context()));
    (outcome, host.calls().http)
}

fn lee() -> Option<Credentials> {
    Some(Credentials::new("lee", "s3cret"))
}

fn created(body: &str) -> Result<HttpResponse> {
    Ok(HttpResponse::new(200, body))
}

#[test]
fn an_entry_is_put_with_basic_credentials_and_has_the_id_of_the_answer() {
    let metadata = json!({"logbook": "RF", "tags": ["trip"], "title": "RF trip"});
    let (published, requests) = write(created(r#"{"id": 575, "owner": "lee"}"#), metadata, lee());
    assert_eq!(published.unwrap(), Published::new("575"));
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!(
        (request.method.as_str(), request.url.as_str()),
        ("PUT", "https://olog.lab.example/Olog/logs")
    );
    let authorization = request
        .headers
        .iter()
        .find(|(name, _)| name == "authorization");
    // The Base64 of "lee:s3cret".
    assert_eq!(authorization.unwrap().1, "Basic bGVlOnMzY3JldA==");
    let sent: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(
        sent,
        json!({
            "title": "RF trip", "description": "Reset.", "level": "Info",
            "logbooks": [{"name": "RF"}], "tags": [{"name": "trip", "state": "Active"}],
        })
    );
}

#[test]
fn nothing_is_sent_without_a_logbook_or_credentials() {
    let (refused, requests) = write(created("{}"), json!({}), lee());
    assert!(matches!(refused, Err(Error::InvalidInput { .. })));
    assert!(requests.is_empty());
    let (refused, requests) = write(created("{}"), json!({"logbook": "RF"}), None);
    assert!(matches!(refused, Err(Error::Credentials { .. })));
    assert!(requests.is_empty());
}

#[test]
fn every_other_answer_is_told_apart() {
    let outcome = |answer| {
        let (outcome, requests) = write(answer, json!({"logbook": "RF"}), lee());
        assert_eq!(requests.len(), 1);
        outcome.unwrap_err()
    };
    let refused = outcome(Ok(HttpResponse::new(401, "")));
    assert!(matches!(refused, Error::Credentials { .. }));
    let invalid = outcome(Ok(HttpResponse::new(400, "no logbook RF")));
    assert!(
        matches!(invalid, Error::InvalidInput { message } if message.contains("no logbook RF"))
    );
    assert!(outcome(Ok(HttpResponse::new(503, ""))).is_retryable());
    let cut = Error::Provider {
        provider: "olog.lab.example".to_owned(),
        message: "no answer: connection closed".to_owned(),
        retryable: true,
    };
    for answer in [
        Err(cut),
        Ok(HttpResponse::new(500, "")),
        created("<html>Log in</html>"),
        created(r#"{"id": null}"#),
        created(r#"{"id": 57"#),
    ] {
        let error = outcome(answer);
        assert!(
            matches!(
                error,
                Error::Provider {
                    retryable: false,
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
