//! What only a store in PostgreSQL does: it keeps out of other schemas, and
//! lives through a broken connection.
use crate::common::entry;
use crate::common::postgres::Database;
use gannet_store::{Migrate, PostgresOptions, PostgresStore, StoreError};
use sqlx::AssertSqlSafe;

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
        ("waits", "gannet_entries_to_adopt"),
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
