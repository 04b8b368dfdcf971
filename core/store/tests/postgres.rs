//! What only a store in PostgreSQL does: it shares a database with ARIEL,
//! keeps out of other schemas, and lives through a broken connection.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::ariel::{ARIEL, ariel_upsert};
use common::entry;
use common::postgres::Database;
use gannet_api::{Condition, EmbeddingModel, Entry, Filter, FilterField};
use gannet_store::{
    ListRequest, Migrate, PostgresOptions, PostgresStore, RunStatus, Store, StoreError,
    VectorRequest,
};
use sqlx::{AssertSqlSafe, Row};

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
    let model = |name: &str, dimension| EmbeddingModel {
        name: name.to_owned(),
        variant: "f32".to_owned(),
        dimension,
        max_tokens: 10,
    };
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
    assert_eq!(common::ids(&found), ["12", "10"]);
    // A vector of an old text is no vector of the new one.
    database.run(ariel_upsert("12", "another text")).await;
    store.flush().await.unwrap();
    let found = store.vector_search("default", nearest()).await.unwrap();
    assert_eq!(common::ids(&found), ["10"]);
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

#[tokio::test]
async fn processes_that_open_at_once_migrate_once() {
    let Some(database) = Database::create().await else {
        return;
    };
    let opening: Vec<_> = (0..6)
        .map(|_| tokio::spawn(PostgresStore::open(database.options())))
        .collect();
    for opened in opening {
        assert_eq!(
            opened
                .await
                .unwrap()
                .unwrap()
                .count("default")
                .await
                .unwrap(),
            0
        );
    }
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_an_older_one_names_the_command() {
    let Some(database) = Database::create().await else {
        return;
    };
    let careful = PostgresOptions {
        migrate: Migrate::Never,
        ..database.options()
    };
    let refused = PostgresStore::open(careful.clone()).await.unwrap_err();
    assert!(matches!(refused, StoreError::OlderSchema { found: 0, .. }));
    assert!(refused.to_string().contains("gannet migrate"), "{refused}");
    database.store().await.close().await.unwrap();
    PostgresStore::open(careful)
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    database
        .run("INSERT INTO gannet_schema (version, name) VALUES (99, 'from later')")
        .await;
    let refused = PostgresStore::open(database.options()).await.unwrap_err();
    assert!(matches!(refused, StoreError::NewerSchema { found: 99, .. }));
    assert!(
        refused.to_string().contains("cargo install gannet"),
        "{refused}"
    );
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_database_in_another_encoding_is_refused() {
    let Some(database) = Database::create_as("ENCODING 'LATIN1' LOCALE 'C'").await else {
        return;
    };
    let refused = PostgresStore::open(database.options()).await.unwrap_err();
    assert!(matches!(refused, StoreError::UnfitDatabase { .. }));
    assert!(refused.to_string().contains("LATIN1"), "{refused}");
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_password() {
    // A port from which nothing answers: it was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .unwrap()
        .port();
    let options = PostgresOptions::at(format!("postgres://me:secret@127.0.0.1:{port}/logbook"));
    assert!(!format!("{options:?}").contains("secret"));
    let error = PostgresStore::open(options).await.unwrap_err();
    assert!(matches!(error, StoreError::Connection { .. }), "{error}");
    assert!(error.is_retryable());
    let text = error.to_string();
    assert!(
        text.contains(&format!("127.0.0.1:{port}/logbook")),
        "{text}"
    );
    assert!(!text.contains("secret"), "{text}");
    let nonsense = PostgresStore::open(PostgresOptions::at("nonsense")).await;
    assert!(matches!(nonsense, Err(StoreError::InvalidRequest { .. })));
}

#[tokio::test]
async fn a_broken_connection_is_replaced() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = database.store().await;
    for index in 0..3 {
        database
            .run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                 WHERE application_name = 'gannet' AND datname = current_database()",
            )
            .await;
        store.upsert(vec![entry(index, "text")]).await.unwrap();
    }
    assert_eq!(store.count("default").await.unwrap(), 3);
    database.drop_if_there().await;
}

#[tokio::test]
async fn the_character_nul_is_replaced_in_texts_and_refused_in_ids() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = database.store().await;
    let mut odd = entry(0, "a\0b");
    odd.metadata
        .insert("k\0".to_owned(), serde_json::json!({"d\0": ["v\0"]}));
    store.upsert(vec![odd.clone()]).await.unwrap();
    assert_eq!(store.upsert(vec![odd]).await.unwrap().unchanged, 1);
    let read = store
        .entries("default", &["e0".to_owned(), "\0".to_owned()])
        .await
        .unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].raw_text, "a\u{fffd}b");
    assert_eq!(read[0].metadata["k\u{fffd}"]["d\u{fffd}"][0], "v\u{fffd}");
    let mut bad = entry(1, "text");
    bad.entry_id = "a\0b".to_owned();
    let refused = store.upsert(vec![bad]).await;
    assert!(matches!(refused, Err(StoreError::InvalidEntry { .. })));
    assert_eq!(store.count("de\0fault").await.unwrap(), 0);
    assert_eq!(
        store.delete("default", &["\0".to_owned()]).await.unwrap(),
        0
    );
    let mut early = entry(1, "text");
    early.timestamp = "-009000-01-01T00:00:00Z".parse().unwrap();
    let refused = store.upsert(vec![early]).await;
    assert!(matches!(refused, Err(StoreError::InvalidEntry { .. })));
    database.drop_if_there().await;
}

#[tokio::test]
async fn pages_and_values_are_found_by_their_indexes() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = database.store().await;
    let entries = (0..3_000).map(|index| {
        let mut entry = entry(index, "text");
        entry.author = format!("Author {}", index % 1_000);
        entry
    });
    store.upsert(entries.collect()).await.unwrap();
    database.run("ANALYZE").await;
    let mut connection = database.connect().await;
    for (condition, index) in [
        (
            "(timestamp, entry_id COLLATE \"C\") < ('2024-02-01', 'x') \
             ORDER BY timestamp DESC, entry_id COLLATE \"C\" DESC LIMIT 10",
            "gannet_entries_by_time",
        ),
        (
            "facet_texts @> '{\"author\": [\"author 7\"]}'",
            "gannet_entries_by_facet",
        ),
        ("seq IS NULL", "gannet_entries_to_adopt"),
    ] {
        let explain = format!(
            "EXPLAIN SELECT 1 FROM enhanced_entries WHERE tenant = 'default' AND {condition}"
        );
        let plan: Vec<String> = sqlx::query_scalar(AssertSqlSafe(explain))
            .fetch_all(&mut connection)
            .await
            .unwrap();
        assert!(plan.join("\n").contains(index), "{plan:#?}");
    }
    database.drop_if_there().await;
}
