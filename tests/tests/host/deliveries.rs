//! Digests are made at their times, and delivered once.

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::{DeliveryReport, Message, Stop, feed_of};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::scripted::{Posted, Scripted, smtp, smtp_with_tls, webhook};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A host with a digest at six, two entries of the night before, and one of the
/// day.
async fn host(kind: StoreKind, deliveries: &str) -> Option<Host> {
    let digests = "{morning: {schedule: '0 6 * * *', deliver_to: [here]}}";
    host_with(kind, deliveries, digests).await
}

async fn host_with(kind: StoreKind, deliveries: &str, digests: &str) -> Option<Host> {
    let registry = Registry::of(gannet_api::Registration::linked().copied()).unwrap();
    let settings = [("deliveries", deliveries), ("digests", digests)];
    let host = Host::on_with_plugins(kind, &settings, &registry).await?;
    let entry = |id: &str, time: &str, text: &str| json!({ "id": id, "timestamp": time, "text": text, "author": "Lee" });
    let entries = [
        entry("S-1", "2025-06-02T01:00:00Z", "RF-2 tripped on low flow."),
        entry(
            "S-2",
            "2025-06-02T02:00:00Z",
            "Rounds done, all as expected.",
        ),
        entry(
            "S-3",
            "2025-06-02T09:00:00Z",
            "RF-3 tripped on reflected power.",
        ),
    ];
    host.ingest_lines(&entries).await;
    Some(host)
}

async fn due(host: &Host, now: &str) -> Option<Message> {
    host.gannet
        .make_due_digest("morning", at(now))
        .await
        .unwrap()
}

async fn deliver(host: &Host, now: Timestamp) {
    host.gannet
        .deliver_due(now, &Stop::default())
        .await
        .unwrap();
}

/// Messages that wait, and what the only delivery did.
async fn status(host: &Host) -> (u64, DeliveryReport) {
    let mut statuses = host.gannet.delivery_statuses().await.unwrap();
    let status = statuses.remove(0);
    (status.pending, status.report)
}

over_both_stores![
    a_digest_is_made_once_at_each_time_and_begins_where_the_last_one_ended,
    a_webhook_that_fails_is_tried_again_later_under_the_same_id,
];

async fn a_digest_is_made_once_at_each_time_and_begins_where_the_last_one_ended(kind: StoreKind) {
    let Some(host) = host(kind, "{here: {feed: {most: 2}}}").await else {
        return;
    };
    // Nothing is made of the time before it was seen.
    assert_eq!(due(&host, "2025-06-01T07:00:00Z").await, None);
    assert_eq!(due(&host, "2025-06-02T05:59:59Z").await, None);
    let made = due(&host, "2025-06-02T06:00:20Z").await.unwrap();
    assert_eq!(made.id, "digest.morning.20250602T060000Z");
    assert!(
        made.text.contains("RF-2 tripped") && made.text.contains("[#S-1]"),
        "{}",
        made.text
    );
    assert!(!made.text.contains("RF-3"), "{}", made.text);
    assert_eq!(made.details["count"], 2);
    assert_eq!(due(&host, "2025-06-02T06:00:40Z").await, None);
    // The service was away for two days: one digest has all of it.
    let made = due(&host, "2025-06-04T12:00:00Z").await.unwrap();
    assert_eq!(made.id, "digest.morning.20250604T060000Z");
    assert!(made.text.contains("RF-3 tripped"), "{}", made.text);
    let feed = async || {
        feed_of(host.gannet.store(), DEFAULT_TENANT, "here")
            .await
            .unwrap()
    };
    assert!(!feed().await.contains("<entry>"));
    for _ in 0..2 {
        deliver(&host, at("2025-06-04T12:00:00Z")).await;
        assert_eq!(feed().await.matches("<entry>").count(), 2);
    }
    // Ids are of this installation alone.
    let ids = feed().await.matches("<id>urn:gannet:").count();
    assert_eq!(ids, 3);
    assert!(!feed().await.contains("urn:gannet:feed:"));
    assert!(!feed().await.contains("urn:gannet:message:"));
    let (pending, report) = status(&host).await;
    assert_eq!((pending, report.delivered, report.error), (0, 2, None));
    let statuses = host
        .gannet
        .digest_statuses(at("2025-06-04T12:00:00Z"))
        .await
        .unwrap();
    assert_eq!(statuses[0].last, Some(at("2025-06-04T06:00:00Z")));
    assert_eq!(statuses[0].next, Some(at("2025-06-05T06:00:00Z")));
    assert_eq!(statuses[0].due, None);
    let late = at("2025-06-06T12:00:00Z");
    let status = host.gannet.digest_statuses(late).await.unwrap().remove(0);
    assert_eq!(status.due, Some(at("2025-06-05T06:00:00Z")));
    assert!(status.trouble(late).unwrap().contains("`morning`"));
}

