//! A reranker that fails leaves the order before it, bit for bit, with one
//! warning.

use gannet_api::Level;
use gannet_core::SearchResult;
use gannet_tests::{Host, ids};

use super::sick::{ILLNESSES, Illness, ask, host};

async fn with_reranker(illness: Illness) -> Host {
    let illness = illness.name();
    let provider = format!("{{plugin: sick_reranker, settings: {{illness: {illness}}}}}");
    let settings = [
        ("providers.sick", provider.as_str()),
        ("pipelines.rag.settings.rerank", "{provider: sick}"),
    ];
    host([Illness::None; 3], &settings).await
}

/// Ids and scores to the bit.
fn order(result: &SearchResult) -> Vec<(&str, u64)> {
    let entries = result.entries.iter();
    entries
        .map(|hit| (hit.entry.entry_id.as_str(), hit.score.to_bits()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r2_the_order_before_a_failed_reranker_stands_bit_for_bit() {
    let without = ask(&host([Illness::None; 3], &[]).await).await.unwrap();
    for (illness, category) in ILLNESSES {
        let result = ask(&with_reranker(illness).await).await.unwrap();
        assert_eq!(order(&result), order(&without), "{illness:?}");
        assert_eq!(result.answer, without.answer, "{illness:?}");
        let notes: Vec<_> = result
            .diagnostics
            .iter()
            .filter(|note| note.level != Level::Info)
            .collect();
        assert_eq!(notes.len(), 1, "{illness:?}: {notes:?}");
        assert_eq!(notes[0].level, Level::Warning);
        assert_eq!(notes[0].source, "rag.rerank");
        assert_eq!(notes[0].category.as_deref(), Some(category), "{illness:?}");
        assert!(result.degraded);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r2_a_reranker_that_works_makes_the_order() {
    let result = ask(&with_reranker(Illness::None).await).await.unwrap();
    assert_eq!(ids(&result), ["E-3", "E-2", "E-1"]);
    assert!(!result.degraded);
}
