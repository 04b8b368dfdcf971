//! A real model, where one is asked for: `GANNET_TEST_CHAT_MODEL` is the URL
//! of an OpenAI-compatible server, such as `tests/model up DIR` prints. It
//! shows that everything fits together; a small model answers as it can.

use std::time::Duration;

use gannet_core::SearchInput;
use gannet_tests::{Host, root};

async fn host(url: &str) -> Host {
    let provider = format!(
        "{{plugin: openai, settings: {{base_url: \"{url}/v1\", model: any, timeout_seconds: 300}}}}"
    );
    let settings = [
        ("providers.live", provider.as_str()),
        ("reasoning.provider", "live"),
        ("reasoning.max_iterations", "2"),
        ("reasoning.total_timeout_seconds", "540"),
        ("pipelines.rag.settings.max_context_chars", "2000"),
        ("pipelines.agent.settings.tool_mode", "text"),
    ];
    let host = Host::with(&settings).await;
    let logbook = root().join("demo/logbook.json");
    host.ingest("generic_json", &logbook).await.enhance().await;
    host
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_real_model_answers_through_rag_and_agent() {
    let Ok(url) = std::env::var("GANNET_TEST_CHAT_MODEL") else {
        println!("skipped: GANNET_TEST_CHAT_MODEL is not set");
        return;
    };
    let host = host(&url).await;
    for mode in ["rag", "agent"] {
        let mut input = SearchInput::new("why did the RF cavity trip?");
        input.mode = Some(mode.to_owned());
        input.max_results = Some(3);
        input.timeout = Some(Duration::from_secs(600));
        let result = host.gannet.search(input).await.unwrap();
        println!("{mode}: {:?}\n{:#?}", result.answer, result.diagnostics);
        assert!(!result.entries.is_empty(), "{mode}");
        assert!(
            result
                .answer
                .is_some_and(|answer| !answer.trim().is_empty()),
            "{mode}"
        );
        assert!(
            result
                .citations
                .iter()
                .all(|id| result.sources.contains(id)),
            "{mode}"
        );
    }
}
