//! Ollama, a program, and embedders behind a server, through the whole host.

use gannet_core::SearchInput;
use gannet_test_model_server::{ModelServer, Reply};
use gannet_tests::{Host, ids};

use super::scene::{QUESTION, ingest};

async fn answer_of(settings: &[(&str, &str)]) -> Option<String> {
    let host = Host::with(settings).await;
    ingest(&host).await;
    let mut input = SearchInput::new(QUESTION);
    input.mode = Some("rag".to_owned());
    host.gannet.search(input).await.unwrap().answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ollama_answers_in_its_own_form() {
    let server = ModelServer::start([Reply::text("A worn circulator [#B].")]);
    let provider = format!("{{settings: {{base_url: \"{}\", model: m}}}}", server.url());
    let settings = [
        ("providers.ollama", provider.as_str()),
        ("reasoning.provider", "ollama"),
        ("reasoning.model_id", "llama3.2"),
    ];
    let answer = answer_of(&settings).await;
    assert_eq!(answer.as_deref(), Some("A worn circulator [#B]."));
    let asked = &server.requests()[0];
    assert_eq!(asked.path, "/api/chat");
    assert_eq!(asked.body["model"], "llama3.2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_pipeline_can_have_a_model_of_its_own() {
    let (general, own) = (
        ModelServer::start([]),
        ModelServer::start([Reply::text("A worn circulator [#B].")]),
    );
    let provider = |server: &ModelServer| {
        format!(
            "{{plugin: openai, settings: {{base_url: \"{}/v1\", model: m}}}}",
            server.url()
        )
    };
    let (general_provider, own_provider) = (provider(&general), provider(&own));
    let settings = [
        ("providers.general", general_provider.as_str()),
        ("providers.own", own_provider.as_str()),
        ("reasoning.provider", "general"),
        ("pipelines.rag.provider", "own"),
        ("pipelines.rag.model", "large"),
    ];
    assert!(answer_of(&settings).await.is_some());
    assert!(general.requests().is_empty());
    assert_eq!(own.requests()[0].body["model"], "large");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_program_reads_the_prompt_and_its_output_is_the_answer() {
    let settings = [
        (
            "providers.command",
            "{settings: {command: \"grep -o 'worn circulator'\"}}",
        ),
        ("reasoning.provider", "command"),
    ];
    let answer = answer_of(&settings).await.unwrap();
    assert!(answer.starts_with("worn circulator"), "{answer}");
}

/// One server chats and embeds under one name.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn vectors_can_come_from_a_server() {
    let server = ModelServer::answering(|asked| {
        let vector = |text: &str| match text.contains("circulator") {
            true => vec![3.0, 4.0, 0.0],
            false => vec![0.0, 0.0, 2.0],
        };
        let texts = asked.body["input"].as_array().unwrap();
        Reply::embeddings(texts.iter().map(|text| vector(text.as_str().unwrap())))
    });
    let provider = format!(
        "{{plugin: openai, settings: {{base_url: \"{}/v1\", embedding: {{model: tiny, dimension: 3}}}}}}",
        server.url()
    );
    let settings = [
        ("providers.server", provider.as_str()),
        ("embedding.provider", "server"),
    ];
    let host = Host::with(&settings).await;
    ingest(&host).await;
    let result = host.search("semantic", "circulator").await;
    assert_eq!(ids(&result), ["B"]);
    assert!((result.entries[0].score - 1.0).abs() < 1e-3);
    assert!(
        server
            .requests()
            .iter()
            .all(|asked| asked.path == "/v1/embeddings")
    );
}

/// Vectors of as many dimensions as the model `all-minilm` has.
fn minilm_server() -> ModelServer {
    ModelServer::answering(|asked| {
        let vector = |text: &str| {
            let mut vector = vec![0.0; 384];
            vector[usize::from(text.contains("circulator"))] = 1.0;
            vector
        };
        let texts = asked.body["input"].as_array().unwrap();
        Reply::embeddings(texts.iter().map(|text| vector(text.as_str().unwrap())))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_module_asks_its_provider_for_the_model_that_it_names() {
    let server = minilm_server();
    let provider = format!(
        "{{plugin: openai, settings: {{base_url: \"{}/v1\", embedding: {{model: tiny, dimension: 3}}}}}}",
        server.url()
    );
    let host = Host::with(&[
        ("providers.server", provider.as_str()),
        ("search_modules.semantic.provider", "server"),
        ("search_modules.semantic.model", "all-minilm"),
        ("enhancement_modules.text_embedding.provider", "server"),
        ("enhancement_modules.text_embedding.model", "all-minilm"),
    ])
    .await;
    ingest(&host).await;
    let result = host.search("semantic", "circulator").await;
    assert_eq!(ids(&result), ["B"]);
    let requests = server.requests();
    assert!(!requests.is_empty());
    assert!(
        requests
            .iter()
            .all(|asked| asked.body["model"] == "all-minilm")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_model_that_cannot_be_had_is_refused_by_name_at_start() {
    let server = "{plugin: openai, settings: {base_url: \"http://127.0.0.1:1/v1\", \
                  embedding: {model: huge, dimension: 9000}}}";
    let command = ("providers.command.settings.command", "cat");
    let cases: [(&[(&str, &str)], &str); 7] = [
        (
            &[("search_modules.semantic.model", "m9")],
            "`search_modules.semantic.model`: the provider `builtin` has no model `m9`: its model \
             is `all-MiniLM-L6-v2`",
        ),
        (
            &[("enhancement_modules.text_embedding.model", "m9")],
            "`enhancement_modules.text_embedding.model`: the provider `builtin` has no model `m9`",
        ),
        (
            &[("search_modules.keyword.provider", "builtin")],
            "`search_modules.keyword.provider`: `keyword` asks no model, so nothing reads \
             `provider`",
        ),
        (
            &[
                command,
                ("reasoning.provider", "command"),
                ("reasoning.model_id", "m"),
            ],
            "`reasoning.model_id`: the provider `command` cannot be asked for `m`: a program is \
             run as `command` says",
        ),
        (
            &[command, ("search_modules.semantic.provider", "command")],
            "`command` is not an embedder; there are: builtin",
        ),
        (
            &[
                ("providers.server", server),
                ("embedding.provider", "server"),
            ],
            "vectors of `huge` have 9000 dimensions; the store holds at most 8192",
        ),
        (
            &[
                ("providers.server", server),
                ("search_modules.semantic.provider", "server"),
                ("search_modules.semantic.model", "unknown"),
            ],
            "how many dimensions a vector of `unknown` has is not known",
        ),
    ];
    for (settings, expected) in cases {
        let refused = Host::try_with(settings).await.err().unwrap().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    let same = [("search_modules.semantic.model", "all-MiniLM-L6-v2")];
    assert!(Host::try_with(&same).await.is_ok());
}
