//! The chat model `openai` with a server that does as it should.

use futures::StreamExt;
use gannet_model_servers::{OllamaSettings, OpenAi, OpenAiSettings, Preset, RerankSettings};
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::{ChatChunk, ChatModel, Embedder};
use gannet_plugin::setup::Secret;
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::json;

use crate::support::{ask, calls, full_request, openai, question, reason, settings, setup, text};

#[tokio::test]
async fn a_request_is_written_in_full() {
    let server = ModelServer::start([Reply::text("It tripped.")]);
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "k-1\n").unwrap();
    let settings = OpenAiSettings {
        api_key: Some(Secret::file(&key)),
        headers: [("x-project".to_owned(), Secret::file(&key))].into(),
        ..settings(&server)
    };
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    ask(&model, full_request()).await.unwrap();

    let asked = server.requests().remove(0);
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.authorization.as_deref(), Some("Bearer k-1"));
    assert!(
        asked
            .headers
            .contains(&("x-project".to_owned(), "k-1".to_owned()))
    );
    let expected = json!({
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why was the beam lost?"},
            {"role": "assistant", "content": null, "tool_calls": [{
                "id": "call_9",
                "type": "function",
                "function": {"name": "keyword_search", "arguments": "{\"query\":\"trip\"}"},
            }]},
            {"role": "tool", "content": "[#A] A klystron tripped.", "tool_call_id": "call_9"},
        ],
        "stream": true,
        "temperature": 0.5,
        "max_tokens": 200,
        "tools": [{"type": "function", "function": {
            "name": "keyword_search",
            "description": "Finds entries with the words of a query.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        }}],
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "answer", "schema": {"type": "object"}, "strict": false,
        }},
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn what_is_not_set_is_not_written() {
    let server = ModelServer::start([Reply::text("It tripped.")]);
    ask(&openai(&server), question()).await.unwrap();
    let asked = server.requests().remove(0);
    assert_eq!(asked.authorization, None);
    let messages = json!([{"role": "user", "content": "Why was the beam lost?"}]);
    assert_eq!(asked.body, json!({"messages": messages, "stream": true}));
}

#[tokio::test]
async fn the_model_of_the_settings_is_asked_when_the_request_names_none() {
    let server = ModelServer::start([Reply::text("a"), Reply::text("b")]);
    let settings = OpenAiSettings {
        model: Some("of-settings".to_owned()),
        preset: Some(Preset::Vllm),
        ..settings(&server)
    };
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    ask(&model, question()).await.unwrap();
    ask(&model, full_request()).await.unwrap();
    let asked = server.requests();
    assert_eq!(asked[0].body["model"], "of-settings");
    assert_eq!(asked[1].body["model"], "m-1");
}

#[tokio::test]
async fn words_come_one_by_one() {
    let server = ModelServer::start([Reply::text("Ein Klystron fiel aus: 5 \u{b5}s.")]);
    let chunks = ask(&openai(&server), question()).await.unwrap();
    assert_eq!(text(&chunks), "Ein Klystron fiel aus: 5 \u{b5}s.");
    assert!(chunks.len() > 3, "{chunks:?}");
    assert_eq!(reason(&chunks), "stop");
}

#[tokio::test]
async fn the_first_words_come_before_the_last_are_there() {
    let server = ModelServer::start([Reply::hang_after("It tripped")]);
    let mut stream = openai(&server).chat(question(), &context()).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!(first, ChatChunk::Token("It".to_owned()));
}

#[tokio::test]
async fn tool_calls_are_put_together() {
    let server = ModelServer::start([
        Reply::tool_calls([
            ("keyword_search", json!({"query": "klystron trip"})),
            ("semantic_search", json!({"query": "why", "limit": 3})),
        ]),
        Reply::text_and_tool_call("I look it up.", "keyword_search", json!({"query": "x"})),
    ]);
    let model = openai(&server);
    let chunks = ask(&model, question()).await.unwrap();
    let names: Vec<_> = calls(&chunks)
        .into_iter()
        .map(|(_, name, args)| (name, args))
        .collect();
    assert_eq!(
        names,
        [
            (
                "keyword_search".to_owned(),
                json!({"query": "klystron trip"})
            ),
            (
                "semantic_search".to_owned(),
                json!({"query": "why", "limit": 3})
            ),
        ]
    );
    assert_eq!(reason(&chunks), "tool_calls");

    let chunks = ask(&model, question()).await.unwrap();
    assert_eq!(text(&chunks), "I look it up.");
    assert_eq!(calls(&chunks).len(), 1);
    assert!(matches!(chunks[chunks.len() - 2], ChatChunk::ToolCall(_)));
}

#[tokio::test]
async fn arguments_that_are_no_json_come_as_they_were_written() {
    let server = ModelServer::start([Reply::raw_tool_call("keyword_search", "{\"query\": klys")]);
    let chunks = ask(&openai(&server), question()).await.unwrap();
    assert_eq!(calls(&chunks)[0].2, json!("{\"query\": klys"));
}

#[tokio::test]
async fn the_reason_is_the_servers() {
    let server = ModelServer::start([Reply::text("It").finish("length")]);
    let chunks = ask(&openai(&server), question()).await.unwrap();
    assert_eq!(reason(&chunks), "length");
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let server = ModelServer::start([Reply::hang_after("It tripped"), Reply::hang()]);
    let mut stream = openai(&server).chat(question(), &context()).await.unwrap();
    stream.next().await.unwrap().unwrap();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    server.abandoned().await;
}

#[tokio::test]
async fn dropping_the_call_ends_the_request() {
    let server = ModelServer::start([Reply::hang()]);
    let model = openai(&server);
    let context = context();
    tokio::select! {
        _ = model.chat(question(), &context) => panic!("the server does not answer"),
        () = server.asked(1) => {}
    }
    server.abandoned().await;
}

#[test]
fn making_one_needs_neither_key_nor_model_nor_server() {
    for preset in [None, Some(Preset::Cborg), Some(Preset::LmStudio)] {
        let settings = OpenAiSettings {
            preset,
            api_key: Some(Secret::variable("GANNET_NEVER_SET")),
            ..OpenAiSettings::default()
        };
        assert!(<OpenAi as ChatModel>::new(settings.clone(), &setup()).is_ok());
        assert!(<OpenAi as Embedder>::new(settings, &setup()).is_ok());
    }
}

#[tokio::test]
async fn what_is_missing_is_named_at_the_call() {
    let refused = |settings: OpenAiSettings| async {
        let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
        let error = ask(&model, question()).await.unwrap_err();
        assert!(matches!(error, Error::Configuration { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(OpenAiSettings::default()).await,
        "setting `providers.lab.settings.model`: no chat model is set"
    );
    let settings = OpenAiSettings {
        model: Some("m".to_owned()),
        api_key: Some(Secret::variable("GANNET_NEVER_SET")),
        ..OpenAiSettings::default()
    };
    assert_eq!(
        refused(settings).await,
        "setting `providers.lab.settings.api_key`: \
         the environment variable GANNET_NEVER_SET is not set; set it"
    );
}

#[test]
fn an_address_that_is_none_is_refused() {
    for base_url in ["", "localhost:8000", "ftp://host/v1", "/v1"] {
        let settings = OpenAiSettings {
            base_url: Some(base_url.to_owned()),
            ..OpenAiSettings::default()
        };
        let refused = <OpenAi as ChatModel>::new(settings, &setup());
        let message = refused.err().unwrap().to_string();
        assert!(
            message.starts_with("setting `providers.lab.settings.base_url`"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn openai_is_told_the_limit_by_the_name_that_all_its_models_know() {
    let server = ModelServer::start([Reply::text("a")]);
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "k-1").unwrap();
    let settings = OpenAiSettings {
        preset: Some(Preset::Openai),
        api_key: Some(Secret::file(key)),
        ..settings(&server)
    };
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    ask(&model, full_request()).await.unwrap();
    let body = server.requests().remove(0).body;
    assert_eq!(body["max_completion_tokens"], 200);
    assert_eq!(body.get("max_tokens"), None);
}

#[test]
fn openai_is_meant_when_nothing_is_said_and_no_preset_when_an_address_is() {
    assert_eq!(OpenAiSettings::default().preset(), Some(Preset::Openai));
    let of = |value| {
        serde_json::from_value::<OpenAiSettings>(value)
            .unwrap()
            .preset()
    };
    assert_eq!(of(json!({"base_url": "http://gpu:8000/v1"})), None);
    let both = json!({"base_url": "http://gpu:8000/v1", "preset": "llama_server"});
    assert_eq!(of(both), Some(Preset::LlamaServer));
}

#[test]
fn a_key_that_is_written_down_is_refused_and_not_shown() {
    for (value, setting) in [
        (json!({"api_key": "s3cret"}), "in `api_key`: "),
        (json!({"api_key": {"env": "sk-s3cret"}}), "in `api_key`: "),
        (json!({"api_key": {"key": "s3cret"}}), "in `api_key`: "),
        (
            json!({"headers": {"x-key": "s3cret"}}),
            "in `headers.x-key`: ",
        ),
        (json!({"headers": "s3cret"}), "in `headers`: "),
    ] {
        let refused = serde_json::from_value::<OpenAiSettings>(value).unwrap_err();
        let message = refused.to_string();
        assert!(message.starts_with(setting), "{message}");
        assert!(message.contains("{ env: NAME }"), "{message}");
        assert!(!message.contains("s3cret"), "{message}");
    }
    let key = json!({"api_key": "s3cret"});
    let of_ollama = serde_json::from_value::<OllamaSettings>(key.clone()).unwrap_err();
    let of_reranker = serde_json::from_value::<RerankSettings>(key).unwrap_err();
    for refused in [of_ollama, of_reranker] {
        assert!(
            refused.to_string().starts_with("in `api_key`: "),
            "{refused}"
        );
    }
}

#[test]
fn references_to_secrets_are_read_and_may_be_left_out() {
    let read = |value| serde_json::from_value::<OpenAiSettings>(value).unwrap();
    let key = Secret::variable("LAB_KEY");
    let set = read(json!({
        "api_key": {"env": "LAB_KEY"},
        "headers": {"x-key": {"env": "LAB_KEY"}},
    }));
    assert_eq!(set.api_key, Some(key.clone()));
    assert_eq!(set.headers, [("x-key".to_owned(), key)].into());
    assert_eq!(read(json!({"api_key": null})), OpenAiSettings::default());
    assert_eq!(read(json!({})), OpenAiSettings::default());
}
