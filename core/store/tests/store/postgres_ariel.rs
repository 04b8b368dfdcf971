//! A database that ARIEL made and goes on using.
use crate::common::ariel::{ARIEL, ariel_upsert};
use crate::common::entry;
use crate::common::postgres::Database;
use gannet_api::{Condition, EmbeddingModel, Entry, Filter, FilterField};
use gannet_store::{ListRequest, RunStatus, Store, StoreError, VectorRequest};
use sqlx::Row;

fn by(field: &str, value: &str) -> ListRequest {
    let equals = Condition::Equals(value.to_owned());
    ListRequest {
        filter: Filter::none().and(FilterField::from_name(field), equals),
        ..ListRequest::newest(9)
    }
}

async fn ids(store: &Store, request: ListRequest) -> Vec<String> {
    let page = store.list("default", request).await.unwrap();
    page.entries.into_iter().map(|e| e.entry_id).collect()
}

#[tokio::test]
async fn the_database_of_ariel_is_opened_as_it_is() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = database.store().await;
    assert_eq!(
        ids(&store, ListRequest::newest(9)).await,
        ["12", "11", "10"]
    );
    assert_eq!(ids(&store, by("author", "ÖLAF")).await, ["10"]);
    assert_eq!(ids(&store, by("tag", "rf")).await, ["10"]);
    let entries = store.entries("default", &["10".to_owned()]).await.unwrap();
    assert_eq!(entries[0].summary.as_deref(), Some("trip"));
    assert_eq!(entries[0].keywords, ["rf"]);
    let runs = store.runs(9).await.unwrap();
    assert_eq!(
        (runs[0].outcome.status, runs[0].outcome.added),
        (RunStatus::Success, 3)
    );
    assert_eq!(store.pending_count("text_embedding").await.unwrap(), 3);
    database.drop_if_there().await;
}

#[tokio::test]
async fn what_ariel_writes_later_is_adopted() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = database.store().await;
    let before = store.stats().await.unwrap().sequence;
    database
        .run(
            [
                ariel_upsert("10", "RF tripped again"),
                ariel_upsert("13", "new"),
                "UPDATE enhanced_entries SET updated_at = now() WHERE entry_id = '12'".to_owned(),
                "DELETE FROM enhanced_entries WHERE entry_id = '11'".to_owned(),
            ]
            .join(";"),
        )
        .await;
    store.flush().await.unwrap();
    // Two entries written, one deleted, and one touched without a change.
    assert_eq!(store.stats().await.unwrap().sequence, before + 3);
    assert_eq!(
        ids(&store, ListRequest::newest(9)).await,
        ["13", "10", "12"]
    );
    assert_eq!(ids(&store, by("author", "berg")).await, ["13", "10"]);
    let mut tombstones = database.connect().await;
    let row = sqlx::query("SELECT count(*), min(seq) FROM gannet_tombstones")
        .fetch_one(&mut tombstones)
        .await
        .unwrap();
    assert_eq!(
        (row.get::<i64, _>(0), row.get::<i64, _>(1)),
        (1, before + 3)
    );
    database.drop_if_there().await;
}

#[tokio::test]
async fn what_ariel_changed_is_there_while_it_waits() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    // Nobody adopts meanwhile: the store is opened and closed.
    database.store().await.close().await.unwrap();
    database.run(ariel_upsert("11", "Vacuum was vented")).await;
    let mut connection = database.connect().await;
    let (waits, is_seen): (bool, bool) =
        sqlx::query_as("SELECT waits, seq IS NOT NULL FROM enhanced_entries WHERE entry_id = '11'")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert!(waits && is_seen);
    let store = database.store().await;
    store.flush().await.unwrap();
    assert_eq!(
        crate::common::ids(&crate::common::search(&store, "vented").await),
        ["11"]
    );
    database.drop_if_there().await;
}

