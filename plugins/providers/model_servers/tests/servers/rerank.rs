//! The reranker `rerank_server`.

use gannet_model_servers::{RerankForm, RerankServer, RerankSettings};
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::{RerankScore, Reranker};
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::json;

use crate::support::setup;

fn reranker(server: &ModelServer, form: RerankForm) -> RerankServer {
    let settings = RerankSettings {
        base_url: format!("{}/", server.url()),
        form,
        timeout_seconds: 1,
        ..RerankSettings::default()
    };
    RerankServer::new(settings, &setup()).unwrap()
}

async fn rerank(reranker: &RerankServer, documents: &[&str]) -> Result<Vec<RerankScore>, Error> {
    let documents = documents.iter().map(|text| (*text).to_owned()).collect();
    reranker
        .rerank("trip".to_owned(), documents, &context())
        .await
}

fn pairs(scores: &[RerankScore]) -> Vec<(usize, f64)> {
    scores
        .iter()
        .map(|score| (score.index, score.score))
        .collect()
}

#[tokio::test]
async fn both_forms_are_spoken_and_the_best_comes_first() {
    for (form, path, body) in [
        (
            RerankForm::Cohere,
            "/v1/rerank",
            json!({"query": "trip", "documents": ["a", "b", "c"]}),
        ),
        (
            RerankForm::Tei,
            "/rerank",
            json!({"query": "trip", "texts": ["a", "b", "c"]}),
        ),
    ] {
        let server = ModelServer::start([Reply::scores([(0, -1.5), (2, 0.25), (1, 0.25)])]);
        let scores = rerank(&reranker(&server, form), &["a", "b", "c"])
            .await
            .unwrap();
        assert_eq!(pairs(&scores), [(1, 0.25), (2, 0.25), (0, -1.5)]);
        let asked = server.requests().remove(0);
        assert_eq!(asked.path, path);
        assert_eq!(asked.body, body);
    }
}

#[tokio::test]
async fn path_and_model_can_be_set() {
    let server = ModelServer::start([Reply::scores([(0, 1.0)])]);
    let settings = RerankSettings {
        base_url: server.url().to_owned(),
        path: Some("/api/v2/rerank".to_owned()),
        model: Some("r-1".to_owned()),
        ..RerankSettings::default()
    };
    let reranker = RerankServer::new(settings, &setup()).unwrap();
    rerank(&reranker, &["a"]).await.unwrap();
    let asked = server.requests().remove(0);
    assert_eq!(asked.path, "/api/v2/rerank");
    assert_eq!(asked.body["model"], "r-1");
}

#[tokio::test]
async fn without_documents_nobody_is_asked() {
    let server = ModelServer::start([]);
    let scores = rerank(&reranker(&server, RerankForm::Cohere), &[])
        .await
        .unwrap();
    assert!(scores.is_empty());
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let server = ModelServer::start([
        Reply::status(503, "").retry_after(0),
        Reply::scores([(0, 1.0)]),
    ]);
    let scores = rerank(&reranker(&server, RerankForm::Cohere), &["a"])
        .await
        .unwrap();
    assert_eq!(pairs(&scores), [(0, 1.0)]);
}

#[tokio::test]
async fn what_cannot_be_used_is_an_error() {
    for (reply, expected) in [
        (Reply::json(json!({"scores": []})), "has no `results`"),
        (Reply::scores([(0, 1.0)]), "has 1 scores for 2 texts"),
        (Reply::scores([(0, 1.0), (2, 1.0)]), "one per text"),
        (Reply::scores([(0, 1.0), (0, 1.0)]), "one per text"),
        (
            Reply::json(json!({"results": [{"index": 0}, {"index": 1}]})),
            "without `relevance_score`",
        ),
        (
            Reply::json(json!({"results": [{"relevance_score": 1}]})),
            "without `index`",
        ),
        (Reply::malformed_json(), "is not JSON"),
        (Reply::status(400, "not supported"), "not supported"),
    ] {
        let server = ModelServer::start([reply]);
        let error = rerank(&reranker(&server, RerankForm::Cohere), &["a", "b"])
            .await
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, Error::Provider { .. }));
    }
    let server = ModelServer::start([Reply::json(json!({"results": []}))]);
    let error = rerank(&reranker(&server, RerankForm::Tei), &["a"])
        .await
        .unwrap_err();
    assert!(error.to_string().contains("is not an array"), "{error}");
}

#[tokio::test]
async fn a_server_that_hangs_or_is_gone_is_an_error() {
    let server = ModelServer::start([Reply::hang()]);
    let reranker = reranker(&server, RerankForm::Cohere);
    let error = rerank(&reranker, &["a"]).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    drop(server);
    let error = rerank(&reranker, &["a"]).await.unwrap_err();
    assert!(error.to_string().contains("request failed"), "{error}");
}
