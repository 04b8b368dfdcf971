//! Enhancement status, models and vectors.
use crate::common::{entry, fresh, ids, search};
use gannet_api::{
    EmbeddingModel, Enhanced, EnhancementStatus, Filter, FilterField, PassageEmbedding,
    PassageEmbeddings, Patch,
};
use gannet_store::{
    RunOutcome, RunStatus, StatusCounts, Store, StoreError, StoreOptions, VectorRequest, WorkedOn,
};

fn model(dimension: usize) -> EmbeddingModel {
    EmbeddingModel::new("tiny", dimension, 10).with_variant("f32")
}

fn embedded(index: usize, passages: &[[f32; 2]]) -> (WorkedOn, Enhanced) {
    let passages = passages
        .iter()
        .enumerate()
        .map(|(ordinal, vector)| {
            PassageEmbedding::new(ordinal * 5..ordinal * 5 + 4, vector.to_vec())
        })
        .collect();
    let patch = Patch::default().with_embeddings(PassageEmbeddings::new("tiny", passages));
    (
        "default".into(),
        Enhanced::new(format!("e{index}"), Ok(patch)),
    )
}

fn nearest(limit: usize) -> VectorRequest {
    VectorRequest {
        model: "tiny".to_owned(),
        vector: vec![1.0, 0.0],
        filter: Filter::none(),
        limit,
        min_similarity: None,
    }
}

async fn with_vectors(store: &Store) {
    store.register_model(&model(2)).await.unwrap();
    let entries = (0..4).map(|index| {
        let mut entry = entry(index, "beam lost here");
        entry.author = if index % 2 == 0 { "Anna" } else { "Berg" }.to_owned();
        entry
    });
    store.upsert(entries.collect()).await.unwrap();
    let outcomes = vec![
        embedded(0, &[[0.0, 1.0], [0.6, 0.8]]),
        embedded(1, &[[1.0, 0.0], [0.8, 0.6]]),
        embedded(2, &[[0.8, 0.6]]),
        embedded(3, &[[-1.0, 0.0]]),
    ];
    store
        .save_enhanced("text_embedding", outcomes)
        .await
        .unwrap();
    store.flush().await.unwrap();
}

