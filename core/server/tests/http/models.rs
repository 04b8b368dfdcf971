//! The OpenAI-compatible face.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
    let model = reply["model"].as_str().unwrap();
    let by_its_model = json!({ "input": "a cavity trip", "model": model });
    let by_its_model = service.post("/v1/embeddings", by_its_model).await.json(200);
    assert_eq!(by_its_model["model"], model);
    let cosine = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]));
}

#[tokio::test(flavor = "multi_thread")]
async fn embeddings_in_base64_are_the_same_numbers() {
    let service = Service::start().await;
    let vector = async |format: &str| {
        let body = json!({ "input": "a cavity trip", "encoding_format": format });
        let reply = service.post("/v1/embeddings", body).await.json(200);
        reply["data"][0]["embedding"].clone()
    };
    let numbers: Vec<f32> = serde_json::from_value(vector("float").await).unwrap();
    let coded = vector("base64").await;
    let bytes = STANDARD.decode(coded.as_str().unwrap()).unwrap();
    let decoded: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
        .collect();
    assert_eq!(decoded, numbers);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_scored_by_a_reranker_where_there_is_one() {
    let body = json!({ "query": "trip", "documents": ["lunch", "the cavity tripped"], "top_n": 1 });
    let service = Service::start().await;
    let refused = service.post("/v1/rerank", body.clone()).await;
    assert_eq!(refused.openai_error(400)[2], "not_configured");
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
