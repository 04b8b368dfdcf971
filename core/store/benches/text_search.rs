//! Text search over 100,000 generated entries through `Store::text_search`,
//! and the same queries with SQLite's FTS5 as a yardstick.
//!
//! Each sample is one query, so that the median is the p50 of the queries.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corpus;

use std::sync::{LazyLock, OnceLock};

use corpus::{Numbers, entry, sized, text, word, words_of_some_text};
use divan::Bencher;
use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Filter, QuerySyntax};
use gannet_store::{Store, StoreOptions, TextFound, TextRequest};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection, Row};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use {gannet_index_flat as _, gannet_index_tantivy as _};

static ENTRIES: LazyLock<usize> = LazyLock::new(|| sized(100_000, 500));
const QUERIES: u32 = 300;

fn main() {
    divan::main();
}

struct Prepared {
    runtime: Runtime,
    store: Store,
    _folder: TempDir,
}

fn prepared() -> &'static Prepared {
    static PREPARED: OnceLock<Prepared> = OnceLock::new();
    PREPARED.get_or_init(|| {
        let runtime = runtime();
        let folder = tempfile::tempdir().unwrap();
        let store = runtime.block_on(async {
            let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
            for first in (0..*ENTRIES).step_by(5_000) {
                store
                    .upsert((first..*ENTRIES).take(5_000).map(entry).collect())
                    .await
                    .unwrap();
            }
            store.flush().await.unwrap();
            // Merges of the load go on for a moment; reopening waits for them.
            store.close().await.unwrap();
            let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
            store.flush().await.unwrap();
            store
        });
        Prepared {
            runtime,
            store,
            _folder: folder,
        }
    })
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn request(query: &str) -> TextRequest {
    TextRequest {
        query: parse(query, QuerySyntax::Operators, &QueryOptions::default()),
        filter: Filter::none(),
        limit: 10,
        fuzzy: true,
    }
}

/// As a pipeline asks: plain words, and many hits to fuse.
fn plain_request(query: &str) -> TextRequest {
    TextRequest {
        query: parse(query, QuerySyntax::Plain, &QueryOptions::default()),
        limit: 100,
        ..request(query)
    }
}

fn ask_plain(bencher: Bencher<'_, '_>, words: usize) {
    let Prepared { runtime, store, .. } = prepared();
    let mut numbers = Numbers(42);
    bencher
        .with_inputs(|| {
            let words = words_of_some_text(&mut numbers, *ENTRIES, words);
            plain_request(&words.join(" "))
        })
        .bench_local_values(|request| -> TextFound {
            runtime
                .block_on(store.text_search("default", request))
                .unwrap()
        });
}

fn ask(bencher: Bencher<'_, '_>, make: fn(&mut Numbers) -> String) {
    let Prepared { runtime, store, .. } = prepared();
    let mut numbers = Numbers(42);
    bencher
        .with_inputs(|| request(&make(&mut numbers)))
        .bench_local_values(|request| -> TextFound {
            runtime
                .block_on(store.text_search("default", request))
                .unwrap()
        });
}

fn two_words(numbers: &mut Numbers) -> String {
    words_of_some_text(numbers, *ENTRIES, 2).join(" AND ")
}

fn five_words(numbers: &mut Numbers) -> String {
    words_of_some_text(numbers, *ENTRIES, 5).join(" OR ")
}

fn question(numbers: &mut Numbers) -> String {
    format!(
        "what was the {}?",
        words_of_some_text(numbers, *ENTRIES, 5).join(" ")
    )
}

/// A word with two letters swapped.
fn misspelt(numbers: &mut Numbers) -> String {
    let mut letters: Vec<char> = word(100 + numbers.below(5_000)).chars().collect();
    let at = 1 + numbers.below(letters.len() - 2);
    letters.swap(at, at + 1);
    letters.into_iter().collect()
}

fn with_date(numbers: &mut Numbers) -> String {
    format!(
        "{} date:2020-0{}",
        words_of_some_text(numbers, *ENTRIES, 2).join(" "),
        1 + numbers.below(9)
    )
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn two_words_and(bencher: Bencher<'_, '_>) {
    ask(bencher, two_words);
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn five_words_or(bencher: Bencher<'_, '_>) {
    ask(bencher, five_words);
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn question_all_first(bencher: Bencher<'_, '_>) {
    ask(bencher, question);
}

#[divan::bench(sample_count = QUERIES, sample_size = 1, args = [2, 5, 12])]
fn plain_words(bencher: Bencher<'_, '_>, words: usize) {
    ask_plain(bencher, words);
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn phrase(bencher: Bencher<'_, '_>) {
    ask(bencher, |numbers| {
        format!("\"{}\"", words_of_some_text(numbers, *ENTRIES, 2).join(" "))
    });
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn typo(bencher: Bencher<'_, '_>) {
    ask(bencher, misspelt);
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn words_in_a_month(bencher: Bencher<'_, '_>) {
    ask(bencher, with_date);
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn words_of_an_author(bencher: Bencher<'_, '_>) {
    ask(bencher, |numbers| {
        format!(
            "{} author:smith",
            words_of_some_text(numbers, *ENTRIES, 2).join(" ")
        )
    });
}

#[divan::bench(sample_count = QUERIES, sample_size = 1)]
fn device_glob(bencher: Bencher<'_, '_>) {
    ask(bencher, |numbers| {
        format!("SR{:02}C*BPM*", numbers.below(30))
    });
}

/// The yardstick: SQLite's own full text index with its BM25.
mod fts5 {
    use super::*;

    #[divan::bench(sample_count = QUERIES, sample_size = 1)]
    fn two_words_and(bencher: Bencher<'_, '_>) {
        ask_fts5(bencher, two_words);
    }

    #[divan::bench(sample_count = QUERIES, sample_size = 1)]
    fn five_words_or(bencher: Bencher<'_, '_>) {
        ask_fts5(bencher, five_words);
    }

    #[divan::bench(sample_count = QUERIES, sample_size = 1)]
    fn phrase(bencher: Bencher<'_, '_>) {
        ask_fts5(bencher, |numbers| {
            format!("\"{}\"", words_of_some_text(numbers, *ENTRIES, 2).join(" "))
        });
    }
}

fn ask_fts5(bencher: Bencher<'_, '_>, make: fn(&mut Numbers) -> String) {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let mut connection = runtime.block_on(fts5_index(&folder));
    let mut numbers = Numbers(42);
    bencher
        .with_inputs(|| make(&mut numbers))
        .bench_local_values(|query| -> Vec<i64> {
            let rows =
                sqlx::query("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10")
                    .bind(query)
                    .fetch_all(&mut connection);
            let rows = runtime.block_on(rows).unwrap();
            rows.iter().map(|row| row.get(0)).collect()
        });
}

async fn fts5_index(folder: &TempDir) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(folder.path().join("fts5.db"))
        .create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
        .execute(&mut connection)
        .await
        .unwrap();
    let mut transaction = connection.begin().await.unwrap();
    for index in 0..*ENTRIES {
        sqlx::query("INSERT INTO texts (rowid, text) VALUES (?, ?)")
            .bind(i64::try_from(index).unwrap())
            .bind(text(index))
            .execute(&mut *transaction)
            .await
            .unwrap();
    }
    transaction.commit().await.unwrap();
    sqlx::query("INSERT INTO texts (texts) VALUES ('optimize')")
        .execute(&mut connection)
        .await
        .unwrap();
    connection
}
