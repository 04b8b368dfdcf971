//! Inputs with what the source systems give for them, read from a folder
//! `shared/cases` beside the repository. Without it each test says that it
//! was skipped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use gannet_plugin::prelude::{Entry, Hit};
use gannet_plugin::search::ScoreKind;
use gannet_stages::{
    AssembleSettings, CitationStyle, ModuleHits, PromptParts, Unit, assemble, check_citations,
    even_shares, linear, prompt_budgets, rrf, semantic_score, truncate_bytes,
};
use gannet_test_cases::{cases, strings};
use serde_json::Value;

fn size(value: &Value) -> usize {
    usize::try_from(value.as_i64().unwrap().max(0)).unwrap()
}

fn list(module: &str, score_kind: ScoreKind, hits: &[(String, f64)]) -> ModuleHits {
    let hit = |(id, score): &(String, f64)| Hit::new(id, "logbook", *score, score_kind);
    ModuleHits::new(module, hits.iter().map(hit).collect())
}

fn ranked(module: &str, ids: &[String]) -> ModuleHits {
    let with_score: Vec<(String, f64)> = ids.iter().map(|id| (id.clone(), 1.0)).collect();
    list(module, ScoreKind::Bm25, &with_score)
}

fn pairs(hits: &[Hit]) -> Vec<(&str, f64)> {
    hits.iter()
        .map(|hit| (hit.entry_id.as_str(), hit.score))
        .collect()
}

fn assert_same(fused: &[Hit], expected: &[(String, f64)], tolerance: f64, case: &Value) {
    let got = pairs(fused);
    assert_eq!(got.len(), expected.len(), "{case}");
    for ((id, score), (expected_id, expected_score)) in got.iter().zip(expected) {
        assert_eq!(id, expected_id, "{case}");
        assert!(
            (score - expected_score).abs() <= tolerance,
            "{score} in {case}"
        );
    }
}

#[test]
fn fusion_by_ranks_of_ariel() {
    for case in cases("ariel.jsonl", "rrf") {
        let input = &case["input"];
        let lists = [
            ranked("keyword", &strings(&input["keyword"])),
            ranked("semantic", &strings(&input["semantic"])),
        ];
        let mut fused = rrf(&lists, input["k"].as_f64().unwrap(), &BTreeMap::new());
        fused.truncate(size(&input["max_results"]));
        let expected: Vec<(String, f64)> = case["expected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| {
                (
                    e["entry_id"].as_str().unwrap().to_owned(),
                    e["score"].as_f64().unwrap(),
                )
            })
            .collect();
        assert_same(&fused, &expected, 1e-15, &case);
    }
}

/// One area is left out: of two hits of one source in one list, the reference
/// adds the scores up; here the better one counts.
#[test]
fn fusion_by_ranks_of_octollm() {
    for area in ["hybrid.rrf", "hybrid.rrf.tie", "hybrid.rrf.empty"] {
        for case in cases("seeds.jsonl", area) {
            let input = &case["input"];
            let sources = |key: &str| -> Vec<String> {
                let hits = input[key].as_array().unwrap();
                hits.iter()
                    .map(|hit| hit["source"].as_str().unwrap().to_owned())
                    .collect()
            };
            let lists = [
                ranked("vector", &sources("vector")),
                ranked("keyword", &sources("keyword")),
            ];
            let fused = rrf(&lists, 60.0, &BTreeMap::new());
            let expected: Vec<(String, f64)> = case["expected"]
                .as_array()
                .unwrap()
                .iter()
                .map(|e| {
                    (
                        e["source"].as_str().unwrap().to_owned(),
                        e["score"].as_f64().unwrap(),
                    )
                })
                .collect();
            assert_same(&fused, &expected, 1e-9, &case);
        }
    }
}

#[test]
fn passages_of_one_source_count_once() {
    for case in cases("seeds.jsonl", "hybrid.rrf.same_source_twice_in_one_list") {
        let vector = case["input"]["vector"].as_array().unwrap();
        let sources: Vec<String> = vector
            .iter()
            .map(|hit| hit["source"].as_str().unwrap().to_owned())
            .collect();
        let fused = rrf(&[ranked("vector", &sources)], 60.0, &BTreeMap::new());
        assert_eq!(pairs(&fused), [("doc", 1.0 / 61.0), ("other", 1.0 / 62.0)]);
    }
}

