//! What ARIEL writes while the store runs is adopted without being asked.
use std::time::Duration;

use crate::common::ariel::{ARIEL, ariel_upsert};
use crate::common::postgres::Database;
use gannet_api::{EmbeddingModel, Filter};
use gannet_store::{ListRequest, PostgresOptions, PostgresStore, VectorRequest};

/// So rarely that only a notification can be the reason.
const NEVER: Duration = Duration::from_secs(3_600);
/// Far above what it takes, far below what hanging looks like.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks until the answer is the wanted one.
async fn until<T: PartialEq + std::fmt::Debug>(wanted: T, ask: impl AsyncFn() -> T) {
    let asking = async {
        while ask().await != wanted {
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(PATIENCE, asking).await.is_err() {
        assert_eq!(ask().await, wanted);
    }
}

async fn open(database: &Database, adopt_every: Duration) -> PostgresStore {
    PostgresStore::open(PostgresOptions {
        adopt_every,
        ..database.options()
    })
    .await
    .unwrap()
}

async fn texts(store: &PostgresStore) -> Vec<String> {
    let page = store.list("default", ListRequest::newest(99)).await;
    let entries = page.unwrap().entries;
    entries.into_iter().map(|entry| entry.raw_text).collect()
}

async fn found_by_vector(store: &PostgresStore) -> Vec<String> {
    let request = VectorRequest {
        model: "tiny".to_owned(),
        vector: vec![1.0, 0.0],
        filter: Filter::none(),
        limit: 9,
        min_similarity: None,
    };
    let found = store.vector_search("default", request).await.unwrap();
    found.hits.into_iter().map(|hit| hit.entry_id).collect()
}

async fn register_tiny(store: &PostgresStore) {
    let model = EmbeddingModel::new("tiny", 2, 10).with_variant("f32");
    store.register_model(&model).await.unwrap();
}

/// How ARIEL writes a vector.
fn ariel_vector(id: &str, vector: &str) -> String {
    format!(
        "INSERT INTO text_embeddings_tiny (entry_id, embedding) VALUES ('{id}', '{vector}') \
         ON CONFLICT (entry_id) DO UPDATE SET embedding = EXCLUDED.embedding"
    )
}

/// Waits until the store listens: it is told of nothing that was before.
async fn listening(database: &Database) {
    until(true, async || {
        let mut connection = database.connect().await;
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%' \
             AND application_name = 'gannet' AND datname = current_database())",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap()
    })
    .await;
}

#[tokio::test]
async fn the_store_is_told_what_ariel_writes() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = open(&database, NEVER).await;
    // Each write waits until the one before has its number: two at once would
    // get one together.
    let sequence = async || store.stats().await.unwrap().sequence;
    until(3, sequence).await;
    listening(&database).await;
    database.run(ariel_upsert("13", "new")).await;
    until("new".to_owned(), async || texts(&store).await.remove(0)).await;
    until(4, sequence).await;
    database.run(ariel_upsert("13", "edited")).await;
    until("edited".to_owned(), async || texts(&store).await.remove(0)).await;
    until(5, sequence).await;
    // A deletion is seen at once, and numbered for projections by the task.
    database
        .run("DELETE FROM enhanced_entries WHERE entry_id = '13'")
        .await;
    until(6, sequence).await;
    database.drop_if_there().await;
}

#[tokio::test]
async fn the_store_looks_itself_when_nobody_tells_it() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = open(&database, Duration::from_millis(20)).await;
    until(3, async || texts(&store).await.len()).await;
    database
        .run("ALTER TABLE enhanced_entries DISABLE TRIGGER gannet_wake_on_insert")
        .await;
    database.run(ariel_upsert("13", "new")).await;
    until("new".to_owned(), async || texts(&store).await.remove(0)).await;
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_vector_that_ariel_makes_of_a_new_text_is_taken_over() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = open(&database, NEVER).await;
    until(3, async || texts(&store).await.len()).await;
    register_tiny(&store).await;
    assert_eq!(found_by_vector(&store).await, ["10"]);
    listening(&database).await;
    // The old vector is none of the new text.
    database.run(ariel_upsert("10", "RF tripped again")).await;
    let waiting = async || store.pending_count("text_embedding").await.unwrap();
    until(3, waiting).await;
    assert!(found_by_vector(&store).await.is_empty());
    database.run(ariel_vector("10", "[1,0]")).await;
    until(vec!["10".to_owned()], async || {
        found_by_vector(&store).await
    })
    .await;
    assert_eq!(waiting().await, 2);
    // A vector that came before a change of its text is not taken over.
    let vector_first = format!(
        "{}; {}",
        ariel_vector("11", "[1,0]"),
        ariel_upsert("11", "Vacuum is bad")
    );
    database.run(vector_first).await;
    store.flush().await.unwrap();
    assert_eq!(found_by_vector(&store).await, ["10"]);
    // A forgotten model leaves ARIEL's table as it was.
    store.forget_model("tiny").await.unwrap();
    database.run(ariel_vector("12", "[1,0]")).await;
    register_tiny(&store).await;
    assert_eq!(found_by_vector(&store).await.len(), 3);
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_table_of_vectors_that_ariel_makes_later_is_followed_too() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = open(&database, NEVER).await;
    register_tiny(&store).await;
    database
        .run(
            "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, raw_text) \
                 VALUES ('1', 'ALS', now(), 'beam'), ('2', 'ALS', now(), 'lost'); \
             CREATE TABLE text_embeddings_tiny (entry_id TEXT NOT NULL UNIQUE, embedding vector(2)); \
             INSERT INTO text_embeddings_tiny VALUES ('1', '[1,0]')",
        )
        .await;
    store.flush().await.unwrap();
    assert_eq!(found_by_vector(&store).await, ["1"]);
    database.run(ariel_vector("2", "[0,1]")).await;
    store.flush().await.unwrap();
    assert_eq!(found_by_vector(&store).await, ["1", "2"]);
    database.drop_if_there().await;
}

