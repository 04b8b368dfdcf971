//! Logbooks behind HTTP, read by the whole host from a server that answers
//! what a script says: slowly, cut off, with pages, refusals and failures.

use std::collections::VecDeque;
use std::sync::Arc;

use gannet_api::FetchRequest;
use gannet_core::{HostError, IngestReport, IngestRequest, Stop};
use gannet_tests::Host;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

/// What the server does with a request.
#[derive(Clone)]
enum Answer {
    /// Answers with a status and a body.
    Is(&'static str, String),
    /// Announces more than it sends.
    Cut,
    /// Says nothing and keeps the connection.
    Silent,
}

use Answer::{Cut, Is, Silent};

fn ok(body: impl Into<String>) -> Answer {
    Is("200 OK", body.into())
}

/// An entry of the ALS logbook on the 1st of January 2024.
fn entry(id: &str, hour: i64) -> String {
    let time = 1_704_067_200 + hour * 3_600;
    json!([{"id": id, "timestamp": time.to_string(), "subject": "RF trip"}]).to_string()
}

struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn answering(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/rpc/elog.php", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = asked.clone();
        tokio::spawn(async move {
            let mut answers = VecDeque::from(answers);
            let mut silent = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                heard.lock().await.push(request_line(&mut stream).await);
                let answer = answers.pop_front().unwrap_or(Is("500 No", String::new()));
                let (head, body) = match &answer {
                    Is(status, body) => (head(status, body.len()), body.as_str()),
                    Cut => (head("200 OK", 1_000), "[{\"id\": "),
                    Silent => {
                        silent.push(stream);
                        continue;
                    }
                };
                // A client that has read enough goes away.
                let _ = stream.write_all((head + body).as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { address, asked }
    }
}

fn head(status: &str, length: usize) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")
}

async fn request_line(stream: &mut TcpStream) -> String {
    let mut request = vec![0; 4096];
    let read = stream.read(&mut request).await.unwrap_or(0);
    let text = String::from_utf8_lossy(&request[..read]).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

/// Ingests three days from the server, a day with each request.
async fn ingest(server: &Server) -> (Host, Result<IngestReport, HostError>) {
    let prefix = "ingestion.adapters.als_logbook.settings";
    let settings = [
        ("source_url", server.address.as_str()),
        ("chunk_days", "1"),
        ("max_retries", "2"),
        ("retry_delay_seconds", "0.0"),
        ("request_timeout_seconds", "1"),
    ];
    let settings = settings.map(|(key, value)| (format!("{prefix}.{key}"), value));
    let settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(key, value)| (key.as_str(), *value))
        .collect();
    let host = Host::with(&settings).await;
    let request = IngestRequest {
        adapter: Some("als_logbook".to_owned()),
        fetch: FetchRequest::default()
            .with_since("2023-12-31T23:59:59Z".parse::<jiff::Timestamp>().unwrap())
            .with_until("2024-01-03T23:59:59Z".parse::<jiff::Timestamp>().unwrap()),
        ..IngestRequest::default()
    };
    let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
    (host, report)
}

#[tokio::test]
async fn failures_that_pass_are_asked_again_and_every_entry_is_stored() {
    let server = Server::answering(vec![
        Cut,
        ok(entry("A", 1)),
        Is("503 Busy", "come back".to_owned()),
        Silent,
        ok(entry("B", 25)),
        Is("429 Slow", String::new()),
        ok(entry("C", 49)),
    ])
    .await;
    let (host, report) = ingest(&server).await;
    let counts = report.unwrap().counts;
    assert_eq!((counts.added, counts.rejected), (3, 0));
    assert_eq!(host.search("keyword", "trip").await.entries.len(), 3);
    let asked = server.asked.lock().await;
    assert_eq!(asked.len(), 7);
    let first = "GET /rpc/elog.php?op=retrieve&start=1704067199&end=1704153599 HTTP/1.1";
    assert_eq!((asked[0].as_str(), asked[1].as_str()), (first, first));
}

#[tokio::test]
async fn a_page_fails_the_run_and_the_next_one_asks_for_its_days_again() {
    let page = "<!DOCTYPE html><title>Log in</title>";
    let now = jiff::Timestamp::now().as_second();
    let entry = |id: &str, age: i64| {
        let time = (now - age * 3_600).to_string();
        ok(json!([{"id": id, "timestamp": time, "subject": "RF trip"}]).to_string())
    };
    let answers = [entry("A", 40), ok(page), entry("B", 10)];
    let server = Server::answering(answers.to_vec()).await;
    let address = server.address.clone();
    // Days that end now, so that the run has a cursor.
    let days = jiff::SignedDuration::from_hours(47);
    let start = (jiff::Timestamp::now() - days).to_string();
    let prefix = "ingestion.adapters.als_logbook.settings";
    let key = |name: &str| format!("{prefix}.{name}");
    let (url, chunk, from, overlap) = (
        key("source_url"),
        key("chunk_days"),
        key("start"),
        key("overlap_hours"),
    );
    let host = Host::with(&[
        (&url, &address),
        (&chunk, "1"),
        (&from, &start),
        (&overlap, "0"),
    ])
    .await;
    let run = async || {
        let request = IngestRequest {
            adapter: Some("als_logbook".to_owned()),
            ..IngestRequest::default()
        };
        host.gannet.ingest(request, &Stop::default(), |_| {}).await
    };
    let failed = run().await.err().unwrap().to_string();
    assert!(failed.contains("a page of HTML"), "{failed}");
    assert_eq!(run().await.unwrap().counts.added, 1);
    assert_eq!(host.search("keyword", "trip").await.entries.len(), 2);
    let asked = server.asked.lock().await;
    let spans: Vec<&str> = asked
        .iter()
        .map(|line| line.split('&').nth(1).unwrap())
        .collect();
    assert_eq!(spans.len(), 3);
    assert_eq!(spans[1], spans[2]);
}

#[tokio::test]
async fn a_refusal_or_a_lasting_failure_ends_the_run_and_keeps_what_was_read() {
    let failing = || Is("500 Broken", "disk full".to_owned());
    for (answers, reason, asked) in [
        (
            vec![Is("403 No", "not you".to_owned())],
            "status 403: not you",
            2,
        ),
        (
            vec![failing(), failing(), failing()],
            "status 500: disk full",
            4,
        ),
        (vec![Cut, Cut, Cut], "no answer", 4),
    ] {
        let answers = [vec![ok(entry("A", 1))], answers].concat();
        let server = Server::answering(answers).await;
        let (host, report) = ingest(&server).await;
        let failed = report.err().unwrap().to_string();
        assert!(failed.contains(reason), "{failed}");
        assert_eq!(host.search("keyword", "trip").await.entries.len(), 1);
        assert_eq!(server.asked.lock().await.len(), asked);
    }
}

/// A SOCKS proxy that connects everybody with this server; the name that it was
/// asked for.
async fn socks_proxy(server: &Server) -> (String, Arc<Mutex<Vec<String>>>) {
    let target = server.address.trim_start_matches("http://");
    let target = target.split('/').next().unwrap().to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("socks5h://{}", listener.local_addr().unwrap());
    let names = Arc::new(Mutex::new(Vec::new()));
    let asked = Arc::clone(&names);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let methods = stream.read_u16().await.unwrap() & 0xff;
            let _ = stream.read_exact(&mut vec![0; methods.into()]).await;
            stream.write_all(&[5, 0]).await.unwrap();
            // Version, command, 0, and a name (3) with its length.
            assert_eq!(stream.read_u32().await.unwrap(), 0x0501_0003);
            let mut name = vec![0; stream.read_u8().await.unwrap().into()];
            stream.read_exact(&mut name).await.unwrap();
            asked.lock().await.push(String::from_utf8(name).unwrap());
            let _port = stream.read_u16().await.unwrap();
            stream
                .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                .await
                .unwrap();
            let mut server = TcpStream::connect(&target).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
        }
    });
    (url, names)
}