#[tokio::test]
async fn vectors_of_deleted_and_rewritten_entries_are_gone() {
    let (folder, store) = fresh().await;
    with_vectors(&store).await;
    store.delete("default", &["e1".to_owned()]).await.unwrap();
    store.upsert(vec![entry(2, "another text")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(
        ids(&store.vector_search("default", nearest(10)).await.unwrap()),
        ["e0", "e3"]
    );
    assert_eq!(store.pending_count("text_embedding").await.unwrap(), 1);
    assert_eq!(
        store.pending("text_embedding", 9).await.unwrap()[0].entry_id,
        "e2"
    );
    store.close().await.unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(
        ids(&store.vector_search("default", nearest(10)).await.unwrap()),
        ["e0", "e3"]
    );
}

#[tokio::test]
async fn damaged_vectors_are_made_anew() {
    let (folder, store) = fresh().await;
    with_vectors(&store).await;
    store.close().await.unwrap();
    let manifest = folder.path().join("vectors/tiny/manifest");
    std::fs::write(&manifest, "nonsense").unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(
        store
            .vector_search("default", nearest(10))
            .await
            .unwrap()
            .hits
            .len(),
        4
    );
}

#[tokio::test]
async fn a_model_that_changes_its_vectors_is_refused() {
    let (_folder, store) = fresh().await;
    with_vectors(&store).await;
    store.register_model(&model(2)).await.unwrap();
    let refused = store.register_model(&model(3)).await;
    let error = refused.unwrap_err();
    assert!(matches!(error, StoreError::ModelChanged { .. }));
    assert!(error.to_string().contains("gannet enhance --force"));
    let mut wrong = nearest(1);
    wrong.vector.push(0.0);
    let refused = store.vector_search("default", wrong).await;
    assert!(matches!(refused, Err(StoreError::InvalidRequest { .. })));
    store.forget_model("tiny").await.unwrap();
    store.register_model(&model(3)).await.unwrap();
    let refused = store.vector_search(
        "default",
        VectorRequest {
            model: "no".to_owned(),
            ..nearest(1)
        },
    );
    assert!(matches!(
        refused.await,
        Err(StoreError::UnknownModel { .. })
    ));
}

#[tokio::test]
async fn a_failure_waits_and_counts_and_never_counts_as_done() {
    let (_folder, store) = fresh().await;
    store
        .upsert((0..3).map(|index| entry(index, "text")).collect())
        .await
        .unwrap();
    let outcome = |index: usize, outcome| {
        (
            WorkedOn::from("default"),
            Enhanced::new(format!("e{index}"), outcome),
        )
    };
    let patch = Patch::default()
        .with_keywords(vec!["quench".to_owned()])
        .with_summary("short".to_owned())
        .with_metadata(serde_json::Map::from_iter([(
            "devices".to_owned(),
            "RF-2".into(),
        )]));
    let outcomes = vec![
        outcome(0, Ok(patch)),
        outcome(1, Err("no server".to_owned())),
    ];
    store.save_enhanced("semantic", outcomes).await.unwrap();
    let counts = store.enhancement_counts().await.unwrap();
    assert_eq!(
        counts["semantic"],
        StatusCounts {
            complete: 1,
            failed: 1,
            pending: 1
        }
    );
    let pending = store.pending("semantic", 10).await.unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].entry_id, "e2");
    let ids: Vec<String> = vec!["e0".to_owned(), "e1".to_owned()];
    let entries = store.entries("default", &ids).await.unwrap();
    assert_eq!(entries[0].metadata["devices"], "RF-2");
    assert!(matches!(
        &entries[1].enhancement_status["semantic"],
        EnhancementStatus::Failed { error, attempts: 1, .. } if error == "no server"
    ));
    store.flush().await.unwrap();
    assert_eq!(crate::common::ids(&search(&store, "quench").await), ["e0"]);
    assert_eq!(store.reset_enhancement("semantic").await.unwrap(), 2);
    assert_eq!(store.pending("semantic", 10).await.unwrap().len(), 3);
}

#[tokio::test]
async fn what_enhancers_added_stays_when_only_the_metadata_changes() {
    let (_folder, store) = fresh().await;
    store.upsert(vec![entry(0, "text")]).await.unwrap();
    let patch = Patch::default().with_summary("short".to_owned());
    let enhanced = Enhanced::new("e0", Ok(patch));
    store
        .save_enhanced("m", vec![("default".into(), enhanced)])
        .await
        .unwrap();
    let mut retagged = entry(0, "text");
    retagged
        .metadata
        .insert("tags".to_owned(), serde_json::json!(["rf", "RF", "rf"]));
    store.upsert(vec![retagged]).await.unwrap();
    let stored = store.entries("default", &["e0".to_owned()]).await.unwrap();
    assert_eq!(stored[0].summary.as_deref(), Some("short"));
    assert_eq!(store.pending_count("m").await.unwrap(), 0);
    let tags = FilterField::Metadata("tags".to_owned());
    let values = store.distinct("default", &tags, 10).await.unwrap();
    assert_eq!(values, [("RF".to_owned(), 1), ("rf".to_owned(), 1)]);
}

#[tokio::test]
async fn ingestion_runs_are_kept_newest_first() {
    let (_folder, store) = fresh().await;
    let first = store.begin_run("als").await.unwrap();
    let second = store.begin_run("olog").await.unwrap();
    let outcome = RunOutcome {
        status: RunStatus::Failed,
        added: 3,
        updated: 2,
        unchanged: 1,
        rejected: 4,
        deleted: 0,
        error: Some("gone".to_owned()),
        latest_timestamp: Some("2024-01-01T00:00:00Z".parse().unwrap()),
    };
    store.finish_run(first, outcome.clone()).await.unwrap();
    let runs = store.runs(10).await.unwrap();
    assert_eq!(
        (runs[0].run, runs[0].outcome.status),
        (second, RunStatus::Running)
    );
    assert_eq!(runs[1].outcome, outcome);
}