#[tokio::test]
async fn when_ariel_empties_its_table_every_entry_is_noted_as_gone() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = open(&database, NEVER).await;
    store.flush().await.unwrap();
    database
        .run("TRUNCATE enhanced_entries RESTART IDENTITY CASCADE")
        .await;
    database.run(ariel_upsert("10", "first again")).await;
    store.flush().await.unwrap();
    assert_eq!(texts(&store).await, ["first again"]);
    let mut connection = database.connect().await;
    let (gone, unnumbered, newest): (i64, i64, bool) = sqlx::query_as(
        "SELECT count(*), count(*) FILTER (WHERE seq IS NULL), \
         max(doc) < (SELECT min(doc) FROM enhanced_entries) FROM gannet_tombstones",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!((gone, unnumbered, newest), (3, 0, true));
    database.drop_if_there().await;
}

/// ARIEL knows nothing of our tables, and may have a role of its own.
#[tokio::test]
async fn a_role_without_rights_on_our_tables_still_writes_to_its_own() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = open(&database, NEVER).await;
    register_tiny(&store).await;
    let role = format!("ariel_{}", std::process::id());
    database
        .run(format!(
            "DROP ROLE IF EXISTS {role}; CREATE ROLE {role}; \
             GRANT ALL ON enhanced_entries, text_embeddings_tiny TO {role}; \
             GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}; \
             SET ROLE {role}; {}; {}; DELETE FROM enhanced_entries WHERE entry_id = '11'",
            ariel_upsert("13", "new"),
            ariel_vector("13", "[1,0]"),
        ))
        .await;
    store.flush().await.unwrap();
    assert_eq!(texts(&store).await[0], "new");
    assert_eq!(found_by_vector(&store).await, ["10", "13"]);
    database
        .run(format!("DROP OWNED BY {role}; DROP ROLE {role}"))
        .await;
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_store_that_is_dropped_leaves_no_connection() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = open(&database, NEVER).await;
    let clone = store.clone();
    drop(store);
    listening(&database).await;
    assert_eq!(clone.count("default").await.unwrap(), 0);
    drop(clone);
    let mut connection = database.connect().await;
    let connections = tokio::sync::Mutex::new(&mut connection);
    until(0_i64, async || {
        let mut connection = connections.lock().await;
        sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity \
             WHERE application_name = 'gannet' AND datname = current_database()",
        )
        .fetch_one(&mut **connection)
        .await
        .unwrap()
    })
    .await;
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_row_that_another_transaction_holds_keeps_nobody_from_writing() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let store = open(&database, NEVER).await;
    let mut other = database.connect().await;
    // The row waits to be adopted, and is held from before anyone is told.
    for statement in [
        "BEGIN".to_owned(),
        ariel_upsert("10", "RF tripped again"),
        "COMMIT AND CHAIN".to_owned(),
        "SELECT 1 FROM enhanced_entries WHERE entry_id = '10' FOR UPDATE".to_owned(),
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&mut other)
            .await
            .unwrap();
    }
    let report = store.upsert(vec![crate::common::entry(90, "Pump exchanged")]);
    let report = tokio::time::timeout(PATIENCE / 2, report).await;
    assert_eq!(report.expect("waits for the row").unwrap().added, 1);
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    store.flush().await.unwrap();
    let held = store.entries("default", &["10".to_owned()]).await.unwrap();
    assert_eq!(held[0].raw_text, "RF tripped again");
    database.drop_if_there().await;
}
