//! ARIEL's database, only read, with a replica in a folder that answers.
use crate::common::ariel::{Ariel, ariel_upsert};
use crate::common::{entry, ids, request, search, sorted_ids};
use gannet_api::{
    Condition, EmbeddingModel, Enhanced, Filter, FilterField, Found, PassageEmbedding,
    PassageEmbeddings, Patch,
};
use gannet_store::{ListRequest, RunOutcome, RunStatus, Store, StoreError, VectorRequest};

fn model(name: &str, dimension: usize) -> EmbeddingModel {
    EmbeddingModel::new(name, dimension, 10).with_variant("f32")
}

async fn nearest(store: &Store, model: &str) -> Result<Found, StoreError> {
    let request = VectorRequest {
        model: model.to_owned(),
        vector: vec![0.6, 0.8],
        filter: Filter::none(),
        limit: 9,
        min_similarity: None,
    };
    store.vector_search("default", request).await
}

async fn listed(store: &Store) -> Vec<String> {
    let page = store.list("default", ListRequest::newest(9)).await.unwrap();
    page.entries.into_iter().map(|one| one.entry_id).collect()
}

#[tokio::test]
async fn it_is_searched_by_words_filters_typos_and_vectors() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    assert_eq!(ids(&search(&store, "tripped").await), ["10"]);
    assert_eq!(ids(&search(&store, "vacum").await), ["11"]);
    let mut by_author = request("change OR tripped");
    by_author.filter =
        Filter::none().and(FilterField::Author, Condition::Equals("ÖLAF".to_owned()));
    let found = store.text_search("default", by_author).await.unwrap();
    assert_eq!(ids(&found), ["10"]);
    // Its summary and keywords are searched too.
    assert_eq!(ids(&search(&store, "trip").await), ["10"]);
    let found = nearest(&store, "tiny").await.unwrap();
    assert_eq!(ids(&found), ["10"]);
    assert!(found.diagnostics.is_empty(), "{found:?}");
    assert!((found.hits[0].score - 0.6).abs() < 1e-3);
    assert_eq!(found.hits[0].passage.as_ref().unwrap().text, "RF tripped");
    assert_eq!(listed(&store).await, ["12", "11", "10"]);
    let read = store.entries("default", &["10".to_owned()]).await.unwrap();
    assert_eq!(read[0].summary.as_deref(), Some("trip"));
    assert_eq!(read[0].keywords, ["rf"]);
    assert_eq!(read[0].metadata["tags"][0], "RF");
    let tag = FilterField::from_name("tag");
    let tags = store.distinct("default", &tag, 9).await.unwrap();
    assert_eq!(tags, [("RF".to_owned(), 1)]);
    let runs = store.runs(9).await.unwrap();
    assert_eq!(
        (runs[0].outcome.status, runs[0].outcome.added),
        (RunStatus::Success, 3)
    );
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn what_ariel_writes_and_deletes_is_followed() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    ariel
        .database
        .run(
            [
                ariel_upsert("11", "Pump is broken"),
                ariel_upsert("13", "Klystron is fine"),
                "DELETE FROM enhanced_entries WHERE entry_id = '10'".to_owned(),
                "INSERT INTO text_embeddings_tiny (entry_id, embedding) VALUES ('12', '[0,1]')"
                    .to_owned(),
                // Without a trace in `updated_at`.
                "ALTER TABLE enhanced_entries DISABLE TRIGGER USER".to_owned(),
                "UPDATE enhanced_entries SET author = 'Carla' WHERE entry_id = '12'".to_owned(),
                "ALTER TABLE enhanced_entries ENABLE TRIGGER USER".to_owned(),
            ]
            .join(";"),
        )
        .await;
    store.flush().await.unwrap();
    assert_eq!(
        sorted_ids(&search(&store, "fine OR broken").await),
        ["11", "13"]
    );
    assert_eq!(listed(&store).await, ["13", "11", "12"]);
    assert_eq!(ids(&search(&store, "carla").await), ["12"]);
    assert_eq!(ids(&nearest(&store, "tiny").await.unwrap()), ["12"]);
    store.close().await.unwrap();
    // Another process follows what happened meanwhile.
    ariel
        .database
        .run(
            [
                "DELETE FROM text_embeddings_tiny WHERE entry_id = '12'".to_owned(),
                ariel_upsert("13", "Magnet is fine"),
                "DELETE FROM enhanced_entries WHERE entry_id = '11'".to_owned(),
            ]
            .join(";"),
        )
        .await;
    let store = ariel.open(folder.path()).await;
    assert_eq!(listed(&store).await, ["13", "12"]);
    assert_eq!(ids(&search(&store, "magnet").await), ["13"]);
    assert!(nearest(&store, "tiny").await.unwrap().hits.is_empty());
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn it_is_followed_without_being_asked() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    ariel
        .database
        .run(ariel_upsert("14", "Cryogenics quench"))
        .await;
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while search(&store, "quench").await.hits.is_empty() {
        assert!(std::time::Instant::now() < patience);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn what_concerns_entries_is_refused() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    let outcome = RunOutcome {
        status: RunStatus::Success,
        added: 0,
        updated: 0,
        unchanged: 0,
        rejected: 0,
        deleted: 0,
        error: None,
        latest_timestamp: None,
    };
    for refused in [
        store.upsert(vec![entry(0, "text")]).await.err(),
        store.delete("default", &["10".to_owned()]).await.err(),
        store.begin_run("ALS").await.err(),
        store.finish_run(1, outcome).await.err(),
    ] {
        let refused = refused.unwrap();
        assert!(matches!(refused, StoreError::OnlyRead { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains("gannet migrate"), "{text}");
        assert!(text.contains("store.adopt"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn vectors_of_ariel_s_are_those_of_the_model_that_is_registered() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    assert_eq!(store.pending_count("text_embedding").await.unwrap(), 3);
    let refused = store.register_model(&model("tiny", 3)).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::ModelChanged { .. }),
        "{refused}"
    );
    store.register_model(&model("Tiny.", 3)).await.unwrap();
    store.register_model(&model("Tiny", 2)).await.unwrap();
    store.register_model(&model("Tiny", 2)).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(ids(&nearest(&store, "Tiny").await.unwrap()), ["10"]);
    assert!(nearest(&store, "tiny").await.is_err());
    // Entries that ARIEL embedded need not be embedded again.
    let pending = store.pending("text_embedding", 9).await.unwrap();
    let pending: Vec<&str> = pending.iter().map(|one| one.entry_id.as_str()).collect();
    assert_eq!(pending, ["11", "12"]);
    ariel
        .database
        .run("INSERT INTO text_embeddings_tiny (entry_id, embedding) VALUES ('12', '[0,1]')")
        .await;
    store.flush().await.unwrap();
    assert_eq!(store.pending_count("text_embedding").await.unwrap(), 1);
    assert_eq!(ids(&nearest(&store, "Tiny").await.unwrap()), ["12", "10"]);
    // A vector of an old text is no vector of the new one.
    ariel.database.run(ariel_upsert("12", "another text")).await;
    store.flush().await.unwrap();
    assert_eq!(ids(&nearest(&store, "Tiny").await.unwrap()), ["10"]);
    assert_eq!(store.pending_count("text_embedding").await.unwrap(), 2);
    ariel
        .database
        .run("UPDATE text_embeddings_tiny SET embedding = '[0.6,0.8]' WHERE entry_id = '12'")
        .await;
    store.flush().await.unwrap();
    assert_eq!(ids(&nearest(&store, "Tiny").await.unwrap()), ["12", "10"]);
    // A forgotten one is not copied again.
    store.forget_model("Tiny").await.unwrap();
    store.flush().await.unwrap();
    assert!(nearest(&store, "Tiny").await.is_err());
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn what_is_made_of_entries_stays_in_the_folder() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    store.register_model(&model("ours", 2)).await.unwrap();
    let enhanced = |id: &str| {
        let patch = Patch::default()
            .with_keywords(vec!["quench".to_owned()])
            .with_embeddings(PassageEmbeddings::new(
                "ours",
                vec![PassageEmbedding::new(0..4, vec![1.0, 0.0])],
            ));
        let enhanced = Enhanced::new(id, Ok(patch));
        ("default".into(), enhanced)
    };
    store
        .save_enhanced("m", vec![enhanced("11"), enhanced("12")])
        .await
        .unwrap();
    // 11 is written again as it was, 12 with another text.
    ariel
        .database
        .run(format!(
            "UPDATE enhanced_entries SET enhancement_status = '{{}}' WHERE entry_id = '11'; {}",
            ariel_upsert("12", "another text")
        ))
        .await;
    store.flush().await.unwrap();
    assert_eq!(ids(&search(&store, "quench").await), ["11"]);
    assert_eq!(ids(&nearest(&store, "ours").await.unwrap()), ["11"]);
    store.close().await.unwrap();
    // Also when another process compares everything.
    let store = ariel.open(folder.path()).await;
    assert_eq!(ids(&search(&store, "quench").await), ["11"]);
    assert_eq!(store.pending("m", 9).await.unwrap().len(), 2);
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn an_entry_with_strange_parts_is_copied_as_far_as_it_can_be_read() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    ariel
        .database
        .run(
            "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, raw_text, metadata, \
             attachments) VALUES ('20', 'x', '2024-01-05', 'strange', '[1]', '{\"a\": 1}'), \
             ('21', 'x', 'infinity', 'endless', '{}', '[]'), ('', 'x', now(), 'nameless', '{}', '[]')",
        )
        .await;
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    assert_eq!(
        ids(&search(&store, "strange OR endless OR nameless").await),
        ["20"]
    );
    assert_eq!(store.count("default").await.unwrap(), 4);
    store.close().await.unwrap();
    ariel.drop().await;
}

#[tokio::test]
async fn searches_go_on_while_ariel_s_database_is_away() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = ariel.open(folder.path()).await;
    ariel.database.block().await;
    assert_eq!(ids(&search(&store, "tripped").await), ["10"]);
    assert!(store.flush().await.is_err());
    store.close().await.unwrap();
    let store = Store::open(ariel.options(folder.path())).await.unwrap();
    assert_eq!(ids(&search(&store, "tripped").await), ["10"]);
    ariel.database.unblock().await;
    store.close().await.unwrap();
    ariel.drop().await;
}