#[tokio::test]
async fn a_service_that_only_a_socks_proxy_reaches_is_asked_through_it() {
    let list = json!([{"ID": "A", "entry_time": "2024-01-05T08:30:00Z", "title": "RF trip"}]);
    let server = Server::answering(vec![ok(list.to_string())]).await;
    let (url, names) = socks_proxy(&server).await;
    let proxies = format!("[{{host: elog.lab.example, url: \"{url}\"}}]");
    let settings = [
        ("ingestion.adapter", "ornl_logbook"),
        ("ingestion.source_url", "http://elog.lab.example/list"),
        ("outbound.proxies", &proxies),
    ];
    let host = Host::with(&settings).await;
    let request = IngestRequest::default();
    let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
    assert_eq!(report.unwrap().counts.added, 1);
    assert_eq!(*names.lock().await, ["elog.lab.example"]);
}

#[tokio::test]
async fn the_configured_source_is_asked_as_a_setting_of_the_adapter_is() {
    let list = json!([{"ID": "A", "entry_time": "2024-01-05T08:30:00Z", "title": "RF trip"}]);
    let server = Server::answering(vec![ok(list.to_string())]).await;
    let settings = [
        ("ingestion.adapter", "ornl_logbook"),
        ("ingestion.source_url", server.address.as_str()),
    ];
    let host = Host::with(&settings).await;
    let request = IngestRequest::default();
    let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
    assert_eq!(report.unwrap().counts.added, 1);
}

