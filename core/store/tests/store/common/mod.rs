//! What the tests of the store share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod ariel;
#[macro_use]
pub mod every_store;
pub mod filtering;
pub mod outage;
pub mod postgres;
pub mod vectors;

use std::time::{Duration, Instant};

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Entry, Filter, Found, Hit, QuerySyntax};
use gannet_store::{Store, StoreOptions, TextFound, TextRequest};
use tempfile::TempDir;

/// A store in a folder of its own.
pub async fn fresh() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    (folder, store)
}

/// A store with these texts under the ids `e0`, `e1`, …, an hour apart.
pub async fn with_texts(texts: &[&str]) -> (TempDir, Store) {
    let (folder, store) = fresh().await;
    write_texts(&store, texts).await;
    (folder, store)
}

/// Writes these texts under the ids `e0`, `e1`, …, an hour apart.
pub async fn write_texts(store: &Store, texts: &[&str]) {
    let entries = texts.iter().enumerate();
    let entries = entries.map(|(index, text)| entry(index, text)).collect();
    store.upsert(entries).await.unwrap();
    store.flush().await.unwrap();
}

/// Entry number `index`, logged that many hours after 2024 began.
/// An entry without the times that the store gives it.
pub fn timeless(entry: &Entry) -> Entry {
    entry.clone().with_created_at(None).with_updated_at(None)
}

pub fn entry(index: usize, text: &str) -> Entry {
    let begin = 1_704_067_200_i64;
    let hours = i64::try_from(index).unwrap();
    let timestamp = jiff::Timestamp::from_second(begin + 3600 * hours).unwrap();
    Entry::new(format!("e{index}"), "test", timestamp, text)
}

pub fn request(query: &str) -> TextRequest {
    TextRequest {
        query: parse(query, QuerySyntax::Operators, &QueryOptions::default()),
        filter: Filter::none(),
        limit: 10,
        fuzzy: true,
    }
}

pub async fn search(store: &Store, query: &str) -> TextFound {
    store.text_search("default", request(query)).await.unwrap()
}

/// What a search of texts or of vectors found.
pub trait Hits {
    fn hits(&self) -> &[Hit];
}

impl Hits for TextFound {
    fn hits(&self) -> &[Hit] {
        &self.hits
    }
}

impl Hits for Found {
    fn hits(&self) -> &[Hit] {
        &self.hits
    }
}

pub fn ids(found: &impl Hits) -> Vec<&str> {
    let hits = found.hits().iter();
    hits.map(|hit| hit.entry_id.as_str()).collect()
}

/// The ids in alphabetical order, for where the ranking does not matter.
pub fn sorted_ids(found: &impl Hits) -> Vec<&str> {
    let mut ids = ids(found);
    ids.sort_unstable();
    ids
}

/// Whether an answer says that it may lack the newest entries.
pub fn is_behind(found: &TextFound) -> bool {
    let mut categories = found.diagnostics.iter().map(|known| &known.category);
    categories.any(|category| category.as_deref() == Some("behind"))
}

/// Asks until the answer is right: another process copies now and then.
pub async fn eventually(store: &Store, query: &str, expected: &[&str]) {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        let found = search(store, query).await;
        if sorted_ids(&found) == expected {
            return;
        }
        assert!(Instant::now() < patience, "{query}: {:?}", ids(&found));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