/// BM25 scores are given to six places, where several are equal; the order in
/// which they stand tells them apart.
#[test]
fn linear_fusion_of_erdos() {
    let all = cases("seeds.jsonl", "hybrid.search");
    let mut candidates: BTreeMap<String, Vec<(String, f64, f64)>> = BTreeMap::new();
    for case in &all {
        let Some(expected) = case["expected"].as_array() else {
            continue;
        };
        let query = case["input"]["query"].as_str().unwrap().to_owned();
        let known = candidates.entry(query).or_default();
        for (place, one) in expected.iter().enumerate() {
            let id = one["chunk_id"].as_str().unwrap().to_owned();
            let bm25 = one["bm25"].as_f64().unwrap() - 1e-8 * place as f64;
            if known.iter().all(|(other, ..)| *other != id) {
                known.push((id, bm25, one["semantic"].as_f64().unwrap()));
            }
        }
    }
    for case in &all {
        let input = &case["input"];
        let known = &candidates
            .get(input["query"].as_str().unwrap())
            .cloned()
            .unwrap_or_default();
        let words: Vec<_> = known
            .iter()
            .map(|(id, bm25, _)| (id.clone(), *bm25))
            .collect();
        let near: Vec<_> = known
            .iter()
            .map(|(id, _, s)| (id.clone(), 2.0 * s - 1.0))
            .collect();
        let lists = [
            list("keyword", ScoreKind::Bm25, &words),
            list("semantic", ScoreKind::Cosine, &near),
        ];
        let fused = linear(&lists, input["alpha"].as_f64().unwrap());
        if let Some(message) = case["expected"]["message"].as_str() {
            assert_eq!(fused.unwrap_err().to_string(), message);
            continue;
        }
        let mut fused = fused.unwrap();
        fused.truncate(size(&input["limit"]));
        let expected: Vec<(String, f64)> = case["expected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| {
                (
                    e["chunk_id"].as_str().unwrap().to_owned(),
                    e["hybrid"].as_f64().unwrap(),
                )
            })
            .collect();
        assert_same(&fused, &expected, 2e-6, case);
    }
}

/// The vectors' cosine is the store's; the scale is this crate's.
#[test]
fn semantic_scores_of_erdos() {
    for case in cases("seeds.jsonl", "cosine_and_semantic_score") {
        let cosine = case["expected"]["cosine"].as_f64().unwrap();
        let expected = case["expected"]["semantic_score"].as_f64().unwrap();
        assert_eq!(semantic_score(cosine), expected, "{case}");
    }
}

#[test]
fn texts_cut_to_bytes_of_erdos() {
    for case in cases("seeds.jsonl", "truncate_utf8_bytes") {
        let input = &case["input"];
        let cut = truncate_bytes(input["text"].as_str().unwrap(), size(&input["max_bytes"]));
        assert_eq!(cut, case["expected"]["text"].as_str().unwrap(), "{case}");
        assert_eq!(cut.len(), size(&case["expected"]["bytes"]), "{case}");
    }
}

/// Its loop ends a text with three points; the characters that are kept are
/// those that an entry keeps here.
#[test]
fn beginnings_of_texts_of_erdos() {
    for case in cases("seeds.jsonl", "loop.truncate_bytes") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let (text, max_bytes) = (input["text"].as_str().unwrap(), size(&input["max_bytes"]));
        let kept = match text.len() <= max_bytes {
            true => text.to_owned(),
            false => format!("{}...", Unit::Bytes.prefix(text, max_bytes - 3)),
        };
        assert_eq!(kept, expected["text"].as_str().unwrap(), "{case}");
    }
}

#[test]
fn even_shares_of_erdos() {
    for case in cases("seeds.jsonl", "prompt.split_even_budget") {
        let shares = even_shares(size(&case["input"]["total"]), size(&case["input"]["n"]));
        let expected: Vec<usize> = case["expected"]
            .as_array()
            .unwrap()
            .iter()
            .map(size)
            .collect();
        assert_eq!(shares, expected, "{case}");
    }
}

