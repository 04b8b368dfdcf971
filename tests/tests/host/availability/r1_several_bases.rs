//! Several knowledge bases at once, two collections of Qdrant and the embedded
//! store: whichever fails in whatever way, the others answer.

use std::time::Duration;

use gannet_api::{
    Context, Descriptor, EmbedPurpose, Embedder, EmbeddingModel, Level, NoSettings, PluginKind,
    Registration, Result, Setup,
};
use gannet_core::{SearchInput, SearchResult};
use gannet_plugin::testing::HashEmbedderForTests;
use gannet_registry::Registry;
use gannet_tests::{Host, ids};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::sick::{ILLNESSES, Illness, Sick, TIMEOUT};

/// Makes vectors of the words of a text, at once.
struct Words;

impl Embedder for Words {
    const NAME: &'static str = "words";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let kind = PluginKind::Embedder;
        Descriptor::new(kind, Self::NAME, "Words", "Makes vectors of words.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    fn model(&self) -> EmbeddingModel {
        let dimension = HashEmbedderForTests::embed("").len();
        EmbeddingModel::new("words", dimension, 512).with_variant("test")
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        _purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        Ok(texts
            .iter()
            .map(|text| HashEmbedderForTests::embed(text))
            .collect())
    }
}

/// How a server of a collection fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    None,
    /// It answers an error.
    Error,
    /// It takes the request and answers nothing.
    Hang,
    /// It begins an answer and does not end it.
    Slow,
    /// It dies while it answers.
    Dies,
    /// It answers what is no result.
    Garbage,
}

/// Every way to fail, each with the category of its note.
const FAILURES: [(Failure, &str); 5] = [
    (Failure::Error, "provider"),
    (Failure::Hang, "timeout"),
    (Failure::Slow, "timeout"),
    (Failure::Dies, "provider"),
    (Failure::Garbage, "provider"),
];

/// A server with one document.
async fn collection(document: &'static str, failure: Failure) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.extend(answer(stream, document, failure).await);
        }
    });
    address
}

/// Answers a request. A connection that stays open is given back.
async fn answer(mut stream: TcpStream, document: &str, failure: Failure) -> Option<TcpStream> {
    let _ = stream.read(&mut [0; 64 * 1024]).await;
    let found = json!({
        "result": { "points": [{
            "id": 1, "version": 1, "score": 0.9,
            "payload": { "content": document, "timestamp": "2025-02-01T08:00:00Z" },
        }]},
        "status": "ok", "time": 0.001,
    });
    let (status, body) = match failure {
        Failure::Error => (
            503,
            r#"{"status":{"error":"shard is not active"}}"#.to_owned(),
        ),
        Failure::Garbage => (200, "<html>proxy</html>".to_owned()),
        _ => (200, found.to_string()),
    };
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let text = match failure {
        Failure::Hang => return Some(stream),
        Failure::Slow | Failure::Dies => format!("{head}{}", &body[..body.len() / 2]),
        _ => format!("{head}{body}"),
    };
    let _ = stream.write_all(text.as_bytes()).await;
    (failure == Failure::Slow).then_some(stream)
}

/// A host with a module over the embedded store and two collections.
async fn host(store: Illness, manuals: Failure, archive: Failure) -> Host {
    let own = [
        Registration::search_module::<Sick>("test", "1.0.0"),
        Registration::embedder::<Words>("test", "1.0.0"),
    ];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let collection_of = |url: String| {
        format!(
            "{{enabled: true, plugin: qdrant, provider: words, settings: {{url: \"{url}\", \
             collection: texts, model: words}}}}"
        )
    };
    let manuals = collection_of(collection("How to reset a cavity.", manuals).await);
    let archive = collection_of(collection("A cavity tripped in 1998.", archive).await);
    let store = format!(
        "{{enabled: true, plugin: sick, settings: {{illness: {}}}}}",
        store.name()
    );
    let settings = [
        ("providers.words", "{plugin: words}"),
        ("search_modules.logbook", store.as_str()),
        ("search_modules.manuals", manuals.as_str()),
        ("search_modules.archive", archive.as_str()),
        (
            "pipelines.rag.retrieval_modules",
            "[logbook, manuals, archive]",
        ),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    let entries = (1..=3).map(|place| {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        let text = format!("The cavity tripped for the {place}. time.");
        gannet_api::Entry::new(format!("E-{place}"), "test", time, text)
    });
    host.gannet.store().upsert(entries.collect()).await.unwrap();
    host.gannet.store().flush().await.unwrap();
    // The first request to a server reads the certificates of the system, which
    // takes longer than a question has here. Whether it succeeds is no matter.
    for module in ["manuals", "archive"] {
        let _ = host.gannet.search(question(module, 3 * TIMEOUT)).await;
    }
    host
}

fn question(mode: &str, timeout: Duration) -> SearchInput {
    let mut input = SearchInput::new("when did the cavity trip?");
    input.mode = Some(mode.to_owned());
    input.timeout = Some(timeout);
    input
}

async fn ask(host: &Host) -> SearchResult {
    host.gannet.search(question("rag", TIMEOUT)).await.unwrap()
}

/// That these were found and no others, and that one note says why.
fn assert_without(result: &SearchResult, lost: &str, category: &str) {
    let all = [
        ("logbook", "E-1"),
        ("manuals", "manuals:1"),
        ("archive", "archive:1"),
    ];
    for (module, id) in all {
        let is_found = ids(result).contains(&id);
        assert_eq!(
            is_found,
            module != lost,
            "{lost} {category}: {:?}",
            ids(result)
        );
    }
    let is_note = |note: &&gannet_api::Diagnostic| note.level != Level::Info;
    let notes: Vec<_> = result.diagnostics.iter().filter(is_note).collect();
    if lost.is_empty() {
        assert_eq!((result.degraded, notes.len()), (false, 0), "{notes:?}");
        return;
    }
    assert!(
        result.degraded && !result.citations.is_empty(),
        "{lost} {category}"
    );
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(notes[0].source, format!("rag.retrieve.{lost}"));
    assert_eq!(notes[0].category.as_deref(), Some(category), "{notes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r1_two_collections_and_the_store_are_searched_at_once() {
    let host = host(Illness::None, Failure::None, Failure::None).await;
    assert_without(&ask(&host).await, "", "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r1_whichever_collection_fails_in_whatever_way_the_others_answer() {
    for (failure, category) in FAILURES {
        let sick = host(Illness::None, failure, Failure::None).await;
        assert_without(&ask(&sick).await, "manuals", category);
        let sick = host(Illness::None, Failure::None, failure).await;
        assert_without(&ask(&sick).await, "archive", category);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r1_when_the_store_fails_in_whatever_way_the_collections_answer() {
    for (illness, category) in ILLNESSES {
        let sick = host(illness, Failure::None, Failure::None).await;
        assert_without(&ask(&sick).await, "logbook", category);
    }
}
