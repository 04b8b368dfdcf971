//! Searches of 100,000 generated entries in PostgreSQL, and beside them, in
//! the same run and on the same rows, plain `ts_rank` and the statements that
//! ARIEL searches with.
//!
//! Brings up its own server by `tests/postgres`; `GANNET_TEST_POSTGRES` names
//! another. Prints medians and 95th percentiles in milliseconds, the time of
//! a query as its caller sees it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../corpus/mod.rs"]
mod corpus;
mod nearest;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use corpus::{Numbers, entry, sized, word, words_of_some_text};
use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Filter, QuerySyntax};
use gannet_store::{EmbeddedOptions, PostgresOptions, Store, StoreOptions, TextRequest};
use gannet_test_databases::Database;
use sqlx::PgConnection;
use {gannet_index_flat as _, gannet_index_tantivy as _};

/// At least ten of the entries are in the week of a hundred that is searched.
static ENTRIES: LazyLock<usize> = LazyLock::new(|| sized(100_000, 1_500));
static QUERIES: LazyLock<usize> = LazyLock::new(|| sized(200, 20));
/// ARIEL's statements take up to seconds each.
const SLOW_QUERIES: usize = 20;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let Some(database) = Database::create().await else {
        return;
    };
    let postgres = PostgresOptions::at(database.url());
    let options = StoreOptions::Postgres(postgres.clone());
    let store = Store::open(options).await.unwrap();
    let mut plain = database.connect().await;
    load(&store).await;
    for statement in ARIEL_INDEXES {
        sqlx::raw_sql(*statement).execute(&mut plain).await.unwrap();
    }
    println!("\n{:<58} {:>8} {:>8}", "milliseconds", "p50", "p95");
    words(&store, &mut plain).await;
    let questions = nearest::measure(&store, &mut plain, *ENTRIES, *QUERIES).await;
    copy(postgres, &questions).await;
    store.close().await.unwrap();
}

/// The same searches with `store.cache: true`.
async fn copy(postgres: PostgresOptions, questions: &[Vec<f32>]) {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions::Mirrored {
        postgres,
        folder: EmbeddedOptions::at(folder.path()),
    };
    let begun = Instant::now();
    let store = Store::open(options).await.unwrap();
    store.flush().await.unwrap();
    println!("copied in {:.1} s", begun.elapsed().as_secs_f64());
    let five = queries(*QUERIES, |numbers| words_of_some_text(numbers, *ENTRIES, 5));
    let two = queries(*QUERIES, |numbers| words_of_some_text(numbers, *ENTRIES, 2));
    report(
        "five words, any: a copy",
        search(&store, &five, " OR ").await,
    );
    report(
        "two words, both: a copy",
        search(&store, &two, " AND ").await,
    );
    report(
        "vectors, all: a copy",
        nearest::times(&store, questions).await,
    );
    store.close().await.unwrap();
}

/// The indexes of ARIEL's schema that its statements can use.
const ARIEL_INDEXES: &[&str] = &[
    "CREATE INDEX ariel_fts ON enhanced_entries USING gin (to_tsvector('english', raw_text))",
    "CREATE INDEX ariel_trgm ON enhanced_entries USING gin (raw_text gin_trgm_ops)",
    "VACUUM ANALYZE",
];

async fn load(store: &Store) {
    let begun = Instant::now();
    for first in (0..*ENTRIES).step_by(2_000) {
        let entries = (first..*ENTRIES).take(2_000).map(entry).collect();
        store.upsert(entries).await.unwrap();
    }
    store.flush().await.unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "loaded {} entries in {seconds:.1} s, {:.0} a second",
        *ENTRIES,
        *ENTRIES as f64 / seconds
    );
}

