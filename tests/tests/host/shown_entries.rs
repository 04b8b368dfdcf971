//! What a result shows of its entries: highlights, order, counts. They are
//! made once the entries are known, whatever mode found them.

use gannet_api::Matched;
use gannet_core::{Counting, EntryOrder, SearchInput, SearchResult};
use gannet_tests::{Host, StoreKind, ids, over_both_stores};
use serde_json::json;

over_both_stores!(
    entries_have_highlights_whether_a_module_or_a_pipeline_found_them,
    a_module_without_highlights_shows_none,
    the_entries_that_were_found_are_shown_newest_first,
    matches_and_values_are_counted_beyond_what_is_shown,
    a_mode_that_searches_vectors_counts_at_least_what_it_shows,
    nothing_is_counted_unless_it_is_asked_for,
);

async fn host(kind: StoreKind) -> Option<Host> {
    let host = Host::on(kind).await?;
    let entry = |day: usize| {
        let author = ["Anna Lee", "Bo Chen"][day % 2];
        json!({
            "id": format!("A-{day}"), "timestamp": format!("2025-03-0{day}T08:00:00Z"),
            "author": author, "title": "Shift report",
            "text": format!("The vacuum pump tripped{}.", " and tripped again".repeat(day % 3)),
            "metadata": {"system": "VAC"},
        })
    };
    let entries: Vec<_> = (1..=6).map(entry).collect();
    host.ingest_lines(&entries).await;
    host.enhance().await;
    Some(host)
}

async fn ask(host: &Host, mode: &str, change: impl FnOnce(&mut SearchInput)) -> SearchResult {
    let mut input = SearchInput::new("pump tripped");
    input.mode = Some(mode.to_owned());
    input.max_results = Some(2);
    change(&mut input);
    host.gannet.search(input).await.unwrap()
}

/// The words that are marked in the first entry.
fn marked(result: &SearchResult) -> Vec<&str> {
    let highlights = result.entries[0].highlights.iter();
    highlights
        .flat_map(|of| of.ranges.iter().map(|&(start, end)| &of.text[start..end]))
        .collect()
}

async fn entries_have_highlights_whether_a_module_or_a_pipeline_found_them(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for mode in ["keyword", "rag"] {
        let result = ask(&host, mode, |_| ()).await;
        assert_eq!(result.entries.len(), 2);
        for hit in &result.entries {
            let has_marks = hit.highlights.iter().any(|of| !of.ranges.is_empty());
            assert!(has_marks, "{mode}: {hit:?}");
        }
        assert_eq!(marked(&result)[..2], ["pump", "tripped"], "{mode}");
    }
    // A passage is shown as it is.
    let result = ask(&host, "semantic", |_| ()).await;
    assert_eq!(marked(&result), [""; 0]);
    assert!(!result.entries[0].highlights.is_empty());
}

async fn a_module_without_highlights_shows_none(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = ask(&host, "keyword", |input| {
        let name = "include_highlights".to_owned();
        input.params.insert(name, json!(false));
    });
    let result = result.await;
    assert!(result.entries.iter().all(|hit| hit.highlights.is_empty()));
}

async fn the_entries_that_were_found_are_shown_newest_first(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let best = ask(&host, "keyword", |_| ()).await;
    let newest = ask(&host, "keyword", |input| input.order = EntryOrder::Time).await;
    let sorted = |result: &SearchResult| {
        let mut ids: Vec<String> = ids(result).iter().map(|id| (*id).to_owned()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(sorted(&best), sorted(&newest));
    let times: Vec<_> = newest
        .entries
        .iter()
        .map(|hit| hit.entry.timestamp)
        .collect();
    assert!(times.is_sorted_by(|a, b| a > b), "{times:?}");
    let ranks: Vec<usize> = newest.entries.iter().map(|hit| hit.rank).collect();
    assert_eq!(ranks, [1, 2]);
}

async fn matches_and_values_are_counted_beyond_what_is_shown(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = ask(&host, "keyword", |input| {
        input.counting = Counting {
            matches: true,
            facets: vec!["author".to_owned(), "system".to_owned()],
            any_word: false,
        };
    });
    let result = result.await;
    let matches = result.matches.as_ref().unwrap();
    assert_eq!((matches.count, matches.is_exact), (6, true));
    assert_eq!(matches.matched, Matched::All);
    assert_eq!(
        json!(result.facets),
        json!([
            {"field": "author", "values": [
                {"value": "Anna Lee", "count": 3}, {"value": "Bo Chen", "count": 3},
            ]},
            {"field": "system", "values": [{"value": "VAC", "count": 6}]},
        ])
    );
}

async fn a_mode_that_searches_vectors_counts_at_least_what_it_shows(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = ask(&host, "semantic", |input| {
        input.query = "vacuum equipment failure".to_owned();
        input
            .params
            .insert("similarity_threshold".to_owned(), json!(0));
        input.max_results = Some(6);
        input.counting.matches = true;
    });
    let result = result.await;
    assert_eq!(result.entries.len(), 6);
    let matches = result.matches.as_ref().unwrap();
    assert_eq!((matches.count, matches.is_exact), (6, false));
}

async fn nothing_is_counted_unless_it_is_asked_for(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = ask(&host, "keyword", |_| ()).await;
    assert_eq!((result.matches, result.facets), (None, Vec::new()));
    let input = SearchInput {
        counting: Counting {
            matches: false,
            facets: vec!["date".to_owned()],
            any_word: false,
        },
        ..SearchInput::new("pump")
    };
    let refused = host.gannet.search(input).await.unwrap_err();
    assert!(refused.to_string().contains("facet `date`"), "{refused}");
}
