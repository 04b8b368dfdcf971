//! The same question on the same index gives the same bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fixture::{host, pipeline, request, setup, two_domains};
use gannet_plugin::prelude::Pipeline;
use serde_json::json;

const RUNS: usize = 1_000;
const THREADS: usize = 8;

#[test]
fn a_thousand_runs_on_eight_threads_give_one_hash() {
    let host = host();
    let unified = pipeline(two_domains(), &setup());
    let hash_of_a_run = || {
        let params = json!({ "route": "/shift/today", "visible_entities": "CAV1, CAV2" });
        let request = request("what caused the trips of CAV1?", params);
        let answer = pollster::block_on(unified.run(request, &host.context())).unwrap();
        assert!(!answer.hits.is_empty());
        let mut hasher = DefaultHasher::new();
        format!("{answer:?}").hash(&mut hasher);
        hasher.finish()
    };
    let hashes: BTreeSet<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| (0..RUNS / THREADS).map(|_| hash_of_a_run()).collect()))
            .collect();
        let runs = threads.into_iter().map(|thread| thread.join().unwrap());
        runs.flat_map(|hashes: Vec<u64>| hashes).collect()
    });
    assert_eq!(hashes.len(), 1);
}