#[tokio::test]
async fn an_address_that_only_the_call_names_is_not_asked() {
    let server = Server::answering(vec![ok(entry("A", 1))]).await;
    let host = Host::with(&[]).await;
    for adapter in [
        "als_logbook",
        "jlab_logbook",
        "ornl_logbook",
        "olog",
        "generic_json",
    ] {
        let request = IngestRequest {
            adapter: Some(adapter.to_owned()),
            fetch: FetchRequest::default().with_source(server.address.clone()),
            ..IngestRequest::default()
        };
        let refused = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
        let refused = refused.err().unwrap().to_string();
        assert!(
            refused.contains(&format!("set `ingestion.adapters.{adapter}.settings.")),
            "{adapter}: {refused}"
        );
    }
    assert!(server.asked.lock().await.is_empty());
}

/// The service is asked again for the time before the end of the last run.
#[tokio::test]
async fn what_a_service_has_late_or_edited_appears_with_the_next_run() {
    let now = jiff::Timestamp::now().as_second();
    let entries = |entries: &[(&str, &str)]| {
        let entries = entries.iter().map(|(id, subject)| {
            json!({"id": id, "timestamp": (now - 3_600).to_string(), "subject": subject})
        });
        ok(json!(entries.collect::<Vec<_>>()).to_string())
    };
    let server = Server::answering(vec![
        entries(&[("A", "RF trip")]),
        entries(&[("A", "RF trip"), ("B", "late one")]),
        entries(&[("A", "RF trip of cavity 3"), ("B", "late one")]),
    ])
    .await;
    let start = jiff::Timestamp::from_second(now - 7_200)
        .unwrap()
        .to_string();
    let prefix = "ingestion.adapters.als_logbook.settings";
    let (address, first) = (format!("{prefix}.source_url"), format!("{prefix}.start"));
    let host = Host::with(&[
        (address.as_str(), server.address.as_str()),
        (first.as_str(), start.as_str()),
    ])
    .await;
    for expected in [(1, 0, 0), (1, 0, 1), (0, 1, 1)] {
        let request = IngestRequest {
            adapter: Some("als_logbook".to_owned()),
            ..IngestRequest::default()
        };
        let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
        let counts = report.unwrap().counts;
        assert_eq!((counts.added, counts.updated, counts.unchanged), expected);
    }
    assert_eq!(host.search("keyword", "cavity").await.entries.len(), 1);
}
