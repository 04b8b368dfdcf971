//! Hits that fail the caller's filter, name no entry or have no finite score
//! are dropped, wherever they come from, and the result says so.

use gannet_api::{Condition, Filter, FilterField, Level, TimeRange};
use gannet_core::SearchResult;
use gannet_tests::ids;

use super::rogue::{ask, host, of_anna};

/// The one diagnostic that is more than an `info`.
fn warning(result: &SearchResult) -> &str {
    let notes = result.diagnostics.iter();
    let notes: Vec<_> = notes.filter(|note| note.level != Level::Info).collect();
    assert_eq!(notes.len(), 1, "{:?}", result.diagnostics);
    assert_eq!(notes[0].level, Level::Warning);
    assert_eq!(notes[0].category.as_deref(), Some("invalid_result"));
    &notes[0].message
}

#[tokio::test]
async fn hits_outside_the_filter_are_dropped_whether_the_host_gave_them_or_not() {
    for query in ["without the filter", "out of nothing"] {
        let result = ask("rogue", query).await.unwrap();
        assert_eq!(ids(&result), ["A-1", "A-2"], "{query}");
        assert!(result.degraded, "{query}");
        let expected = "dropped 1 hit of search module `rogue`: 1 outside the filter";
        assert_eq!(warning(&result), expected);
    }
}

#[tokio::test]
async fn dates_are_part_of_the_filter() {
    let host = host().await;
    let mut input = of_anna("rogue", "out of nothing");
    let since_april = TimeRange {
        from: "2025-04-01T00:00:00Z".parse().ok(),
        until: None,
    };
    input.filter = Filter::none().and(FilterField::Timestamp, Condition::Time(since_april));
    let result = host.gannet.search(input).await.unwrap();
    assert_eq!(ids(&result), [""; 0]);
    assert!(warning(&result).contains("3 outside the filter"));
}

#[tokio::test]
async fn entries_of_another_tenant_are_unknown() {
    let host = host().await;
    let mut input = of_anna("rogue", "out of nothing");
    input.filter = Filter::none();
    input.tenant = "other".to_owned();
    let result = host.gannet.search(input).await.unwrap();
    assert_eq!(ids(&result), [""; 0]);
    assert!(warning(&result).contains("3 of unknown entries"));
}

#[tokio::test]
async fn scores_that_are_not_finite_and_entries_that_are_not_there_are_dropped() {
    let host = host().await;
    let ask = async |query: &str| {
        let mut input = of_anna("rogue", query);
        input.filter = Filter::none();
        host.gannet.search(input).await.unwrap()
    };
    let result = ask("no finite scores").await;
    assert_eq!(ids(&result), ["B-1"]);
    assert!(warning(&result).contains("2 with a score that is not finite"));

    let result = ask("unknown").await;
    assert_eq!(ids(&result), ["A-1"]);
    let expected = "dropped 2 hits of search module `rogue`: 1 of unknown entries, 1 without a \
                    usable entry id";
    assert_eq!(warning(&result), expected);
}

#[tokio::test]
async fn a_module_that_gave_all_that_was_asked_is_asked_once_more_for_what_was_dropped() {
    let host = host().await;
    let ask = async |query: &str| {
        let mut input = of_anna("rogue", query);
        input.max_results = Some(2);
        host.gannet.search(input).await.unwrap()
    };
    let result = ask("by the limit").await;
    assert_eq!(ids(&result), ["A-1", "A-2"]);
    assert!(warning(&result).contains("1 outside the filter"));

    let result = ask("by the limit, once").await;
    assert_eq!(ids(&result), ["A-1"]);
    let failed = "search module `rogue` failed when asked for more";
    let mut notes = result.diagnostics.iter();
    assert!(
        notes.any(|note| note.message.contains(failed)),
        "{:?}",
        result.diagnostics
    );
}

#[tokio::test]
async fn a_second_hit_of_an_entry_is_dropped_and_takes_nothing_from_the_result() {
    let result = ask("rogue", "twice").await.unwrap();
    assert_eq!(ids(&result), ["A-1", "A-2"]);
    assert!(!result.degraded);
    let notes = &result.diagnostics;
    assert!(
        notes
            .iter()
            .any(|note| note.message.contains("came before"))
    );
}

#[tokio::test]
async fn a_pipeline_never_sees_hits_outside_the_filter() {
    let result = ask("rag", "out of nothing").await.unwrap();
    let mut found = ids(&result);
    found.sort_unstable();
    assert_eq!(found, ["A-1", "A-2"]);
    assert!(result.degraded);
    let dropped = result.diagnostics.iter();
    let dropped: Vec<_> = dropped
        .filter(|note| note.source == "rag.retrieve.rogue")
        .collect();
    assert_eq!(dropped.len(), 1, "{:?}", result.diagnostics);
    assert!(dropped[0].message.contains("1 outside the filter"));
}
