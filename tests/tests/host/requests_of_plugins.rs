//! Requests that plugins make through the host: to servers that the settings
//! name, and to no other.

use std::sync::Arc;
use std::time::Duration;

use gannet_api::{
    Context, Descriptor, Hit, HttpRequest, Registration, Result, ScoreKind, SearchModule,
    SearchRequest, Setup,
};
use gannet_core::{HostError, SearchInput, SearchResult};
use gannet_registry::Registry;
use gannet_tests::{Host, ids};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

/// Asks the service of its settings; a question that is an address is asked
/// in its place.
struct Asks(Settings);

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Settings {
    service: String,
}

impl gannet_api::Settings for Settings {}

impl SearchModule for Asks {
    const NAME: &'static str = "asks";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Asks", "Asks a service.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let url = match request.query.starts_with("http") {
            true => request.query.clone(),
            false => self.0.service.clone(),
        };
        let hurried = request.query == "hurry";
        let ask = HttpRequest::get(url)
            .query("q", &request.query)
            .with_timeout(hurried.then_some(Duration::from_millis(50)));
        let ids: Vec<String> = context.http(ask).await?.json()?;
        let found = ids.into_iter().map(|id| (id, 1.0));
        context.hits_of(&request, ScoreKind::Other, found).await
    }
}

/// A server that answers every request with this; and the first lines of the
/// requests.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn answering(response: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/search", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..read]).into_owned();
                let line = text.lines().next().unwrap_or_default().to_owned();
                heard.lock().await.push(line);
                // A client that has read enough goes away.
                let _ = stream.write_all(&response).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { address, asked }
    }
}

fn response(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

async fn host(service: &str) -> Host {
    host_with(service, &[]).await
}

async fn host_with(service: &str, more: &[(&str, &str)]) -> Host {
    let linked = Registration::linked().copied();
    let asks = Registration::search_module::<Asks>("test", "1.0.0");
    let registry = Registry::of(linked.chain([asks])).unwrap();
    let mut settings = vec![
        ("search_modules.asks.enabled", "true"),
        ("search_modules.asks.settings.service", service),
    ];
    settings.extend(more);
    let host = Host::with_plugins(&settings, &registry).await;
    let entry = json!({"id": "E1", "text": "RF trip", "timestamp": "2024-01-05T08:30:00Z"});
    host.ingest_lines(&[entry]).await;
    host
}

async fn ask(host: &Host, question: &str) -> std::result::Result<SearchResult, HostError> {
    let mut input = SearchInput::new(question);
    input.mode = Some("asks".to_owned());
    host.gannet.search(input).await
}

async fn refusal(host: &Host, question: &str) -> String {
    ask(host, question).await.err().unwrap().to_string()
}

#[tokio::test]
async fn a_server_that_the_settings_name_is_asked() {
    let server = Server::answering(response("200 OK", br#"["gone", "E1"]"#)).await;
    let host = host(&server.address).await;
    let result = ask(&host, "what tripped & why").await.unwrap();
    assert_eq!(ids(&result), ["E1"]);
    let asked = server.asked.lock().await;
    assert_eq!(*asked, ["GET /search?q=what+tripped+%26+why HTTP/1.1"]);
}

#[tokio::test]
async fn another_server_is_not_asked() {
    let named = Server::answering(response("200 OK", b"[]")).await;
    let other = Server::answering(response("200 OK", b"[]")).await;
    let host = host(&named.address).await;
    for address in [
        other.address.as_str(),
        "http://169.254.169.254/latest/meta-data",
        "https://elsewhere.example/",
    ] {
        let refused = refusal(&host, address).await;
        assert!(refused.contains("is not in the settings"), "{refused}");
    }
    assert!(other.asked.lock().await.is_empty());
    assert!(named.asked.lock().await.is_empty());
}

#[tokio::test]
async fn a_server_of_another_instance_is_not_asked() {
    let own = Server::answering(response("200 OK", b"[]")).await;
    let others = Server::answering(response("200 OK", b"[]")).await;
    let other = format!(
        "{{enabled: true, plugin: asks, settings: {{service: \"{}\"}}}}",
        others.address
    );
    let host = host_with(&own.address, &[("search_modules.others", &other)]).await;
    let refused = refusal(&host, &others.address).await;
    let expected = "is not in the settings of search module `asks`";
    assert!(refused.contains(expected), "{refused}");
    assert!(others.asked.lock().await.is_empty());
    let mut input = SearchInput::new(others.address.as_str());
    input.mode = Some("others".to_owned());
    host.gannet.search(input).await.unwrap();
    assert_eq!(others.asked.lock().await.len(), 1);
}

#[tokio::test]
async fn redirects_refusals_and_floods_are_errors_of_the_server() {
    let elsewhere = Server::answering(response("200 OK", b"[]")).await;
    let mut redirect = format!("HTTP/1.1 302 Found\r\nlocation: {}\r\n", elsewhere.address);
    redirect.push_str("content-length: 0\r\nconnection: close\r\n\r\n");
    for (answer, reason) in [
        (redirect.into_bytes(), "status 302"),
        (
            response("503 Busy", b"come back later"),
            "status 503: come back later",
        ),
        (response("200 OK", &vec![b' '; (16 << 20) + 1]), "more than"),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n[".to_vec(),
            "no answer",
        ),
    ] {
        let server = Server::answering(answer).await;
        let host = host(&server.address).await;
        let failed = refusal(&host, "rf").await;
        assert!(failed.contains(reason), "{failed}");
    }
    assert!(elsewhere.asked.lock().await.is_empty());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_at_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/search", listener.local_addr().unwrap());
    let host = host(&address).await;
    let mut input = SearchInput::new("rf");
    input.mode = Some("asks".to_owned());
    input.timeout = Some(Duration::from_millis(300));
    let failed = host.gannet.search(input).await.err().unwrap().to_string();
    assert!(failed.contains("took longer"), "{failed}");
}

#[tokio::test]
async fn every_failure_of_a_request_names_the_module() {
    let page = Server::answering(response("200 OK", b"<html>")).await;
    let failed = refusal(&host(&page.address).await, "rf").await;
    let expected = "asks: the response is not the JSON that is expected";
    assert!(failed.contains(expected), "{failed}");

    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/search", silent.local_addr().unwrap());
    let failed = refusal(&host(&address).await, "hurry").await;
    let expected = "asks: the request to 127.0.0.1 took longer than";
    assert!(failed.contains(expected), "{failed}");

    let failed = refusal(&host("not-an-address?key=canary").await, "rf").await;
    let expected = "a request of search module `asks` to another server: the address \
                    `not-an-address` is not valid";
    assert!(failed.contains(expected), "{failed}");
    assert!(!failed.contains("canary"), "{failed}");
}
