//! Writing entries: in bulk, one by one, and until they can be found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corpus;

use std::sync::LazyLock;

use corpus::{entry, sized};
use divan::Bencher;
use divan::counter::ItemsCount;
use gannet_api::Entry;
use gannet_store::{EmbeddedOptions, Store, StoreOptions};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use {gannet_index_flat as _, gannet_index_tantivy as _};

static BULK: LazyLock<usize> = LazyLock::new(|| sized(50_000, 200));
static BATCH: LazyLock<usize> = LazyLock::new(|| sized(5_000, 100));

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn open(runtime: &Runtime, synchronous_full: bool) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions {
        synchronous_full,
        ..EmbeddedOptions::at(folder.path())
    };
    let store = runtime
        .block_on(Store::open(StoreOptions::Embedded(options)))
        .unwrap();
    (folder, store)
}

fn batches() -> Vec<Vec<Entry>> {
    (0..*BULK)
        .step_by(*BATCH)
        .map(|first| (first..first + *BATCH).map(entry).collect())
        .collect()
}

/// Until the entries are durable; the indexes follow meanwhile.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn bulk_acknowledged(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(*BULK))
        .with_inputs(|| (open(&runtime, false), batches()))
        .bench_local_values(|((folder, store), batches)| {
            runtime.block_on(async {
                for batch in batches {
                    store.upsert(batch).await.unwrap();
                }
            });
            (folder, store)
        });
}

/// Until the entries can be found.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn bulk_findable(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(*BULK))
        .with_inputs(|| (open(&runtime, false), batches()))
        .bench_local_values(|((folder, store), batches)| {
            runtime.block_on(async {
                for batch in batches {
                    store.upsert(batch).await.unwrap();
                }
                store.flush().await.unwrap();
            });
            (folder, store)
        });
}

/// The same entries again: nothing is written.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn bulk_unchanged(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (_folder, store) = open(&runtime, false);
    for batch in batches() {
        runtime.block_on(store.upsert(batch)).unwrap();
    }
    runtime.block_on(store.flush()).unwrap();
    bencher
        .counter(ItemsCount::new(*BULK))
        .with_inputs(batches)
        .bench_local_values(|batches| {
            for batch in batches {
                runtime.block_on(store.upsert(batch)).unwrap();
            }
        });
}

/// One entry, durable on return: against crashes, and against power cuts too.
#[divan::bench(args = [false, true], sample_count = 200, sample_size = 1)]
fn one_entry(bencher: Bencher<'_, '_>, synchronous_full: bool) {
    let runtime = runtime();
    let (_folder, store) = open(&runtime, synchronous_full);
    let mut next = 0;
    bencher
        .with_inputs(|| {
            next += 1;
            vec![entry(next)]
        })
        .bench_local_values(|entries| runtime.block_on(store.upsert(entries)).unwrap());
}
