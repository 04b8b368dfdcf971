//! Modules that enhance entries: in their order, each with its own status, and
//! what fails is shown and tried again.

use gannet_api::EnhancementStatus;
use gannet_core::api::DEFAULT_TENANT;
use gannet_core::{EnhanceReport, EnhanceRequest, Stop};
use gannet_test_model_server::{ModelServer, Reply};
use gannet_tests::{Host, ids};
use serde_json::json;

/// A host whose `semantic_processor` asks this model.
async fn host(model: &ModelServer) -> Host {
    let provider = format!(
        "{{plugin: openai, settings: {{base_url: \"{}/v1\", model: small, max_retries: 0}}}}",
        model.url()
    );
    Host::with(&[
        ("providers.scripted", &provider),
        ("enhancement_modules.semantic_processor.enabled", "true"),
        (
            "enhancement_modules.semantic_processor.provider",
            "scripted",
        ),
        ("enhancement_modules.entities.enabled", "true"),
    ])
    .await
}

async fn enhance(host: &Host, only_due: bool) -> Vec<EnhanceReport> {
    let request = EnhanceRequest {
        only_due,
        ..EnhanceRequest::default()
    };
    let stop = Stop::default();
    let done = host.gannet.enhance(request, &stop, |_| {});
    done.await.unwrap()
}

/// The status of a module for an entry, as ARIEL names it.
async fn status(host: &Host, id: &str, module: &str) -> &'static str {
    let entry = host
        .gannet
        .entry(DEFAULT_TENANT, id)
        .await
        .unwrap()
        .unwrap();
    match entry.enhancement_status.get(module) {
        Some(EnhancementStatus::Complete { .. }) => "complete",
        Some(EnhancementStatus::Failed { .. }) => "failed",
        Some(EnhancementStatus::Pending) | None => "pending",
    }
}

#[tokio::test]
async fn a_failed_module_is_failed_for_its_entry_and_the_others_are_complete() {
    for case in gannet_tests::cases("ariel.jsonl", "scheduler") {
        let expected = &case["expected"];
        if expected["marked_failed"].is_null() {
            continue;
        }
        let model = ModelServer::start([Reply::status(500, "model unavailable")]);
        let host = host(&model).await;
        let entry = json!({"id": "E1", "text": "CAV1 tripped", "timestamp": "2025-03-01T08:00Z"});
        host.ingest_lines(&[entry]).await;
        enhance(&host, true).await;
        for (list, name) in [("marked_complete", "complete"), ("marked_failed", "failed")] {
            for module in gannet_tests::strings(&expected[list]) {
                assert_eq!(status(&host, "E1", &module).await, name, "{module}: {case}");
            }
        }
    }
}

#[tokio::test]
async fn a_malformed_reply_is_shown_and_the_next_one_completes_the_entry() {
    let good = "{\"keywords\": [\"arc detector\"], \"summary\": \"The window arced.\"}";
    let model = ModelServer::start([Reply::text("I cannot."), Reply::text(good)]);
    let host = host(&model).await;
    let entry = json!({"id": "E1", "text": "CAV1 tripped", "timestamp": "2025-03-01T08:00Z"});
    host.ingest_lines(&[entry]).await;

    let reports = enhance(&host, true).await;
    let order: Vec<&str> = reports
        .iter()
        .map(|report| report.module.as_str())
        .collect();
    assert_eq!(order, ["semantic_processor", "text_embedding", "entities"]);
    assert_eq!((reports[0].completed, reports[0].failed), (0, 1));
    let reason = reports[0].last_error.as_deref().unwrap();
    assert!(reason.contains("no JSON object"), "{reason}");
    let shown = host.gannet.status().await.unwrap().enhancement;
    assert_eq!(
        (
            shown["semantic_processor"].failed,
            shown["entities"].complete
        ),
        (1, 1)
    );
    assert!(host.gannet.has_unenhanced().await.unwrap());
    // It waits for its time; whoever asks for it has it done at once.
    assert_eq!(enhance(&host, true).await[0].failed, 0);
    let again = enhance(&host, false).await;
    assert_eq!((again[0].completed, again[0].failed), (1, 0));
    assert_eq!(status(&host, "E1", "semantic_processor").await, "complete");
    assert!(!host.gannet.has_unenhanced().await.unwrap());

    let found = host.search("keyword", "\"arc detector\"").await;
    assert_eq!(ids(&found), ["E1"]);
    let entry = host
        .gannet
        .entry(DEFAULT_TENANT, "E1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(entry.summary.as_deref(), Some("The window arced."));
    assert_eq!(entry.metadata["devices"], json!(["CAV1"]));
}

#[tokio::test]
async fn work_that_is_redone_replaces_the_keywords_of_the_earlier_model() {
    let model = ModelServer::start([
        Reply::text("{\"keywords\": [\"k\"], \"summary\": \"First.\"}"),
        Reply::text("{\"keywords\": [\"flux\", \"gate\"], \"summary\": \"Second.\"}"),
    ]);
    let host = host(&model).await;
    let entry = json!({"id": "E1", "text": "CAV1 tripped", "timestamp": "2025-03-01T08:00Z"});
    host.ingest_lines(&[entry]).await;
    enhance(&host, true).await;

    let request = EnhanceRequest {
        modules: vec!["semantic_processor".to_owned()],
        force: true,
        ..EnhanceRequest::default()
    };
    let stop = Stop::default();
    host.gannet.enhance(request, &stop, |_| {}).await.unwrap();

    let entry = host.gannet.entry(DEFAULT_TENANT, "E1").await.unwrap();
    let entry = entry.unwrap();
    assert_eq!(entry.keywords, ["flux", "gate"]);
    assert_eq!(entry.summary.as_deref(), Some("Second."));
}

#[tokio::test]
async fn a_module_without_its_provider_is_an_error_that_names_the_key() {
    let refused = Host::try_with(&[("enhancement_modules.semantic_processor.enabled", "true")]);
    let error = refused.await.err().unwrap().to_string();
    assert!(
        error.contains("enhancement_modules.semantic_processor.provider"),
        "{error}"
    );
}