async fn words(store: &Store, plain: &mut PgConnection) {
    let five = queries(*QUERIES, |numbers| words_of_some_text(numbers, *ENTRIES, 5));
    let two = queries(*QUERIES, |numbers| words_of_some_text(numbers, *ENTRIES, 2));
    report(
        "five words, any: gannet",
        search(store, &five, " OR ").await,
    );
    report(
        "five words, any: ts_rank over our column",
        rank(plain, &five, " | ", OUR_COLUMN).await,
    );
    report(
        "five words, any: ARIEL's statement",
        rank(plain, &five[..SLOW_QUERIES], " | ", ARIEL_RANK).await,
    );
    report(
        "two words, both: gannet",
        search(store, &two, " AND ").await,
    );
    report(
        "two words, both: ts_rank over our column",
        rank(plain, &two, " & ", OUR_COLUMN).await,
    );
    report(
        "two words, both: ARIEL's statement",
        rank(plain, &two[..SLOW_QUERIES], " & ", ARIEL_RANK).await,
    );
    let dated: Vec<Vec<String>> = (0..*QUERIES)
        .map(|index| {
            let mut words = two[index].clone();
            words.push(format!("date:2020-0{}", 1 + index % 9));
            words
        })
        .collect();
    report(
        "two words in a month: gannet",
        search(store, &dated, " ").await,
    );
    let misspelt = queries(*QUERIES, |numbers| vec![misspelt(numbers)]);
    report(
        "a misspelt word: gannet",
        search(store, &misspelt, " ").await,
    );
    report(
        "a misspelt word: ARIEL's statement",
        rank(plain, &misspelt[..SLOW_QUERIES / 4], " ", ARIEL_FUZZY).await,
    );
    let questions = queries(*QUERIES, |numbers| words_of_some_text(numbers, *ENTRIES, 5));
    let questions: Vec<Vec<String>> = questions
        .into_iter()
        .map(|words| vec![format!("what was the {}?", words.join(" "))])
        .collect();
    report(
        "a question of five words: gannet",
        search(store, &questions, " ").await,
    );
}

const OUR_COLUMN: &str = "SELECT entry_id FROM enhanced_entries WHERE terms @@ $1::tsquery \
    ORDER BY ts_rank(terms, $1::tsquery, 1) DESC LIMIT 10";
const ARIEL_RANK: &str = "SELECT entry_id FROM enhanced_entries \
    WHERE to_tsvector('english', raw_text) @@ to_tsquery('english', $1) \
    ORDER BY ts_rank(to_tsvector('english', raw_text), to_tsquery('english', $1)) DESC LIMIT 10";
const ARIEL_FUZZY: &str = "SELECT entry_id, similarity(raw_text, $1) AS s FROM enhanced_entries \
    WHERE similarity(raw_text, $1) >= 0.3 ORDER BY s DESC LIMIT 10";

async fn search(store: &Store, queries: &[Vec<String>], operator: &str) -> Vec<Duration> {
    let mut times = Vec::with_capacity(queries.len());
    for words in queries {
        let query = words.join(operator);
        let request = TextRequest {
            query: parse(&query, QuerySyntax::Operators, &QueryOptions::default()),
            filter: Filter::none(),
            limit: 10,
            fuzzy: true,
        };
        let begun = Instant::now();
        store.text_search("default", request).await.unwrap();
        times.push(begun.elapsed());
    }
    times
}

async fn rank(
    plain: &mut PgConnection,
    queries: &[Vec<String>],
    operator: &str,
    statement: &'static str,
) -> Vec<Duration> {
    let mut times = Vec::with_capacity(queries.len());
    for words in queries {
        let stemmed = stemmed(plain, words).await;
        let begun = Instant::now();
        sqlx::query(statement)
            .bind(stemmed.join(operator))
            .fetch_all(&mut *plain)
            .await
            .unwrap();
        times.push(begun.elapsed());
    }
    times
}

/// Generated words have stems of their own: PostgreSQL's, which is Porter's
/// second too.
async fn stemmed(plain: &mut PgConnection, words: &[String]) -> Vec<String> {
    let mut stems = Vec::new();
    for word in words {
        let stem: Option<Vec<String>> = sqlx::query_scalar("SELECT ts_lexize('english_stem', $1)")
            .bind(word)
            .fetch_one(&mut *plain)
            .await
            .unwrap();
        stems.extend(stem.unwrap_or_default().into_iter().next());
    }
    stems
}

fn queries(count: usize, make: impl Fn(&mut Numbers) -> Vec<String>) -> Vec<Vec<String>> {
    let mut numbers = Numbers(42);
    (0..count).map(|_| make(&mut numbers)).collect()
}

/// A word with two letters swapped.
fn misspelt(numbers: &mut Numbers) -> String {
    let mut letters: Vec<char> = word(100 + numbers.below(5_000)).chars().collect();
    let at = 1 + numbers.below(letters.len() - 2);
    letters.swap(at, at + 1);
    letters.into_iter().collect()
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!("{what:<58} {:>8.2} {:>8.2}", at(0.5), at(0.95));
}