#[tokio::test]
async fn the_searches_of_ariel_work_on_after_the_migration() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = database.store().await;
    database.run(ariel_upsert("10", "RF tripped again")).await;
    store.flush().await.unwrap();
    for (search, wanted) in [
        (
            "SELECT entry_id FROM enhanced_entries \
             WHERE to_tsvector('english', raw_text) @@ to_tsquery('english', 'trip & again') \
             ORDER BY ts_rank(to_tsvector('english', raw_text), \
                 to_tsquery('english', 'trip & again')) DESC LIMIT 10",
            "10",
        ),
        (
            "SELECT entry_id FROM enhanced_entries WHERE similarity(raw_text, 'Vacum is fine') >= 0.3 \
             ORDER BY similarity(raw_text, 'Vacum is fine') DESC LIMIT 10",
            "11",
        ),
        (
            "SELECT e.entry_id FROM enhanced_entries e \
             JOIN text_embeddings_tiny v ON v.entry_id = e.entry_id \
             WHERE 1 - (v.embedding <=> '[1,0]') >= 0.5 \
             ORDER BY 1 - (v.embedding <=> '[1,0]') DESC LIMIT 10",
            "10",
        ),
    ] {
        let found: Vec<String> = sqlx::query_scalar(search)
            .fetch_all(&mut database.connect().await)
            .await
            .unwrap();
        assert_eq!(found, [wanted], "{search}");
    }
    assert_eq!(
        crate::common::ids(&crate::common::search(&store, "trips again").await),
        ["10"]
    );
    database.drop_if_there().await;
}

#[tokio::test]
async fn entries_of_ariel_s_are_known_again_when_their_source_is_read() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = database.store().await;
    let mut same = Entry::new(
        "12",
        "ALS",
        "2024-01-03T00:00:00Z".parse().unwrap(),
        "Shift change",
    );
    same.author = "Anna".to_owned();
    let mut enhanced = Entry::new(
        "10",
        "ALS",
        "2024-01-01T00:00:00Z".parse().unwrap(),
        "RF tripped",
    );
    enhanced.author = "Ölaf".to_owned();
    enhanced
        .metadata
        .insert("tags".to_owned(), serde_json::json!(["RF"]));
    let report = store.upsert(vec![same, enhanced]).await.unwrap();
    assert_eq!((report.added, report.updated, report.unchanged), (0, 0, 2));
    database.drop_if_there().await;
}

#[tokio::test]
async fn vectors_of_ariel_s_are_searched_and_not_made_anew() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = database.store().await;
    let model =
        |name: &str, dimension| EmbeddingModel::new(name, dimension, 10).with_variant("f32");
    store.register_model(&model("Tiny", 2)).await.unwrap();
    store.register_model(&model("tiny.", 3)).await.unwrap();
    let nearest = || VectorRequest {
        model: "Tiny".to_owned(),
        vector: vec![0.6, 0.8],
        filter: Filter::none(),
        limit: 9,
        min_similarity: None,
    };
    let found = store.vector_search("default", nearest()).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    let hit = &found.hits[0];
    assert!((hit.score - 0.6).abs() < 1e-6);
    assert_eq!(hit.passage.as_ref().unwrap().text, "RF tripped");
    assert_eq!(store.pending_count("text_embedding").await.unwrap(), 2);
    database
        .run("INSERT INTO text_embeddings_tiny (entry_id, embedding) VALUES ('12', '[0,1]')")
        .await;
    store.flush().await.unwrap();
    let found = store.vector_search("default", nearest()).await.unwrap();
    assert_eq!(crate::common::ids(&found), ["12", "10"]);
    // A vector of an old text is no vector of the new one.
    database.run(ariel_upsert("12", "another text")).await;
    store.flush().await.unwrap();
    let found = store.vector_search("default", nearest()).await.unwrap();
    assert_eq!(crate::common::ids(&found), ["10"]);
    assert_eq!(store.stats().await.unwrap().vectors["tiny."], 0);
    database.drop_if_there().await;
}

#[tokio::test]
async fn in_a_database_of_ariel_s_an_id_belongs_to_one_tenant() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = database.store().await;
    let mut theirs = entry(0, "text");
    theirs.entry_id = "10".to_owned();
    theirs.tenant = "other".to_owned();
    let error = store.upsert(vec![theirs]).await.unwrap_err();
    assert!(matches!(error, StoreError::InvalidEntry { .. }), "{error}");
    assert!(error.to_string().contains("several tenants"), "{error}");
    database.drop_if_there().await;
}
