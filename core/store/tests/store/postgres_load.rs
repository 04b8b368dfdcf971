//! A load that is cut off is repeated, and goes on where it stopped.
use crate::common::entry;
use crate::common::outage::OwnServer;
use gannet_api::Entry;
use gannet_store::{PostgresOptions, PostgresStore, UpsertReport};
use sqlx::{Connection, PgConnection};
use std::time::Duration;

const BATCH: usize = 500;
const BATCHES: usize = 12;

fn batch(number: usize) -> Vec<Entry> {
    (number * BATCH..(number + 1) * BATCH)
        .map(|index| entry(index, &format!("RF trip number {index}")))
        .collect()
}

/// Loads batch by batch, as the host does, until one fails; returns the
/// reports so far.
async fn load(store: PostgresStore) -> Vec<UpsertReport> {
    let mut reports = Vec::new();
    for number in 0..BATCHES {
        match store.upsert(batch(number)).await {
            Ok(report) => reports.push(report),
            Err(error) => {
                assert!(error.is_retryable(), "{error}");
                break;
            }
        }
    }
    reports
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_is_cut_off_goes_on_where_it_stopped() {
    let Some(server) = OwnServer::start("cut-off") else {
        return;
    };
    // See `postgres_outage.rs`: what was acknowledged must be out of the
    // server's own memory.
    let mut connection = PgConnection::connect(server.url()).await.unwrap();
    sqlx::query("ALTER DATABASE postgres SET synchronous_commit = on")
        .execute(&mut connection)
        .await
        .unwrap();
    let store = PostgresStore::open(PostgresOptions {
        connect_timeout: Duration::from_millis(500),
        ..server.options()
    })
    .await
    .unwrap();
    let loading = tokio::spawn(load(store.clone()));
    while store.count("default").await.unwrap() < 2 * BATCH as u64 {
        tokio::task::yield_now().await;
    }
    server.kill();
    let first = loading.await.unwrap();
    server.start_again();

    let committed = store.count("default").await.unwrap();
    assert_eq!(committed % BATCH as u64, 0, "a batch is there in part");
    assert!(committed >= (first.len() * BATCH) as u64);
    assert!(committed < (BATCHES * BATCH) as u64, "it was not cut off");
    let again = load(store.clone()).await;
    let unchanged: u64 = again.iter().map(|report| report.unchanged).sum();
    let added: u64 = again.iter().map(|report| report.added).sum();
    assert_eq!(unchanged, committed);
    assert_eq!(added, (BATCHES * BATCH) as u64 - committed);
    let found = store
        .text_search("default", crate::common::request("5999"))
        .await;
    assert_eq!(crate::common::ids(&found.unwrap()), ["e5999"]);
    store.close().await.unwrap();
}
