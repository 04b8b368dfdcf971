//! Any retriever of several that errs, hangs, panics, returns garbage or is
//! slow: the others' results stand, with one note that names it.

use gannet_api::Level;
use gannet_tests::ids;

use super::sick::{ILLNESSES, Illness, ask, host};

const NAMES: [&str; 3] = ["one", "two", "three"];

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r1_whichever_fails_in_whatever_way_the_others_answer() {
    for (place, name) in NAMES.iter().enumerate() {
        for (illness, category) in ILLNESSES {
            let mut illnesses = [Illness::None; 3];
            illnesses[place] = illness;
            let host = host(illnesses, &[]).await;
            let result = ask(&host).await.unwrap();
            assert_eq!(ids(&result), ["E-1", "E-2", "E-3"], "{name} {illness:?}");
            assert!(result.degraded, "{name} {illness:?}");
            assert!(!result.citations.is_empty(), "{name} {illness:?}");
            let notes: Vec<_> = result
                .diagnostics
                .iter()
                .filter(|note| note.level != Level::Info)
                .collect();
            assert_eq!(notes.len(), 1, "{illness:?}: {notes:?}");
            assert_eq!(notes[0].source, format!("rag.retrieve.{name}"));
            assert_eq!(notes[0].category.as_deref(), Some(category), "{illness:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r1_with_two_of_three_gone_the_third_answers() {
    let host = host([Illness::Panic, Illness::None, Illness::Hang], &[]).await;
    let result = ask(&host).await.unwrap();
    assert_eq!(ids(&result), ["E-1", "E-2", "E-3"]);
    assert_eq!(result.search_modes_used, ["two"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r1_a_strict_pipeline_fails_as_a_whole() {
    let strict = [("pipelines.rag.settings.on_error", "fail")];
    let host = host([Illness::None, Illness::Error, Illness::None], &strict).await;
    let error = ask(&host).await.unwrap_err().to_string();
    assert!(error.contains("out of order"), "{error}");
}
