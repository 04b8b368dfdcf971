//! What a client is told of a model server that failed: neither its address
//! nor what it answered. An administrator is told.

use gannet_server::auth::Scope;
use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::logins::key;
use crate::service::{Answer, Service};

const QUERY: &str = "why did the cavity trip?";
const READER: [Scope; 2] = [Scope::Search, Scope::Ask];
const ADMIN: [Scope; 3] = [Scope::Search, Scope::Ask, Scope::Admin];

async fn post(service: &Service, key: Option<&str>, path: &str, body: &Value) -> String {
    let mut request = service.request(Method::POST, path).json(body);
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    let answer = Answer::of(request.send().await.unwrap()).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.text
}

fn is_clean(text: &str, model: &ModelServer) -> bool {
    let address = model.url().trim_start_matches("http://");
    let host = address.split(':').next().unwrap();
    !text.contains("canary") && !text.contains(host)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_model_that_failed_is_told_by_the_kind_of_failure() {
    let model = ModelServer::answering(|_| Reply::status(500, "canary").retry_after(0));
    let required = [("server.auth.required", "true")];
    let service = Service::with_model(&model, &required).await;
    let (reader, admin) = (
        key(&service, "default", &READER),
        key(&service, "default", &ADMIN),
    );
    let search = json!({ "query": QUERY, "mode": "rag" });
    for (path, body) in [
        ("/api/search", search.clone()),
        ("/api/search/stream", search.clone()),
        ("/search", json!({ "query": QUERY })),
    ] {
        let told = post(&service, Some(&reader), path, &body).await;
        assert!(is_clean(&told, &model), "{path}: {told}");
        assert!(told.contains("the log has the reason"), "{path}: {told}");
        assert!(told.contains("fell back to quoted"), "{path}: {told}");
        let whole = post(&service, Some(&admin), path, &body).await;
        assert!(whole.contains("canary"), "{path}: {whole}");
    }
    let turns = json!([{ "role": "user", "content": QUERY }]);
    for is_streamed in [false, true] {
        let chat = json!({ "model": "rag", "messages": turns, "stream": is_streamed });
        let told = post(&service, Some(&reader), "/v1/chat/completions", &chat).await;
        assert!(is_clean(&told, &model), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_keys_nobody_is_an_administrator() {
    let model = ModelServer::answering(|_| Reply::status(500, "canary").retry_after(0));
    let service = Service::with_model(&model, &[]).await;
    let body = json!({ "query": QUERY, "mode": "rag" });
    let told = post(&service, None, "/api/search", &body).await;
    assert!(is_clean(&told, &model), "{told}");
    assert!(told.contains("\"category\":\"provider\""), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedder_that_failed_is_told_without_its_address() {
    let model = ModelServer::answering(|asked| match asked.body["input"].to_string() {
        question if question.contains("why") => Reply::status(401, "canary"),
        _ => {
            let texts = asked.body["input"].as_array().map_or(1, Vec::len);
            Reply::embeddings(vec![vec![0.6, 0.8]; texts])
        }
    });
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
    let body = json!({ "query": QUERY, "mode": "rag" });
    let told = post(&service, None, "/api/search", &body).await;
    let agent = Agent::start(&service, None).await;
    let over_mcp = agent
        .call("rag", json!({ "query": QUERY }))
        .await
        .to_string();
    for told in [told, over_mcp] {
        assert!(is_clean(&told, &model), "{told}");
        let expected = "semantic was skipped, its embedder failed; the log has the reason";
        assert!(told.contains(expected), "{told}");
    }
}
