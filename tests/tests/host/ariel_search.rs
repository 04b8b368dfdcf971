//! What ARIEL's keyword search is required to find, through the whole host.

use std::collections::BTreeSet;

use gannet_core::api::{AnswerStatus, Matched};
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, StoreKind, cases, ids, over_both_stores, shared};
use serde_json::Value;

over_both_stores!(
    complete_matches_are_exactly_the_correct_set,
    typos_find_what_was_meant,
    odd_dates_are_read_sensibly_or_as_text_with_a_warning,
    the_searches_of_the_end_to_end_tests_hold,
    the_meaning_and_the_answers_of_the_end_to_end_tests_hold,
);

/// A host that holds the 55 entries that the cases are about.
async fn with_corpus(kind: StoreKind) -> Option<Host> {
    let corpus = shared("cases/ariel-data/corpus-55.jsonl")?;
    let host = Host::on(kind).await?;
    host.ingest("jsonl", &corpus).await;
    Some(host)
}

fn complete_matches(result: &SearchResult) -> BTreeSet<String> {
    result
        .entries
        .iter()
        .filter(|hit| hit.matched == Matched::All)
        .map(|hit| hit.entry.entry_id.clone())
        .collect()
}

fn texts(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|id| id.as_str().unwrap().to_owned()).collect()
}

async fn complete_matches_are_exactly_the_correct_set(kind: StoreKind) {
    let Some(host) = with_corpus(kind).await else {
        return;
    };
    for case in cases("ariel.jsonl", "boolean_truth") {
        let query = case["input"]["query"].as_str().unwrap();
        let result = host.search("keyword", query).await;
        assert_eq!(
            complete_matches(&result),
            texts(&case["expected"]["correct_set"]),
            "{query}"
        );
    }
}

async fn typos_find_what_was_meant(kind: StoreKind) {
    let Some(host) = with_corpus(kind).await else {
        return;
    };
    for case in cases("ariel.jsonl", "fuzzy_truth") {
        let query = case["input"]["query"].as_str().unwrap();
        let result = host.search("keyword", query).await;
        let wanted = texts(&case["expected"]["should_include_any_of"]);
        let found = complete_matches(&result);
        assert!(!found.is_disjoint(&wanted), "{query} found {found:?}");
        let corrected = result
            .diagnostics
            .iter()
            .any(|note| note.category.as_deref() == Some("spelling"));
        assert!(corrected, "{query}: {:?}", result.diagnostics);
    }
}

async fn odd_dates_are_read_sensibly_or_as_text_with_a_warning(kind: StoreKind) {
    let Some(host) = with_corpus(kind).await else {
        return;
    };
    for case in cases("ariel.jsonl", "date_filter_robustness") {
        let query = case["input"]["query"].as_str().unwrap();
        let result = host.search("keyword", query).await;
        let is_date = ["date:2024", "date:2024-1"].contains(&query);
        assert_eq!(
            result.diagnostics.is_empty(),
            is_date,
            "{query}: {:?}",
            result.diagnostics
        );
        let in_2024 =
            |hit: &gannet_core::SearchHit| hit.entry.timestamp.to_string().starts_with("2024-");
        assert!(!is_date || result.entries.iter().all(in_2024), "{query}");
    }
}

async fn the_searches_of_the_end_to_end_tests_hold(kind: StoreKind) {
    let Some(data) = shared("cases/ariel-data") else {
        return;
    };
    for case in cases("ariel.jsonl", "retrieval_keyword") {
        let corpus = case["input"]["corpus"].as_str().unwrap();
        let Some(host) = Host::on(kind).await else {
            return;
        };
        match corpus.ends_with(".jsonl") {
            // These fixtures are in the format of the ALS logbook.
            true => host.ingest_lines(&als_lines(&data.join(corpus))).await,
            false => host.ingest("generic_json", &data.join(corpus)).await,
        };
        let result = ask(&host, &case["input"]).await;
        check(&result, &case["expected"], &case["input"]);
    }
}