#[test]
fn prompt_budgets_of_erdos() {
    for case in cases("seeds.jsonl", "prompt.allocate_budgets") {
        let input = &case["input"];
        let parts = PromptParts {
            overhead: size(&input["overhead_bytes"]),
            question: size(&input["question_len"]),
            statement: size(&input["statement_len"]),
            notes: size(&input["notes_len"]),
            sources: size(&input["sources_len_total"]),
        };
        let budgets = prompt_budgets(size(&input["max_bytes"]), &parts);
        let expected = &case["expected"];
        assert_eq!(budgets.statement, size(&expected["statement"]), "{case}");
        assert_eq!(budgets.question, size(&expected["question"]), "{case}");
        assert_eq!(budgets.notes, size(&expected["notes"]), "{case}");
        assert_eq!(budgets.sources, size(&expected["sources_total"]), "{case}");
    }
}

/// Where ARIEL's text exceeds its limit, ours holds the same entries within
/// it: a beginning of the same text.
#[test]
fn contexts_of_ariel() {
    for case in cases("ariel.jsonl", "context_assembly") {
        let input = &case["input"];
        let entries: Vec<Entry> = input["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(entry_of)
            .collect();
        let settings = AssembleSettings {
            max_total: size(&input["max_context_chars"]),
            max_per_entry: size(&input["max_chars_per_entry"]),
            ..AssembleSettings::default()
        };
        let assembled = assemble(&entries, &settings, "UTC");
        let expected = &case["expected"];
        assert_eq!(assembled.included, strings(&expected["included"]), "{case}");
        assert_eq!(
            assembled.truncated,
            expected["truncated"].as_bool().unwrap(),
            "{case}"
        );
        let text = expected["context"].as_str().unwrap();
        if text.chars().count() <= settings.max_total {
            assert_eq!(assembled.text, text);
        } else {
            let kept = assembled.text.strip_suffix("...").unwrap();
            assert!(text.starts_with(kept), "{case}");
            assert_eq!(assembled.text.chars().count(), settings.max_total);
        }
    }
}

/// An entry as the cases write it; what they leave out is empty.
fn entry_of(case: &Value) -> Entry {
    let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
    let mut entry = Entry::new(
        text("entry_id"),
        text("source_system"),
        text("timestamp").parse().unwrap(),
        text("raw_text"),
    );
    entry.author = text("author");
    entry.metadata = case["metadata"].as_object().cloned().unwrap_or_default();
    entry
}

#[test]
fn entries_as_ariel_shows_them() {
    for case in cases("ariel.jsonl", "entry_format") {
        let input = &case["input"]["entry"];
        // An entry without a time cannot be stored here.
        if input["timestamp"].is_null() {
            continue;
        }
        let assembled = assemble(&[entry_of(input)], &AssembleSettings::default(), "UTC");
        assert_eq!(assembled.text, case["expected"].as_str().unwrap(), "{case}");
    }
}

/// The reference's pattern does not read ids with a hyphen; here they count.
#[test]
fn citations_of_ariel() {
    for case in cases("ariel.jsonl", "citation_regex_legacy") {
        let answer = case["input"].as_str().unwrap_or_default();
        let given: Vec<String> = ["001", "002", "DEMO-001"].map(str::to_owned).to_vec();
        let cited = check_citations(answer, &given, CitationStyle::EntryId);
        let expected = match answer.contains("[#DEMO-001]") {
            true => vec!["DEMO-001".to_owned()],
            false => strings(&case["expected"]),
        };
        assert_eq!(cited.citations, expected, "{case}");
    }
}

/// Where the reference finds ids inside other text too, what is found here is
/// among it.
#[test]
fn citations_are_never_more_than_the_ids_that_occur() {
    for case in cases("ariel.jsonl", "citation_substring") {
        let input = &case["input"];
        let answer = input["answer"].as_str().unwrap_or_default();
        let given = strings(&input["candidate_ids"]);
        let cited = check_citations(answer, &given, CitationStyle::EntryId).citations;
        let occurring: BTreeSet<String> = strings(&case["expected"]).into_iter().collect();
        assert!(cited.iter().all(|id| occurring.contains(id)), "{case}");
    }
}
