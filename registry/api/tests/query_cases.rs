//! The query language against recorded cases of other systems, where they are
//! at hand: a folder `shared/cases` beside the repository.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use gannet_api::query::{
    Node, ParsedQuery, QueryOptions, longest_literal_run, parse, parse_date_span,
};
use gannet_api::{Condition, FilterField, QuerySyntax, fold};
use serde_json::Value;

fn cases_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases")
}

/// The cases of an area, or none with a visible line when they are not there.
fn cases(file: &str, area: &str) -> Vec<Value> {
    let path = cases_folder().join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {area}: no {}", path.display());
        return Vec::new();
    };
    let cases: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|case: &Value| case["area"] == area)
        .collect();
    assert!(!cases.is_empty(), "no case of {area}");
    cases
}

fn read(text: &str, syntax: QuerySyntax) -> ParsedQuery {
    parse(text, syntax, &QueryOptions::default())
}

fn operators(text: &str) -> ParsedQuery {
    read(text, QuerySyntax::Operators)
}

/// The parts of a query that are compared, whatever joins them.
#[derive(Debug, Default, PartialEq)]
struct Leaves {
    words: Vec<String>,
    phrases: Vec<String>,
    patterns: Vec<String>,
}

impl Leaves {
    fn of(query: &ParsedQuery) -> Self {
        let mut leaves = Self::default();
        if let Some(root) = &query.root {
            leaves.collect(root);
        }
        leaves.words.sort();
        leaves
    }

    fn collect(&mut self, node: &Node) {
        match node {
            Node::Word(word) => self.words.extend(comparable(word)),
            Node::Phrase(phrase) => self.phrases.push(phrase.clone()),
            Node::Prefix(stem) => self.patterns.push(format!("{stem}*")),
            Node::Glob(pattern) | Node::Regex(pattern) => self.patterns.push(pattern.clone()),
            Node::Field(_) => {}
            Node::All(parts) | Node::And(parts) | Node::Or(parts) => {
                parts.iter().for_each(|part| self.collect(part));
            }
            Node::Not(inner) => self.collect(inner),
        }
    }
}

/// A word without the punctuation around it; nothing for punctuation alone and
/// for operators, which the other systems keep in their text.
fn comparable(word: &str) -> Option<String> {
    let core = word.trim_matches(|end: char| !end.is_alphanumeric());
    let is_operator = matches!(core, "AND" | "OR" | "NOT" | "and" | "or" | "not");
    (!core.is_empty() && !is_operator).then(|| fold(core))
}

fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().filter_map(comparable).collect();
    words.sort();
    words
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one.as_str().unwrap().to_owned()).collect()
}

