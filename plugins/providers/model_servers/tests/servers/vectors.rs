//! The embedders `openai` and `ollama`.

use gannet_model_servers::{
    EmbeddingSettings, Ollama, OllamaSettings, OpenAi, OpenAiSettings, Preset,
};
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::{EmbedPurpose, Embedder};
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::json;

use crate::support::{settings, setup};

fn embedding() -> EmbeddingSettings {
    EmbeddingSettings {
        model: Some("e-1".to_owned()),
        dimension: Some(2),
        ..EmbeddingSettings::default()
    }
}

fn openai(server: &ModelServer, embedding: EmbeddingSettings) -> OpenAi {
    let settings = OpenAiSettings {
        embedding,
        ..settings(server)
    };
    <OpenAi as Embedder>::new(settings, &setup()).unwrap()
}

fn ollama(server: &ModelServer, embedding: EmbeddingSettings) -> Ollama {
    let settings = OllamaSettings {
        base_url: server.url().to_owned(),
        timeout_seconds: 1,
        embedding,
        ..OllamaSettings::default()
    };
    <Ollama as Embedder>::new(settings, &setup()).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

async fn embed(embedder: &impl Embedder, count: usize) -> Result<Vec<Vec<f32>>, Error> {
    embedder
        .embed(texts(count), EmbedPurpose::Document, &context())
        .await
}

#[tokio::test]
async fn requests_are_written_in_full_and_vectors_have_length_one() {
    let server = ModelServer::answering(|_| Reply::embeddings([vec![3.0, 4.0], vec![0.0, -2.0]]));
    let expected = [vec![0.6, 0.8], vec![0.0, -1.0]];
    assert_eq!(
        embed(&openai(&server, embedding()), 2).await.unwrap(),
        expected
    );
    assert_eq!(
        embed(&ollama(&server, embedding()), 2).await.unwrap(),
        expected
    );
    let asked = server.requests();
    let paths: Vec<&str> = asked.iter().map(|asked| asked.path.as_str()).collect();
    assert_eq!(paths, ["/v1/embeddings", "/api/embed"]);
    for asked in asked {
        assert_eq!(
            asked.body,
            json!({"model": "e-1", "input": ["text 0", "text 1"]})
        );
    }
}

#[tokio::test]
async fn many_texts_go_in_batches() {
    let server = ModelServer::answering(|asked| {
        let texts = asked.body["input"].as_array().unwrap();
        let number = |text: &serde_json::Value| -> f32 {
            text.as_str()
                .unwrap()
                .trim_start_matches("text ")
                .parse()
                .unwrap()
        };
        Reply::embeddings(texts.iter().map(|text| vec![1.0, number(text)]))
    });
    let vectors = embed(&openai(&server, embedding()), 150).await.unwrap();
    let sizes: Vec<usize> = server
        .requests()
        .iter()
        .map(|asked| asked.body["input"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [64, 64, 22]);
    for (number, vector) in vectors.iter().enumerate() {
        let tangent = f64::from(vector[1]) / f64::from(vector[0]);
        assert!(
            (tangent - number as f64).abs() < 0.01,
            "{number}: {vector:?}"
        );
    }
    assert!(
        embed(&openai(&server, embedding()), 0)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn vectors_are_put_in_order_by_their_index() {
    let body = json!({"data": [
        {"index": 1, "embedding": [0, 1]},
        {"index": 0, "embedding": [1, 0]},
    ]});
    let server = ModelServer::start([Reply::json(body)]);
    let vectors = embed(&openai(&server, embedding()), 2).await.unwrap();
    assert_eq!(vectors, [vec![1.0, 0.0], vec![0.0, 1.0]]);
}

#[tokio::test]
async fn prefixes_tell_questions_from_texts() {
    let server = ModelServer::answering(|_| Reply::embeddings([vec![1.0, 0.0]]));
    let embedder = ollama(
        &server,
        EmbeddingSettings {
            query_prefix: "search_query: ".to_owned(),
            document_prefix: "search_document: ".to_owned(),
            ..embedding()
        },
    );
    for purpose in [EmbedPurpose::Query, EmbedPurpose::Document] {
        embedder
            .embed(vec!["trip".to_owned()], purpose, &context())
            .await
            .unwrap();
    }
    let inputs: Vec<_> = server
        .requests()
        .into_iter()
        .map(|asked| asked.body["input"].clone())
        .collect();
    assert_eq!(
        inputs,
        [
            json!(["search_query: trip"]),
            json!(["search_document: trip"])
        ]
    );
    // Such vectors are not those of the same model without prefixes.
    let plain = ollama(&server, embedding());
    assert_ne!(Embedder::model(&embedder), Embedder::model(&plain));
}

#[tokio::test]
async fn vectors_that_cannot_be_used_are_refused() {
    for (reply, expected) in [
        (
            Reply::embeddings([vec![1.0, 0.0]]),
            "has 1 vectors for 2 texts",
        ),
        (
            Reply::embeddings([vec![1.0], vec![2.0]]),
            "`embedding.dimension` is 2",
        ),
        (
            Reply::embeddings([vec![0.0, 0.0], vec![1.0, 0.0]]),
            "of length 0",
        ),
        (
            Reply::json(
                json!({"data": [{"index": 0, "embedding": [1, 0]}, {"index": 0, "embedding": [1, 0]}]}),
            ),
            "one per text",
        ),
        (
            Reply::json(json!({"data": [{"index": 0, "embedding": [1, null]}]})),
            "not a number",
        ),
        (
            Reply::json(json!({"message": "hello"})),
            r#"has no `data`: {"message":"hello"}"#,
        ),
        (Reply::malformed_json(), "is not JSON"),
        (Reply::status(400, "too long"), "too long"),
    ] {
        let server = ModelServer::start([reply]);
        let error = embed(&openai(&server, embedding()), 2).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, Error::Provider { .. }));
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_one_that_hangs_is_given_up() {
    let server = ModelServer::start([
        Reply::status(429, "slow down").retry_after(0),
        Reply::embeddings([vec![1.0, 0.0]]),
        Reply::hang(),
    ]);
    let embedder = ollama(&server, embedding());
    assert_eq!(embed(&embedder, 1).await.unwrap().len(), 1);
    let error = embed(&embedder, 1).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
}

#[test]
fn common_models_are_known() {
    let server = ModelServer::start([]);
    let openai = <OpenAi as Embedder>::new(OpenAiSettings::default(), &setup()).unwrap();
    let model = Embedder::model(&openai);
    assert_eq!(
        (model.name.as_str(), model.dimension),
        ("text-embedding-3-small", 1536)
    );
    let ollama = <Ollama as Embedder>::new(OllamaSettings::default(), &setup()).unwrap();
    let model = Embedder::model(&ollama);
    assert_eq!(
        (model.name.as_str(), model.dimension),
        ("nomic-embed-text", 768)
    );
    let tagged = EmbeddingSettings {
        model: Some("mxbai-embed-large:latest".to_owned()),
        ..EmbeddingSettings::default()
    };
    assert_eq!(
        Embedder::model(&self::ollama(&server, tagged)).dimension,
        1024
    );
}

#[tokio::test]
async fn a_model_or_dimension_that_is_missing_or_out_of_bounds_is_named_at_the_call() {
    let server = ModelServer::start([]);
    for (embedding, setting) in [
        (EmbeddingSettings::default(), "embedding.model"),
        (
            EmbeddingSettings {
                dimension: None,
                ..embedding()
            },
            "embedding.dimension",
        ),
        (
            EmbeddingSettings {
                dimension: Some(20_000),
                ..embedding()
            },
            "embedding.dimension",
        ),
        (
            EmbeddingSettings {
                model: Some("x".repeat(300)),
                ..embedding()
            },
            "embedding.model",
        ),
    ] {
        let settings = OpenAiSettings {
            preset: Some(Preset::LlamaServer),
            embedding,
            ..settings(&server)
        };
        let embedder = <OpenAi as Embedder>::new(settings, &setup()).unwrap();
        let error = embed(&embedder, 1).await.unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("setting `providers.lab.settings.{setting}`")),
            "{error}"
        );
    }
    assert!(server.requests().is_empty());
}
