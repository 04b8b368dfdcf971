//! The service follows sources that have an interval, and shows and counts
//! what they do.

use gannet_tests::Host;
use serde_json::json;

use crate::service::Service;

/// The metrics, once they hold a line.
async fn metrics_with(service: &Service, line: &str) -> String {
    loop {
        let page = service.get("/metrics").await.text;
        if page.lines().any(|one| one == line) {
            return page;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_source_with_an_interval_is_followed_shown_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let record = |id: &str| json!({"id": id, "text": "Pump", "timestamp": "2024-01-05T08:30:00Z"});
    std::fs::write(&log, format!("{}\n{{}}\n", record("E1"))).unwrap();
    let path = log.display();
    let sources = format!(
        "{{log: {{adapter: jsonl, source_url: \"{path}\", poll_interval_seconds: 3600}}, \
          other: {{adapter: jsonl, source_url: \"{path}\"}}}}"
    );
    // It is asked until it has polled.
    let unlimited = ("server.requests_per_minute", "0");
    let settings = [
        ("server.port", "0"),
        unlimited,
        ("ingestion.sources", sources.as_str()),
    ];
    let service = Service::over(Host::with(&settings).await).await;

    let polled = "gannet_ingest_polls_total{source=\"log\",outcome=\"success\"} 1";
    let page = metrics_with(&service, polled).await;
    for line in [
        "gannet_ingest_records_total{source=\"log\",result=\"added\"} 1",
        "gannet_ingest_records_total{source=\"log\",result=\"rejected\"} 1",
        "gannet_ingest_consecutive_failures{source=\"log\"} 0",
        "gannet_ingest_given_up{source=\"log\"} 0",
    ] {
        assert!(page.lines().any(|one| one == line), "{line}\n{page}");
    }
    assert!(!page.contains("source=\"other\""), "{page}");
    let details = service.get("/api/status/details").await.json(200);
    assert!(
        details["sources"]["log"]["last_success_at"].is_string(),
        "{details}"
    );
    assert_eq!(details["sources"]["log"]["consecutive_failures"], 0);

    // A new configuration does not follow it any more.
    service.reload(&[unlimited]).await;
    loop {
        let details = service.get("/api/status/details").await.json(200);
        if details["sources"] == json!({}) {
            break;
        }
        tokio::task::yield_now().await;
    }
    service.stop.raise();
    service.running.await.unwrap();
}
