//! Writing to PostgreSQL in bulk, beside ARIEL's statement for one entry.
//!
//! `cargo bench -p gannet-store --bench postgres_load`, with the server of the
//! tests or the one in `GANNET_TEST_POSTGRES`. Prints one line for each load.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(dead_code)]

mod corpus;
#[path = "../tests/store/common/postgres.rs"]
mod server;

use std::sync::LazyLock;
use std::time::Instant;

use corpus::{Numbers, entry, sized};
use gannet_api::{EmbeddingModel, Enhanced, Entry, PassageEmbedding, PassageEmbeddings, Patch};
use gannet_store::{Store, WorkedOn};
use server::Database;
use sqlx::PgConnection;

/// Entries that are loaded, and how many at once.
static ENTRIES: LazyLock<usize> = LazyLock::new(|| sized(20_000, 200));
static BATCHES: LazyLock<[usize; 3]> =
    LazyLock::new(|| [sized(1_000, 50), sized(5_000, 100), sized(20_000, 200)]);
/// Entries that are written as ARIEL writes them.
static ONE_BY_ONE: LazyLock<usize> = LazyLock::new(|| sized(2_000, 20));
/// Entries with vectors, and how many at once, as the host does.
static EMBEDDED: LazyLock<usize> = LazyLock::new(|| sized(2_048, 128));
const EMBEDDED_AT_ONCE: usize = 64;
const DIMENSION: usize = 384;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    for batch in *BATCHES {
        let Some(database) = Database::create().await else {
            return;
        };
        let store = database.store().await;
        let began = Instant::now();
        load(&store, batch).await;
        tell(&format!("new entries, {batch} at once"), *ENTRIES, began);
        let began = Instant::now();
        load(&store, batch).await;
        tell(&format!("the same again, {batch} at once"), *ENTRIES, began);
        if batch == BATCHES[0] {
            embed(&store).await;
        }
        store.close().await.unwrap();
        database.drop_if_there().await;
    }
    let Some(database) = Database::create().await else {
        return;
    };
    as_ariel(&database).await;
    database.drop_if_there().await;
}

fn tell(what: &str, count: usize, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{what:40} {:9.0} entries/s, {seconds:6.2} s",
        count as f64 / seconds
    );
}

async fn load(store: &Store, batch: usize) {
    for first in (0..*ENTRIES).step_by(batch) {
        let entries: Vec<Entry> = (first..first + batch).map(entry).collect();
        store.upsert(entries).await.unwrap();
    }
}

async fn embed(store: &Store) {
    let model = EmbeddingModel::new("random", DIMENSION, 256).with_variant("f32");
    store.register_model(&model).await.unwrap();
    let mut numbers = Numbers(1);
    for (what, with_vectors) in [("vectors of 384", true), ("keywords and summaries", false)] {
        let began = Instant::now();
        for first in (0..*EMBEDDED).step_by(EMBEDDED_AT_ONCE) {
            let outcomes = (first..first + EMBEDDED_AT_ONCE)
                .map(|index| outcome(&entry(index), with_vectors, &mut numbers))
                .collect();
            store.save_enhanced(what, outcomes).await.unwrap();
        }
        tell(
            &format!("{what}, {EMBEDDED_AT_ONCE} at once"),
            *EMBEDDED,
            began,
        );
    }
}

fn outcome(entry: &Entry, with_vectors: bool, numbers: &mut Numbers) -> (WorkedOn, Enhanced) {
    let mut patch = Patch::default();
    if with_vectors {
        let vector = (0..DIMENSION).map(|_| numbers.below(2_000) as f32 - 1_000.0);
        patch.embeddings = Some(PassageEmbeddings::new(
            "random",
            vec![PassageEmbedding::new(
                0..entry.raw_text.len(),
                vector.collect(),
            )],
        ));
    } else {
        patch.keywords = Some(vec!["vacuum".to_owned(), "pump".to_owned()]);
        patch.summary = Some("A pump was exchanged".to_owned());
    }
    let enhanced = Enhanced::new(entry.entry_id.clone(), Ok(patch));
    (WorkedOn::entry(entry), enhanced)
}

/// ARIEL's table with its indexes, and its way to write: one statement for
/// one entry, each a transaction of its own.
async fn as_ariel(database: &Database) {
    database
        .run(
            "CREATE EXTENSION pg_trgm; \
             CREATE TABLE enhanced_entries ( \
                 entry_id TEXT PRIMARY KEY, source_system TEXT NOT NULL, \
                 timestamp TIMESTAMPTZ NOT NULL, author TEXT NOT NULL DEFAULT '', \
                 raw_text TEXT NOT NULL, attachments JSONB DEFAULT '[]', \
                 created_at TIMESTAMPTZ DEFAULT now(), updated_at TIMESTAMPTZ DEFAULT now(), \
                 metadata JSONB DEFAULT '{}', enhancement_status JSONB DEFAULT '{}', \
                 summary TEXT, keywords TEXT[] DEFAULT '{}'); \
             CREATE INDEX ON enhanced_entries (timestamp DESC); \
             CREATE INDEX ON enhanced_entries (author); \
             CREATE INDEX ON enhanced_entries (source_system); \
             CREATE INDEX ON enhanced_entries USING gin (raw_text gin_trgm_ops); \
             CREATE INDEX ON enhanced_entries USING gin (to_tsvector('english', raw_text)); \
             CREATE INDEX ON enhanced_entries USING gin (metadata)",
        )
        .await;
    let mut connection = database.connect().await;
    let began = Instant::now();
    for index in 0..*ONE_BY_ONE {
        upsert_as_ariel(&mut connection, entry(index)).await;
    }
    tell("ARIEL's statement, one at once", *ONE_BY_ONE, began);
}

async fn upsert_as_ariel(connection: &mut PgConnection, entry: Entry) {
    sqlx::query(
        "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, author, raw_text, \
             attachments, metadata) \
         VALUES ($1, $2, $3::text::timestamptz, $4, $5, $6::text::jsonb, $7::text::jsonb) \
         ON CONFLICT (entry_id) DO UPDATE SET source_system = excluded.source_system, \
             timestamp = excluded.timestamp, author = excluded.author, \
             raw_text = excluded.raw_text, metadata = excluded.metadata, \
             attachments = CASE WHEN excluded.attachments = '[]' \
                 THEN enhanced_entries.attachments ELSE excluded.attachments END",
    )
    .bind(&entry.entry_id)
    .bind(&entry.source_system)
    .bind(entry.timestamp.to_string())
    .bind(&entry.author)
    .bind(&entry.raw_text)
    .bind("[]")
    .bind(serde_json::Value::Object(entry.metadata).to_string())
    .execute(connection)
    .await
    .unwrap();
}
