//! R1 and R4 as a client sees them: what is answered while search modules, a
//! model server or the database are away.

use gannet_core::api::{
    Context, Descriptor, Error, Hit, Registration, Result, SearchModule, SearchRequest, Setup,
};
use gannet_core::registry::Registry;
use gannet_test_model_server::{ModelServer, Reply};
use gannet_tests::Host;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::service::Service;

#[path = "../../../store/tests/store/common/outage.rs"]
#[allow(dead_code, reason = "tests of the store use the rest")]
mod server;

/// How a module fails.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Failure {
    #[default]
    Error,
    Panic,
    Garbage,
}

impl gannet_core::api::Settings for Settings {}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Settings {
    failure: Failure,
}

/// A search module that fails.
struct Broken(Failure);

impl SearchModule for Broken {
    const NAME: &'static str = "broken";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Broken", "Fails as it is told.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings.failure))
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        match self.0 {
            Failure::Error => Err(Error::Provider {
                provider: "broken".to_owned(),
                message: "SELECT canary".to_owned(),
                retryable: false,
            }),
            Failure::Panic => panic!("canary"),
            Failure::Garbage => Err(Error::InvalidResult {
                plugin: "broken".to_owned(),
                message: "canary".to_owned(),
            }),
        }
    }
}

/// A service whose pipeline `rag` asks these modules.
async fn service_of(failure: &str, modules: &str) -> Service {
    let own = [Registration::search_module::<Broken>("test", "1.0.0")];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let module = format!("{{enabled: true, plugin: broken, settings: {{failure: {failure}}}}}");
    let settings = [
        ("server.port", "0"),
        ("search_modules.broken", module.as_str()),
        ("pipelines.rag.retrieval_modules", modules),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    let record = json!({
        "id": "A", "timestamp": "2024-01-03T08:00:00Z", "author": "Lee",
        "text": "The cavity tripped on reflected power.",
    });
    host.ingest_lines(&[record]).await;
    Service::over(host).await
}

fn question() -> Value {
    json!({ "query": "why did the cavity trip?", "mode": "rag" })
}

#[tokio::test(flavor = "multi_thread")]
async fn r1_r4_a_failed_module_degrades_an_answer_and_without_any_there_is_none() {
    for failure in ["error", "panic", "garbage"] {
        let service = service_of(failure, "[keyword, broken]").await;
        let answer = service.post("/api/search", question()).await.json(200);
        assert_eq!(answer["degraded"], true, "{failure}: {answer}");
        assert_eq!(answer["entries"][0]["entry_id"], "A", "{failure}");
        let notes = answer["diagnostics"].as_array().unwrap().iter();
        let of_broken = notes.filter(|note| note["source"] == "rag.retrieve.broken");
        assert_eq!(of_broken.count(), 1, "{failure}: {answer}");

        let service = service_of(failure, "[broken]").await;
        for (path, body) in [
            ("/api/search", question()),
            ("/search", json!({ "query": "why did the cavity trip?" })),
        ] {
            let refused = service.post(path, body).await;
            assert_eq!(refused.problem(503), "provider_failed", "{failure} {path}");
            assert!(!refused.text.contains("canary"), "{}", refused.text);
        }
        let turns = json!([{ "role": "user", "content": "why did the cavity trip?" }]);
        let chat = json!({ "model": "rag", "messages": turns });
        let refused = service.post("/v1/chat/completions", chat).await;
        assert_eq!(refused.openai_error(503)[0], "server_error", "{failure}");
    }
}

/// A server that embeds every text alike.
fn embedding_server() -> ModelServer {
    ModelServer::answering(|asked| {
        let texts = asked.body["input"].as_array().map_or(1, Vec::len);
        Reply::embeddings(vec![vec![0.6, 0.8]; texts])
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn r1_r4_without_its_embedding_server_a_search_is_by_words() {
    let model = embedding_server();
    let provider = format!(
        "{{plugin: openai, settings: {{base_url: \"{}/v1\", max_retries: 0, \
         embedding: {{model: small, dimension: 2}}}}}}",
        model.url()
    );
    let service = Service::with(&[
        ("providers.embedder", provider.as_str()),
        ("search_modules.semantic.provider", "embedder"),
        ("enhancement_modules.text_embedding.provider", "embedder"),
    ])
    .await;
    service.host.enhance().await;
    let alone = |query: &str| json!({ "query": query, "mode": "semantic" });
    service.post("/api/search", alone("cavity")).await.json(200);
    drop(model);
    let answer = service.post("/api/search", question()).await.json(200);
    assert_eq!(answer["degraded"], true, "{answer}");
    assert_ne!(answer["entries"], json!([]));
    let refused = service.post("/api/search", alone("vacuum pump")).await;
    assert_eq!(refused.problem(503), "provider_failed");
    // The embedding of a question that was asked before is known.
    service.post("/api/search", alone("cavity")).await.json(200);
    let embed = json!({ "model": "embedder", "input": "x" });
    let refused = service.post("/v1/embeddings", embed).await;
    assert_eq!(refused.openai_error(503)[2], "provider_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn r1_without_its_chat_model_an_answer_is_quoted() {
    let model = ModelServer::answering(|_| Reply::status(500, "no"));
    let service = Service::with_model(&model, &[]).await;
    let answer = service.post("/api/search", question()).await.json(200);
    assert_eq!(answer["degraded"], true, "{answer}");
    assert!(
        answer["answer"].as_str().unwrap().contains("cavity"),
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn r4_without_its_database_a_search_is_503_until_it_is_back() {
    let Some(server) = server::OwnServer::start("http-outage") else {
        return;
    };
    let settings = [
        ("server.port", "0"),
        ("store.kind", "postgres"),
        ("store.uri", server.url()),
        ("store.connect_timeout_seconds", "2"),
    ];
    let service = Service::over(Host::with(&settings).await).await;
    let search = json!({ "query": "cavity", "mode": "keyword" });
    service.post("/api/search", search.clone()).await.json(200);
    server.kill();
    for body in [search.clone(), question()] {
        let refused = service.post("/api/search", body).await;
        assert_eq!(refused.problem(503), "store_unavailable");
        assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    }
    assert_eq!(service.get("/healthz").await.status, 200);
    assert_eq!(service.get("/readyz").await.status, 503);
    server.start_again();
    service.post("/api/search", search).await.json(200);
}
