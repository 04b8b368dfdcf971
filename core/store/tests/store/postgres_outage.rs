//! A server that dies under load and comes back.
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::common::entry;
use crate::common::outage::OwnServer;
use gannet_api::Entry;
use gannet_store::{ListRequest, PostgresOptions, PostgresStore, StoreError};
use sqlx::{Connection, PgConnection};
use tokio::sync::{mpsc, watch};

const WRITERS: usize = 4;
const READERS: usize = 3;
/// Entries that a writer writes at once.
const BATCH: usize = 5;
/// How long a call waits for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Far above the time-outs of a call, far below what hanging looks like.
const PATIENCE: Duration = Duration::from_secs(20);

/// What became of one call of one worker.
#[derive(Debug)]
struct Event {
    worker: usize,
    outcome: Result<Vec<String>, StoreError>,
    took: Duration,
}

#[derive(Clone)]
struct Worker {
    number: usize,
    store: PostgresStore,
    events: mpsc::UnboundedSender<Event>,
    stop: watch::Receiver<bool>,
}

impl Worker {
    async fn work(self) {
        let mut round = 0;
        while !*self.stop.borrow() {
            let began = Instant::now();
            let outcome = if self.number < WRITERS {
                self.write(round).await
            } else {
                self.read().await
            };
            let event = Event {
                worker: self.number,
                outcome,
                took: began.elapsed(),
            };
            self.events.send(event).unwrap();
            round += 1;
        }
    }

    /// The ids that were acknowledged.
    async fn write(&self, round: usize) -> Result<Vec<String>, StoreError> {
        let entries: Vec<Entry> = (0..BATCH)
            .map(|index| {
                let mut entry = entry(index, &format!("text of round {round}"));
                entry.entry_id = format!("{}-{round}-{index}", self.number);
                entry
            })
            .collect();
        let ids = entries.iter().map(|entry| entry.entry_id.clone()).collect();
        self.store.upsert(entries).await?;
        Ok(ids)
    }

    async fn read(&self) -> Result<Vec<String>, StoreError> {
        match self.number % 3 {
            0 => drop(self.store.count("default").await?),
            1 => drop(self.store.list("default", ListRequest::newest(5)).await?),
            _ => drop(
                self.store
                    .text_search("default", crate::common::request("text"))
                    .await?,
            ),
        }
        Ok(Vec::new())
    }
}

struct Load {
    events: mpsc::UnboundedReceiver<Event>,
    acknowledged: BTreeSet<String>,
    errors: BTreeMap<String, usize>,
}

impl Load {
    /// Takes events until every worker had one like this.
    async fn until_each(&mut self, wanted: impl Fn(&Event) -> bool) {
        let mut seen = BTreeSet::new();
        let last = tokio::time::Instant::now() + PATIENCE;
        while seen.len() < WRITERS + READERS {
            let event = tokio::time::timeout_at(last, self.events.recv()).await;
            let event = event.expect("a call hangs").unwrap();
            assert!(event.took < PATIENCE / 2, "{event:?}");
            if wanted(&event) {
                seen.insert(event.worker);
            }
            self.note(event);
        }
    }

    fn note(&mut self, event: Event) {
        match event.outcome {
            Ok(ids) => self.acknowledged.extend(ids),
            Err(error) => {
                assert!(error.is_retryable(), "{error:?}");
                let told = gannet_api::Error::from(error).to_string();
                assert!(told.contains("try again"), "{told}");
                *self.errors.entry(told).or_default() += 1;
            }
        }
    }
}

/// The test kills processes, not the machine: what a process gave to the
/// system with `write` stays, whether or not it waited for the disk. So
/// `fsync = off`, with which the script starts servers, loses nothing here.
/// But `synchronous_commit = off` would: with it a commit is acknowledged
/// while its record is in the server's own memory.
async fn commit_before_acknowledging(server: &OwnServer) {
    let mut connection = PgConnection::connect(server.url()).await.unwrap();
    for statement in [
        "ALTER SYSTEM SET synchronous_commit = on",
        "ALTER DATABASE postgres SET synchronous_commit = on",
        "SELECT pg_reload_conf()",
    ] {
        sqlx::query(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_under_load_loses_nothing_and_is_found_again() {
    let Some(server) = OwnServer::start("killed-under-load") else {
        return;
    };
    commit_before_acknowledging(&server).await;
    let store = PostgresStore::open(PostgresOptions {
        connect_timeout: CONNECT_TIMEOUT,
        ..server.options()
    })
    .await
    .unwrap();
    let (sender, events) = mpsc::unbounded_channel();
    let (stop, stopped) = watch::channel(false);
    let workers: Vec<_> = (0..WRITERS + READERS)
        .map(|number| {
            let worker = Worker {
                number,
                store: store.clone(),
                events: sender.clone(),
                stop: stopped.clone(),
            };
            tokio::spawn(worker.work())
        })
        .collect();
    drop(sender);
    let mut load = Load {
        events,
        acknowledged: BTreeSet::new(),
        errors: BTreeMap::new(),
    };
    for _ in 0..2 {
        load.until_each(|event| event.outcome.is_ok()).await;
        server.kill();
        load.until_each(|event| event.outcome.is_err()).await;
        // Calls, not only the pool, must not hang while it is away.
        load.until_each(|event| event.outcome.is_err()).await;
        server.start_again();
        load.until_each(|event| event.outcome.is_ok()).await;
    }
    stop.send(true).unwrap();
    for worker in workers {
        worker.await.unwrap();
    }
    while let Some(event) = load.events.recv().await {
        load.note(event);
    }
    println!("{} entries, {:#?}", load.acknowledged.len(), load.errors);
    let stored = every_id(&server).await;
    let distinct: BTreeSet<String> = stored.iter().cloned().collect();
    assert_eq!(stored.len(), distinct.len(), "an entry is there twice");
    let lost: Vec<&String> = load.acknowledged.difference(&distinct).collect();
    assert!(lost.is_empty(), "{lost:?}");
    store.close().await.unwrap();
}

async fn every_id(server: &OwnServer) -> Vec<String> {
    let mut connection = PgConnection::connect(server.url()).await.unwrap();
    sqlx::query_scalar("SELECT entry_id FROM enhanced_entries")
        .fetch_all(&mut connection)
        .await
        .unwrap()
}