fn assert_filters(query: &ParsedQuery, expected: &Value, text: &str) {
    let expected = expected.as_object().unwrap();
    assert_eq!(query.filter.clauses.len(), expected.len(), "{text}");
    for clause in &query.filter.clauses {
        match (&clause.field, &clause.condition) {
            (FilterField::Author, Condition::Contains(name)) => {
                assert_eq!(expected["author"], name.as_str(), "{text}");
            }
            (FilterField::Timestamp, Condition::Time(range)) => {
                let date = expected["date"].as_str().unwrap();
                let span = parse_date_span(date, &QueryOptions::default());
                assert_eq!(span, Some(*range), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn queries_of_ariel_are_read_alike() {
    // Both names are kept (last wins there); quotes within a word split it
    // (there the word around them grows together).
    let differ = ["author:a author:b", "a\"b\"c"];
    for case in cases("ariel.jsonl", "parse_query") {
        let text = case["input"].as_str().unwrap();
        if differ.contains(&text) {
            continue;
        }
        let expected = &case["expected"];
        let query = operators(text);
        let leaves = Leaves::of(&query);
        assert_eq!(
            leaves.words,
            words_of(expected["search_text"].as_str().unwrap()),
            "{text}"
        );
        assert_eq!(leaves.phrases, strings(&expected["phrases"]), "{text}");
        assert_filters(&query, &expected["field_filters"], text);
    }
}

#[test]
fn queries_with_patterns_are_read_alike() {
    for case in cases("ariel.jsonl", "parse_keyword_query") {
        // There is no switch that turns patterns off.
        if case["input"]["patterns_enabled"] == false {
            continue;
        }
        let text = case["input"]["query"].as_str().unwrap();
        let expected = &case["expected"];
        let query = operators(text);
        let leaves = Leaves::of(&query);
        let words = words_of(expected["search_text"].as_str().unwrap());
        assert_eq!(leaves.words, words, "{text}");
        assert_eq!(leaves.phrases, strings(&expected["phrases"]), "{text}");
        assert_filters(&query, &expected["field_filters"], text);
        assert_eq!(leaves.patterns, patterns(expected), "{text}");
        let has_notes = !expected["diagnostics"].as_array().unwrap().is_empty();
        assert!(!has_notes || !query.diagnostics.is_empty(), "{text}");
    }
}

/// Patterns as typed: the other system has turned globs into expressions.
fn patterns(expected: &Value) -> Vec<String> {
    let spans = expected["pattern_spans"].as_array().unwrap().iter();
    let typed = |span: &Value| {
        let key = if span["source"] == "glob" {
            "original"
        } else {
            "body"
        };
        span[key].as_str().unwrap().to_owned()
    };
    spans.map(typed).collect()
}

#[test]
fn spans_between_slashes_are_read_alike() {
    for case in cases("ariel.jsonl", "extract_pattern_spans") {
        let text = case["input"].as_str().unwrap();
        // Slashes with blanks around them separate; they quote nothing.
        if text == "flow rate 5 / 6 / 7" {
            continue;
        }
        let expected = &case["expected"];
        let query = operators(text);
        let leaves = Leaves::of(&query);
        let residual = words_of(expected["residual"].as_str().unwrap());
        assert_eq!(leaves.words, residual, "{text}");
        let spans = expected["spans"].as_array().unwrap().iter();
        let bodies: Vec<&str> = spans.map(|span| span["body"].as_str().unwrap()).collect();
        assert_eq!(leaves.patterns, bodies, "{text}");
        let notices = expected["notices"].as_array().unwrap();
        assert_eq!(query.diagnostics.len(), notices.len(), "{text}");
    }
}

#[test]
fn globs_are_told_from_words_alike() {
    for case in cases("ariel.jsonl", "is_glob") {
        let text = case["input"].as_str().unwrap();
        let patterns = Leaves::of(&operators(text)).patterns;
        assert_eq!(case["expected"], !patterns.is_empty(), "{text}");
    }
}

#[test]
fn literal_runs_are_counted_alike() {
    for case in cases("ariel.jsonl", "longest_literal_run") {
        let text = case["input"].as_str().unwrap();
        assert_eq!(case["expected"], longest_literal_run(text), "{text}");
    }
    for case in cases("ariel.jsonl", "accept_pattern") {
        let text = case["input"].as_str().unwrap();
        let accepted = longest_literal_run(text) >= 3;
        assert_eq!(case["expected"]["accepted"], accepted, "{text}");
    }
}

#[test]
fn balancing_quotes_and_dropping_question_marks_change_nothing() {
    for area in ["balance_quotes", "strip_trailing_question"] {
        for case in cases("ariel.jsonl", area) {
            let (text, cleaned) = (&case["input"], &case["expected"]);
            let text = operators(text.as_str().unwrap());
            let cleaned = operators(cleaned.as_str().unwrap());
            assert_eq!(text.root, cleaned.root, "{area}: {case}");
        }
    }
}

#[test]
fn dates_are_filters_or_warnings() {
    for case in cases("ariel.jsonl", "date_filter_robustness") {
        let text = case["input"]["query"].as_str().unwrap();
        let query = operators(text);
        let is_filter = matches!(
            query.filter.clauses.as_slice(),
            [clause] if clause.field == FilterField::Timestamp
        );
        assert_ne!(is_filter, !query.diagnostics.is_empty(), "{text}");
    }
}

#[test]
fn boolean_queries_select_what_they_say() {
    let corpus = cases_folder().join("ariel-data/corpus-55.jsonl");
    let corpus: Vec<Value> = std::fs::read_to_string(corpus)
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for case in cases("ariel.jsonl", "boolean_truth") {
        let text = case["input"]["query"].as_str().unwrap();
        let root = operators(text).root.unwrap();
        let found: BTreeSet<&str> = corpus
            .iter()
            .filter(|entry| holds(&root, &stems(entry["text"].as_str().unwrap())))
            .map(|entry| entry["id"].as_str().unwrap())
            .collect();
        let correct = strings(&case["expected"]["correct_set"]);
        let correct: BTreeSet<&str> = correct.iter().map(String::as_str).collect();
        assert_eq!(found, correct, "{text}");
    }
}

/// Whether a text of these stems is what a query asks for.
fn holds(node: &Node, text: &BTreeSet<String>) -> bool {
    match node {
        Node::Word(word) => stems(word).is_subset(text),
        Node::All(parts) | Node::And(parts) => parts.iter().all(|part| holds(part, text)),
        Node::Or(parts) => parts.iter().any(|part| holds(part, text)),
        Node::Not(inner) => !holds(inner, text),
        other => panic!("{other:?} is in no boolean case"),
    }
}

/// A stemmer just good enough for the words of the cases.
fn stems(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .map(|word| {
            let word = fold(word);
            let endings = ["ions", "ion", "ing", "ed", "s"];
            let stem = endings.iter().find_map(|ending| word.strip_suffix(ending));
            stem.unwrap_or(&word).to_owned()
        })
        .filter(|stem| !stem.is_empty())
        .collect()
}

#[test]
fn full_text_queries_of_erdos_never_fail_and_have_the_same_terms() {
    for case in cases("seeds.jsonl", "safe_fts5_query") {
        let text = case["input"]["query"].as_str().unwrap();
        let advanced = case["input"]["allow_advanced_syntax"] == true;
        // Letters outside ASCII are letters here, and no term is dropped
        // silently after the 25th.
        if !text.is_ascii() || text.split_whitespace().count() > 25 {
            assert!(!operators(text).is_empty());
            continue;
        }
        let syntax = if advanced {
            QuerySyntax::Operators
        } else {
            QuerySyntax::Plain
        };
        let found = terms(&read(text, syntax).to_string());
        let expected = terms(case["expected"].as_str().unwrap());
        assert!(found.is_subset(&expected), "{text}: {found:?}");
        for missing in expected.difference(&found) {
            let is_stopped = gannet_api::query::is_stop_word(missing);
            assert!(is_stopped && !advanced, "{text}: no {missing}");
        }
    }
}

fn terms(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter_map(comparable).collect()
}
