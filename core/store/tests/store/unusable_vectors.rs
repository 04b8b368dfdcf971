//! Models and vectors that no index can hold.
use std::path::Path;

use crate::common::vectors::{
    embedded, model, nearest, on_circle, search_vectors, with_vectors_of, write_vectors,
};
use crate::common::{entry, ids, search};
use gannet_api::EnhancementStatus;
use gannet_store::{RebuildScope, Store, StoreError, StoreOptions};

over_every_store![
    a_model_that_no_store_can_hold_is_refused_with_the_limit,
    a_vector_that_is_not_finite_fails_its_entry_and_no_other,
    a_question_that_is_not_finite_is_refused,
];

async fn a_model_that_no_store_can_hold_is_refused_with_the_limit(store: Store) {
    for (wrong, limit) in [
        (model("large", 20_000), "8192"),
        (model("empty", 0), "8192"),
        (model(&"x".repeat(300), 3), "255"),
        (model(" ", 3), "no name"),
    ] {
        let error = store.register_model(&wrong).await.unwrap_err();
        assert!(matches!(error, StoreError::InvalidModel { .. }), "{error}");
        assert!(error.to_string().contains(limit), "{error}");
    }
    with_vectors_of(&store, 0..2).await;
    assert_eq!(store.stats().await.unwrap().vectors.len(), 1);
}

async fn a_vector_that_is_not_finite_fails_its_entry_and_no_other(store: Store) {
    store.register_model(&model("tiny", 2)).await.unwrap();
    let entries = (0..3).map(|index| entry(index, "text"));
    store.upsert(entries.collect()).await.unwrap();
    let outcomes = vec![
        embedded(0, "tiny", &[on_circle(0)]),
        embedded(1, "tiny", &[on_circle(1), vec![f32::NAN, 0.0]]),
        embedded(2, "tiny", &[vec![f32::INFINITY, 0.0]]),
    ];
    store.save_enhanced("v", outcomes).await.unwrap();
    store.flush().await.unwrap();
    let found = search_vectors(&store, "tiny", &[1.0, 0.0], 10).await;
    assert_eq!(ids(&found), ["e0"]);
    let counts = &store.enhancement_counts().await.unwrap()["v"];
    assert_eq!((counts.complete, counts.failed), (1, 2));
    let stored = store.entries("default", &["e1".to_owned()]).await.unwrap();
    let EnhancementStatus::Failed { error, .. } = &stored[0].enhancement_status["v"] else {
        panic!("{:?}", stored[0].enhancement_status);
    };
    assert!(error.contains("passage 1") && error.contains("not finite") && error.contains("tiny"));
}

async fn a_question_that_is_not_finite_is_refused(store: Store) {
    with_vectors_of(&store, 0..2).await;
    let asked = store.vector_search("default", nearest("tiny", &[f32::NAN, 1.0], 3));
    let error = asked.await.unwrap_err();
    assert!(matches!(error, StoreError::InvalidRequest { .. }));
    assert!(error.to_string().contains("not finite"));
}

async fn change(folder: &Path, statement: &str) {
    use sqlx::Connection;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.join("store.db"));
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned()))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_store_with_a_model_that_it_cannot_hold_opens_names_it_and_drops_it() {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..3).await;
    store.close().await.unwrap();
    let long = "y/".repeat(150);
    change(
        folder.path(),
        &format!(
            "INSERT INTO models (model, name, variant, dimension) VALUES \
             (900, 'a-large-one', 'f32', 20000), (901, '{long}', 'f32', 2); \
             INSERT INTO entry_vectors (model, doc, passages, seq) VALUES (900, 1, 1, 3)"
        ),
    )
    .await;
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    write_vectors(&store, "tiny", 3..5, on_circle).await;
    assert_eq!(ids(&search(&store, "unique4").await), ["e4"]);
    let found = search_vectors(&store, "tiny", &on_circle(4), 1).await;
    assert_eq!(ids(&found), ["e4"]);
    let asked = store.vector_search("default", nearest("a-large-one", &[0.5; 20_000], 3));
    let error = asked.await.unwrap_err().to_string();
    assert!(error.contains("a-large-one"), "{error}");
    assert!(error.contains("8192"), "{error}");
    assert!(error.contains("gannet enhance --force"), "{error}");

    let mut forgotten = store.forget_unusable_models().await.unwrap();
    forgotten.sort();
    assert_eq!(forgotten, ["a-large-one".to_owned(), long]);
    store.rebuild(RebuildScope::All).await.unwrap();
    let models = store.stats().await.unwrap().vectors;
    assert_eq!(models.keys().collect::<Vec<_>>(), ["tiny"]);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_stored_vector_that_is_not_finite_keeps_nothing_else_from_being_found() {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..4).await;
    store.close().await.unwrap();
    // Written by a program that did not check: NaN and 0, and one number.
    change(
        folder.path(),
        "UPDATE embeddings SET vector = x'0000c07f00000000' WHERE doc = 2; \
         UPDATE embeddings SET vector = x'0000803f' WHERE doc = 3",
    )
    .await;
    std::fs::remove_dir_all(folder.path().join("vectors")).unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    with_vectors_of(&store, 4..5).await;
    let found = search_vectors(&store, "tiny", &[1.0, 0.0], 10).await;
    let mut found = ids(&found);
    found.sort_unstable();
    assert_eq!(found, ["e0", "e3", "e4"]);
    store.close().await.unwrap();
}
