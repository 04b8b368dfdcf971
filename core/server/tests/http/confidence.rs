//! The confidence and the highlights of an answer, on every face.

use gannet_core::api::{
    Answer, AnswerStatus, Context, Descriptor, NoSettings, Pipeline, PipelineRequest, Registration,
    Result, Setup, TextSearch,
};
use gannet_core::registry::Registry;
use gannet_tests::Host;
use reqwest::Method;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::service::{Service, records};
use crate::streams;

/// Answers with the best entry, and is sure of it if it is asked to be.
struct Certain;

const TEXT: &str = "Nach 3 µs: the pump was changed";

impl Pipeline for Certain {
    const NAME: &'static str = "certain";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Certain", "Knows how sure it is.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let mut search = TextSearch::new("cavity", 1);
        search.filter = request.filter;
        let hits = context.text_search(search).await?;
        let id = hits[0].entry_id.clone();
        let answer = Answer::new(hits)
            .with_answer(format!("{TEXT} [#{id}]."))
            .with_answer_status(AnswerStatus::Grounded)
            .with_citations(vec![id]);
        if request.query == "unsure" {
            return Ok(answer);
        }
        let end = TEXT.len();
        let highlights = vec![5..10, end - 7..end];
        Ok(answer
            .with_answer_confidence(0.92)
            .with_answer_highlights(highlights))
    }
}

async fn service() -> Service {
    let own = [Registration::pipeline::<Certain>("test", "1.0.0")];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let settings = [("server.port", "0"), ("pipelines.certain.enabled", "true")];
    let host = Host::with_plugins(&settings, &registry).await;
    host.ingest_lines(&records()).await;
    Service::over(host).await
}

/// Places of `3 µs` and of `changed`, in bytes.
fn highlights() -> Value {
    json!([{ "start": 5, "end": 10 }, { "start": 25, "end": 32 }])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_and_the_end_of_a_stream_have_them() {
    let service = service().await;
    let body = json!({ "query": "sure", "mode": "certain" });
    let result = service.post("/api/search", body.clone()).await.json(200);
    let request = service
        .request(Method::POST, "/api/search/stream")
        .json(&body);
    let events = streams::all(request.send().await.unwrap()).await;
    for result in [&result, &events.last().unwrap().2] {
        assert_eq!(result["answer_confidence"], 0.92);
        assert_eq!(result["answer_highlights"], highlights());
    }
    let body = json!({ "query": "unsure", "mode": "certain" });
    let result = service.post("/api/search", body).await.json(200);
    assert_eq!(result["answer_confidence"], Value::Null);
    assert_eq!(result["answer_highlights"], json!([]));
    let document = service.get("/openapi.json").await.json(200);
    let schemas = &document["components"]["schemas"];
    let properties = &schemas["SearchResponse"]["properties"];
    assert_eq!(
        properties["answer_highlights"]["items"]["$ref"],
        "#/components/schemas/TextRange"
    );
    assert_eq!(
        schemas["TextRange"]["properties"]["start"]["type"],
        "integer"
    );
    assert!(properties["answer_confidence"].is_object());
    // What is left out of some answers must not be required.
    for (schema, field) in [
        ("ChatCompletion", "answer_highlights"),
        ("UnifiedResult", "answerHighlights"),
    ] {
        let schema = &schemas[schema];
        assert!(schema["properties"][field].is_object(), "{schema}");
        let required = schema["required"].as_array().unwrap();
        assert!(!required.contains(&json!(field)), "{schema}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_compatible_face_has_them_beside_the_citations() {
    let service = service().await;
    let body = |question: &str, stream: bool| {
        let turn = json!({ "role": "user", "content": question });
        json!({ "model": "certain", "stream": stream, "messages": [turn] })
    };
    let path = "/v1/chat/completions";
    let whole = service.post(path, body("sure", false)).await.json(200);
    let streamed = service.post(path, body("sure", true)).await.text;
    let chunks = streamed.lines();
    let mut chunks = chunks.filter_map(|line| line.strip_prefix("data: "));
    let last = chunks.rfind(|data| *data != "[DONE]").unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    for answer in [&whole, &last] {
        assert_eq!(answer["citations"].as_array().unwrap().len(), 1);
        assert_eq!(answer["answer_status"], "grounded");
        assert_eq!(answer["answer_confidence"], 0.92);
        assert_eq!(answer["answer_highlights"], highlights());
    }
    let unsure = service.post(path, body("unsure", false)).await.json(200);
    assert_eq!(unsure.get("answer_confidence"), None);
    assert_eq!(unsure.get("answer_highlights"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_gets_the_words_themselves_and_none_of_an_answer_that_it_knows() {
    let service = service().await;
    let agent = Agent::start(&service, None).await;
    let answer = agent.call("certain", json!({ "query": "sure" })).await;
    assert_eq!(answer["answer_confidence"], 0.92);
    assert_eq!(answer["answer_highlights"], json!(["3 µs", "changed"]));
    let seen = answer["entries"][0]["entry_id"].clone();
    let arguments = json!({ "query": "sure", "exclude_entry_ids": [seen] });
    let again = agent.call("certain", arguments).await;
    for field in ["answer", "answer_confidence", "answer_highlights"] {
        assert_eq!(again.get(field), None, "{field}");
    }
}
