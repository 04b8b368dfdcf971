//! What a query excludes is among the hits of no mode.

use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, StoreKind, ids, over_both_stores};
use serde_json::{Value, json};

/// Sixty trips of one plant, and after them three of others.
fn records() -> Vec<Value> {
    let record = |number: usize| {
        let author = match number {
            60 => "Hatch",
            61 => "Surry",
            62 => "Hope Creek",
            _ => "Salem",
        };
        json!({
            "id": format!("E{number}"),
            "timestamp": format!("2025-03-{:02}T08:00:00Z", 1 + number % 28),
            "author": author,
            "text": format!("{author}: automatic reactor trip on low level, case {number}"),
        })
    };
    (0..63).map(record).collect()
}

async fn asked(host: &Host, mode: &str, query: &str) -> SearchResult {
    let mut input = SearchInput::new(query);
    input.mode = Some(mode.to_owned());
    input.max_results = Some(3);
    if mode == "semantic" {
        let nearest = json!({ "similarity_threshold": 0.0 });
        input.params = nearest.as_object().unwrap().clone();
    }
    host.gannet.search(input).await.unwrap()
}

async fn no_mode_finds_what_a_query_excludes(kind: StoreKind) {
    let Some(host) = Host::on(kind).await else {
        return;
    };
    host.ingest_lines(&records()).await;
    host.enhance().await;
    host.gannet.store().flush().await.unwrap();
    for mode in ["keyword", "semantic", "rag"] {
        for query in [
            "reactor trip -salem",
            "reactor trip NOT author:salem",
            "reactor trip -\"salem automatic\"",
            "NOT salem",
        ] {
            let result = asked(&host, mode, query).await;
            let mut found = ids(&result);
            found.sort_unstable();
            assert_eq!(found, ["E60", "E61", "E62"], "{mode} {query}");
        }
        let result = asked(&host, mode, "reactor trip -salem -surry").await;
        let mut found = ids(&result);
        found.sort_unstable();
        assert_eq!(found, ["E60", "E62"], "{mode}");
    }
}

over_both_stores!(no_mode_finds_what_a_query_excludes);
