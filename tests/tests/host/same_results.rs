//! C1: the same question of the same index has the same result, whatever else
//! is asked at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, in_full, root};

const MODES: [&str; 3] = ["keyword", "semantic", "rag"];

/// How many ask at once.
const ASKERS: usize = 8;

/// All of a result that may not differ: ids with scores to the bit, the answer,
/// the hash over both.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    hits: Vec<(String, u64)>,
    answer: Option<String>,
    hash: String,
}

impl Told {
    fn of(result: &SearchResult) -> Self {
        let hits = result.entries.iter();
        let hits = hits.map(|hit| (hit.entry.entry_id.clone(), hit.score.to_bits()));
        Self {
            hits: hits.collect(),
            answer: result.answer.clone(),
            hash: result.stability_hash.clone(),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn c1_the_same_question_gives_the_same_result_on_many_threads() {
    let host = Host::new().await;
    host.ingest("generic_json", &root().join("demo/logbook.json"))
        .await;
    host.enhance().await;
    let host = Arc::new(host);
    let askers = (0..ASKERS).map(|_| tokio::spawn(ask_in_turn(Arc::clone(&host))));
    let mut first: BTreeMap<&str, Told> = BTreeMap::new();
    for asker in askers.collect::<Vec<_>>() {
        for (mode, told) in asker.await.unwrap() {
            assert!(!told.hits.is_empty(), "{mode}");
            let expected = first.entry(mode).or_insert_with(|| told.clone());
            assert_eq!(expected, &told, "{mode}");
        }
    }
}

async fn ask_in_turn(host: Arc<Host>) -> Vec<(&'static str, Told)> {
    let mut results = Vec::new();
    for _ in 0..in_full(4, 1_000 / ASKERS) {
        for mode in MODES {
            let mut input = SearchInput::new("what caused the RF cavity trips?");
            input.mode = Some(mode.to_owned());
            let result = host.gannet.search(input).await.unwrap();
            results.push((mode, Told::of(&result)));
        }
    }
    results
}