fn to_webhook(server: &Scripted<Posted>, more: &str) -> String {
    let url = format!("http://127.0.0.1:{}/hook", server.port);
    format!("{{here: {{webhook: {{url: '{url}'}}{more}}}}}")
}

/// A digest that is due and in the outbox.
async fn with_message(kind: StoreKind, deliveries: &str) -> Option<Host> {
    let host = host(kind, deliveries).await?;
    due(&host, "2025-06-01T07:00:00Z").await;
    due(&host, "2025-06-02T06:00:00Z").await.unwrap();
    Some(host)
}

async fn a_webhook_that_fails_is_tried_again_later_under_the_same_id(kind: StoreKind) {
    let server = webhook(&[503, 404]).await;
    let Some(host) = with_message(kind, &to_webhook(&server, "")).await else {
        return;
    };
    let start = at("2025-06-02T06:00:00Z");
    let after = |seconds| start + SignedDuration::from_secs(seconds);
    for (seconds, requests) in [(0, 1), (59, 1), (60, 2), (179, 2), (180, 3), (9999, 3)] {
        deliver(&host, after(seconds)).await;
        assert_eq!(server.got().len(), requests, "after {seconds} s");
    }
    for posted in server.got() {
        let id = "digest.morning.20250602T060000Z";
        assert_eq!(posted.header("idempotency-key"), Some(id));
        assert_eq!(posted.body["id"], id);
        assert_eq!(posted.body["kind"], "digest");
        assert_eq!(posted.body["entries"][0]["entry_id"], "S-1");
    }
    let (pending, report) = status(&host).await;
    assert_eq!((pending, report.delivered, report.given_up), (0, 1, 0));
}

#[tokio::test]
async fn a_message_is_given_up_after_so_many_attempts() {
    let server = webhook(&[500, 500, 500]).await;
    let deliveries = to_webhook(&server, ", max_attempts: 2");
    let host = with_message(StoreKind::Embedded, &deliveries)
        .await
        .unwrap();
    for hours in 6..12 {
        deliver(&host, at(&format!("2025-06-02T{hours:02}:00:00Z"))).await;
    }
    assert_eq!(server.got().len(), 2);
    let (pending, report) = status(&host).await;
    assert_eq!((pending, report.delivered, report.given_up), (0, 0, 1));
    assert!(report.error.unwrap().contains("500"));
}

/// A crash after the server took a message and before that was noted is as if
/// the answer never came.
#[tokio::test]
async fn a_message_whose_delivery_broke_off_is_sent_again_under_its_id() {
    let server = webhook(&[0]).await;
    let host = with_message(StoreKind::Embedded, &to_webhook(&server, ""))
        .await
        .unwrap();
    let now = at("2025-06-02T06:00:00Z");
    tokio::select! {
        () = deliver(&host, now) => panic!("the server does not answer"),
        () = until(|| server.got().len() == 1) => {}
    }
    assert_eq!(status(&host).await.0, 1);
    deliver(&host, now).await;
    let ids: Vec<_> = server
        .got()
        .iter()
        .map(|one| one.body["id"].clone())
        .collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
    assert_eq!(status(&host).await.0, 0);
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_mail_has_the_digest_and_an_id_and_is_sent_again_when_refused() {
    let server = smtp(&["451 later"]).await;
    let mail = format!(
        "{{here: {{mail: {{host: 127.0.0.1, port: {}, tls: none, from: 'Gannet <g@lab.example>', \
         to: [shift@lab.example, boss@lab.example]}}}}}}",
        server.port
    );
    let host = with_message(StoreKind::Embedded, &mail).await.unwrap();
    deliver(&host, at("2025-06-02T06:00:00Z")).await;
    let (pending, report) = status(&host).await;
    assert_eq!(pending, 1);
    assert!(report.error.unwrap().contains("451"));
    deliver(&host, at("2025-06-02T06:01:00Z")).await;
    assert_eq!(status(&host).await.0, 0);
    let mails = server.got();
    assert_eq!(mails.len(), 2);
    for mail in mails {
        for part in [
            "MAIL FROM:<g@lab.example>",
            "RCPT TO:<shift@lab.example>",
            "RCPT TO:<boss@lab.example>",
            "Message-ID: <digest.morning.20250602T060000Z@lab.example>",
            "Subject: morning: ",
            "RF-2 tripped on low flow.",
        ] {
            assert!(mail.contains(part), "{part}: {mail}");
        }
    }
}

#[tokio::test]
async fn a_mail_is_sent_by_starttls_to_a_server_whose_authority_is_named() {
    let server = smtp_with_tls().await;
    let authority = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/host/scripted_tls/authority.pem"
    );
    let outcome = async |more: &str| {
        let mail = format!(
            "{{here: {{mail: {{host: 127.0.0.1, port: {}, from: g@lab.example, \
             to: [shift@lab.example]{more}}}}}}}",
            server.port
        );
        let host = with_message(StoreKind::Embedded, &mail).await.unwrap();
        deliver(&host, at("2025-06-02T06:00:00Z")).await;
        status(&host).await
    };
    let (pending, report) = outcome("").await;
    assert_eq!((pending, server.got().len()), (1, 0));
    let error = report.error.unwrap();
    assert!(error.contains("UnknownIssuer"), "{error}");
    let (_, report) = outcome(", ca_file: /none.pem").await;
    assert!(report.error.unwrap().contains("/none.pem"));
    let (pending, report) = outcome(&format!(", ca_file: '{authority}'")).await;
    assert_eq!((pending, report.error), (0, None));
    let [mail] = &server.got()[..] else {
        panic!("one mail was to be sent");
    };
    assert!(mail.contains("RF-2 tripped on low flow."), "{mail}");
}

