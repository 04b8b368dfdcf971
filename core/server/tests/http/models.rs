//! The OpenAI-compatible face.

use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::{Service, column};

fn question(stream: bool) -> Value {
    json!({
        "model": "rag",
        "stream": stream,
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": [{ "type": "text", "text": "why did the cavity trip?" }] },
        ],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_answers_a_conversation() {
    let service = Service::start().await;
    let models = service.get("/v1/models").await.json(200);
    assert!(column(&models["data"], "id").contains(&"rag".to_owned()));
    let answer = service
        .post("/v1/chat/completions", question(false))
        .await
        .json(200);
    let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("cavity"), "{text}");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_ne!(answer["citations"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_answer_is_the_models_tokens_and_ends() {
    let model = ModelServer::start([Reply::text("It was reset [#A].")]);
    let service = Service::with_model(&model, &[]).await;
    let request = service.request(Method::POST, "/v1/chat/completions");
    let response = request.json(&question(true)).send().await.unwrap();
    let text = response.text().await.unwrap();
    let data: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    assert_eq!(data.last(), Some(&"[DONE]"));
    let chunks = data[..data.len() - 1].iter();
    let chunks: Vec<Value> = chunks
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let said = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str());
    assert_eq!(said.collect::<String>(), "It was reset [#A].");
    assert_eq!(
        chunks.last().unwrap()["choices"][0]["finish_reason"],
        "stop"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_answer_without_a_model_is_the_quoted_one() {
    let service = Service::start().await;
    let request = service.request(Method::POST, "/v1/chat/completions");
    let response = request.json(&question(true)).send().await.unwrap();
    let text = response.text().await.unwrap();
    assert!(
        text.contains("cavity") && text.trim_end().ends_with("data: [DONE]"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_embedded_by_the_configured_embedder() {
    let service = Service::start().await;
    let body = json!({ "input": ["the cavity tripped", "a cavity trip", "lunch menu"] });
    let reply = service.post("/v1/embeddings", body).await.json(200);
    let vectors: Vec<Vec<f64>> = reply["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| serde_json::from_value(one["embedding"].clone()).unwrap())
        .collect();
    assert!(vectors.len() == 3 && vectors.iter().all(|vector| vector.len() == 384));
    let cosine = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]));
    let unknown = service
        .post("/v1/embeddings", json!({ "input": "x", "model": "none" }))
        .await;
    assert_eq!(unknown.problem(400), "unknown_name");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_scored_by_a_reranker_where_there_is_one() {
    let body = json!({ "query": "trip", "documents": ["lunch", "the cavity tripped"], "top_n": 1 });
    let service = Service::start().await;
    assert_eq!(
        service.post("/v1/rerank", body.clone()).await.problem(400),
        "not_configured"
    );
    let model = ModelServer::start([Reply::scores([(0, 0.1), (1, 0.9)])]);
    let provider = format!(
        "{{plugin: rerank_server, settings: {{base_url: \"{}\", model: small}}}}",
        model.url()
    );
    let service = Service::with(&[("providers.scorer", &provider)]).await;
    let reply = service.post("/v1/rerank", body).await.json(200);
    assert_eq!(reply["results"].as_array().unwrap().len(), 1);
    assert_eq!(reply["results"][0]["index"], 1);
}