/// With the builtin model in the place of ARIEL's, and quotes in the place of a
/// chat model's words.
async fn the_meaning_and_the_answers_of_the_end_to_end_tests_hold(kind: StoreKind) {
    let Some(data) = shared("cases/ariel-data") else {
        return;
    };
    let Some(host) = Host::on(kind).await else {
        return;
    };
    let entries = als_lines(&data.join("fixtures/test_logbook_entries.jsonl"));
    host.ingest_lines(&entries).await.enhance().await;
    for case in cases("ariel.jsonl", "retrieval_semantic") {
        let query = case["input"]["query"].as_str().unwrap();
        let result = host.search("semantic", query).await;
        let found: BTreeSet<String> = ids(&result).into_iter().map(str::to_owned).collect();
        let wanted = texts(&case["expected"]["must_include_any_of"]);
        assert!(!found.is_disjoint(&wanted), "{query}: {found:?}");
    }
    for case in cases("ariel.jsonl", "retrieval_rag") {
        let question = case["input"]["question"].as_str().unwrap();
        let result = host.search("rag", question).await;
        let Some(sources) = case["expected"].get("sources_must_include") else {
            assert_ne!(
                result.answer_status,
                Some(AnswerStatus::Grounded),
                "{question}"
            );
            continue;
        };
        let given: BTreeSet<String> = result.sources.iter().cloned().collect();
        assert!(texts(sources).is_subset(&given), "{question}: {given:?}");
        let answer = result.answer.unwrap_or_default().to_lowercase();
        let words = texts(&case["expected"]["answer_mentions_any"]);
        assert!(words.iter().any(|word| answer.contains(word)), "{answer}");
    }
}

async fn ask(host: &Host, input: &Value) -> SearchResult {
    let mut search = SearchInput::new(input["query"].as_str().unwrap());
    search.mode = Some("keyword".to_owned());
    search.max_results = Some(50);
    let dates: Vec<(String, String)> = ["start_date", "end_date"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), input[name].as_str()?.to_owned())))
        .collect();
    search.filter = host.gannet.filter(&dates).unwrap();
    host.gannet.search(search).await.unwrap()
}

fn check(result: &SearchResult, expected: &Value, input: &Value) {
    let found: BTreeSet<String> = ids(result).into_iter().map(str::to_owned).collect();
    if let Some(wanted) = expected.get("must_include") {
        assert!(texts(wanted).is_subset(&found), "{input}: {found:?}");
    }
    if let Some(count) = expected["must_include_at_least"].as_u64() {
        let hits = texts(&expected["of"]).intersection(&found).count() as u64;
        assert!(hits >= count, "{input}: {found:?}");
    }
    if let Some(exactly) = expected.get("exactly") {
        assert_eq!(found, texts(exactly), "{input}");
    }
    for key in ["all_authors", "all_authors_contain"] {
        if let Some(author) = expected[key].as_str() {
            assert!(!result.entries.is_empty(), "{input}");
            let by_author = |hit: &gannet_core::SearchHit| hit.entry.author.contains(author);
            assert!(result.entries.iter().all(by_author), "{input}");
        }
    }
    if let Some(range) = expected.get("all_timestamps_in") {
        let bound = |index: usize| range[index].as_str().unwrap().parse().unwrap();
        let (from, until): (jiff::Timestamp, jiff::Timestamp) = (bound(0), bound(1));
        let inside = |hit: &gannet_core::SearchHit| (from..=until).contains(&hit.entry.timestamp);
        assert!(result.entries.iter().all(inside), "{input}");
    }
}

fn als_lines(file: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            let seconds: i64 = entry["timestamp"].as_str().unwrap().parse().unwrap();
            serde_json::json!({
                "id": entry["id"],
                "title": entry["subject"],
                "text": entry["details"],
                "author": entry["author"],
                "timestamp": jiff::Timestamp::from_second(seconds).unwrap().to_string(),
            })
        })
        .collect()
}