#[tokio::test]
async fn a_file_and_an_entry_are_written_under_the_id_of_the_message() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("digests");
    let file = format!("{{here: {{file: {{folder: '{}'}}}}}}", place.display());
    let host = with_message(StoreKind::Embedded, &file).await.unwrap();
    deliver(&host, at("2025-06-02T06:00:00Z")).await;
    let names: Vec<_> = place
        .read_dir()
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .collect();
    assert_eq!(names, ["digest.morning.20250602T060000Z.txt"]);
    let text = std::fs::read_to_string(place.join(&names[0])).unwrap();
    assert!(text.contains("RF-2 tripped on low flow."), "{text}");

    let entry = "{here: {entry: {author: Night watch, logbook: Shifts}}}";
    let host = with_message(StoreKind::Embedded, entry).await.unwrap();
    deliver(&host, at("2025-06-02T06:00:00Z")).await;
    let id = "digest.morning.20250602T060000Z";
    let entry = host
        .gannet
        .entry(DEFAULT_TENANT, id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(entry.author, "Night watch");
    assert_eq!(entry.metadata["logbook"], "Shifts");
    assert!(entry.raw_text.contains("RF-2 tripped on low flow."));
}

#[tokio::test]
async fn a_digest_is_made_at_once_without_changing_its_schedule() {
    let host = host(StoreKind::Embedded, "{here: {feed: {}}}")
        .await
        .unwrap();
    due(&host, "2025-06-01T07:00:00Z").await;
    let now = at("2025-06-02T01:30:00Z");
    let made = host.gannet.make_digest("morning", now).await.unwrap();
    assert_eq!(made.details["count"], 1);
    let due = due(&host, "2025-06-02T06:00:00Z").await.unwrap();
    assert_eq!(due.details["count"], 2);
    let unknown = host.gannet.make_digest("evening", now).await.unwrap_err();
    assert!(unknown.to_string().contains("evening"), "{unknown}");
}

#[tokio::test]
async fn a_digest_that_would_begin_after_its_end_is_not_made() {
    let digests = "{morning: {schedule: '0 6 * * *', since: 2025-07-01, deliver_to: [here]}}";
    let host = host_with(StoreKind::Embedded, "{here: {feed: {}}}", digests).await;
    let host = host.unwrap();
    due(&host, "2025-06-01T07:00:00Z").await;
    let refused = host
        .gannet
        .make_due_digest("morning", at("2025-06-02T06:30:00Z"));
    let refused = refused.await.unwrap_err().to_string();
    assert!(refused.contains("`digests.morning.since`"), "{refused}");
}

#[tokio::test]
async fn a_digest_with_a_time_zone_has_all_its_times_in_it() {
    let digests = "{morning: {schedule: '0 6 * * *', since: yesterday, timezone: Europe/Berlin, \
                   deliver_to: [here]}}";
    let host = host_with(StoreKind::Embedded, "{here: {feed: {}}}", digests).await;
    let host = host.unwrap();
    due(&host, "2025-06-01T07:00:00Z").await;
    assert_eq!(due(&host, "2025-06-02T03:59:00Z").await, None);
    let made = due(&host, "2025-06-02T04:00:00Z").await.unwrap();
    let heading = "2025-06-01 00:00 to 2025-06-02 06:00 (Europe/Berlin): 2 entries.";
    assert!(made.text.starts_with(heading), "{}", made.text);
    assert!(made.text.contains("- 2025-06-02 03:00"), "{}", made.text);
    assert_eq!(made.details["from"], "2025-06-01T00:00:00+02:00");
}
