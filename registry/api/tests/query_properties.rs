//! What holds for every query text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_api::QuerySyntax::{Operators, Plain};
use gannet_api::query::{
    MAX_NESTING, Node, ParsedQuery, QueryOptions, is_query_like, is_stop_word, parse,
};
use gannet_api::{Filter, QuerySyntax};
use proptest::prelude::*;

fn read(text: &str, syntax: QuerySyntax) -> ParsedQuery {
    let options = QueryOptions {
        now: "2024-06-12T09:00:00Z".parse().unwrap(),
        max_chars: usize::MAX,
        ..QueryOptions::default()
    };
    parse(text, syntax, &options)
}

/// Texts made of what the language gives a meaning to.
fn tricky_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "beam",
        "RF-2",
        "SR01C:BPM1",
        "AND",
        "OR",
        "NOT",
        "and",
        "-",
        "--",
        "(",
        ")",
        "()",
        "\"",
        "\"\"",
        "*",
        "?",
        "klys*",
        "SR0?C*",
        "a*b",
        "/",
        "/abc/",
        "/ab cd/",
        "/a(bc/",
        "//",
        "\\/",
        "author:",
        "author:x",
        "date:2024-06",
        "date:>=2024",
        "date:7d",
        "date:soon",
        "tag:a",
        "tag:b",
        "logbook:a",
        "logbook:b",
        "meta.k:>=3",
        "meta.k:1..2",
        "meta.k:>x",
        "meta.d:<2024-06",
        "id:",
        "\"a b\"",
        "“",
        "x)y",
        "f(x)",
        ",",
        ".",
        "é",
        "漢字",
        "\u{0}",
        "\u{300}",
        "🙂",
        ":",
        "..",
        "source:(",
        "{",
        "}",
    ]);
    let spacing = prop::sample::select(vec!["", " ", " ", " "]);
    prop::collection::vec((pieces, spacing), 0..24).prop_map(|parts| {
        parts
            .into_iter()
            .map(|(piece, gap)| format!("{piece}{gap}"))
            .collect()
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![tricky_text(), "\\PC{0,60}", any::<String>()]
}

/// How deep a tree is; fails on a list that has nothing to join.
fn depth(node: &Node) -> usize {
    match node {
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => {
            assert!(parts.len() > 1, "a list of one: {node:?}");
            1 + parts.iter().map(depth).max().unwrap_or(0)
        }
        Node::Not(inner) => 1 + depth(inner),
        Node::Word(text)
        | Node::Phrase(text)
        | Node::Prefix(text)
        | Node::Glob(text)
        | Node::Regex(text) => {
            assert!(text.chars().any(char::is_alphanumeric), "{node:?}");
            assert!(!text.contains(char::is_control), "{node:?}");
            0
        }
        Node::Field(_) => 0,
    }
}

fn without_notes(query: ParsedQuery) -> (Option<Node>, Filter) {
    (query.root, query.filter)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_a_query(text in any_text()) {
        let query = read(&text, Operators);
        if let Some(root) = query.root.as_ref().filter(|_| !query.plain) {
            // A group may bring one list and one negation of each kind.
            prop_assert!(depth(root) <= 4 * (MAX_NESTING + 1));
        }
        prop_assert!(query.diagnostics.len() <= 21);
        prop_assert!(query.diagnostics.iter().all(|note| note.source == "query"));
        read(&text, Plain);
    }

    #[test]
    fn the_canonical_text_reads_as_itself(text in any_text()) {
        let query = read(&text, Operators);
        let syntax = if query.plain { Plain } else { Operators };
        let shown = query.to_string();
        // Written out, a short query with a stray bracket is no longer short.
        if !query.plain && !is_query_like(&shown) {
            return Ok(());
        }
        // A brace without its partner is part of a word or is dropped, by what
        // is around it; so is a parenthesis in a plain text.
        if shown.contains(['{', '}']) || query.plain && shown.contains(['(', ')']) {
            return Ok(());
        }
        prop_assert_eq!(read(&shown, syntax).to_string(), shown);
    }

    #[test]
    fn the_canonical_text_means_what_the_text_meant(words in "[a-z]{1,3}( (AND|OR|NOT|[a-z]{1,3}|tag:x|\"a b\"|\\(|\\))){0,9}") {
        let query = read(&words, Operators);
        let syntax = if query.plain { Plain } else { Operators };
        let again = read(&query.to_string(), syntax);
        prop_assert_eq!(without_notes(again), without_notes(query));
    }

    #[test]
    fn a_text_of_lower_case_words_is_read_without_notes(words in "[a-z]{1,8}( [a-z]{1,8}){0,8}") {
        let query = read(&words, Operators);
        prop_assert_eq!(query.to_string(), words);
        prop_assert!(query.diagnostics.is_empty());
    }

    #[test]
    fn plain_words_tell_something(text in any_text()) {
        let Some(Node::Or(words)) = read(&text, Plain).root else {
            return Ok(());
        };
        let words: Vec<String> = words
            .iter()
            .map(|node| match node {
                Node::Word(word) => word.to_lowercase(),
                other => panic!("{other:?} in plain mode"),
            })
            .collect();
        let stopped = words.iter().filter(|word| is_stop_word(word)).count();
        prop_assert!(stopped == 0 || stopped == words.len());
    }

    #[test]
    fn a_longer_text_is_cut_with_a_note(text in "\\PC{0,40}", max_chars in 0_usize..40) {
        let options = QueryOptions { max_chars, ..QueryOptions::default() };
        let start: String = text.chars().take(max_chars).collect();
        let cut = parse(&text, Operators, &options);
        let short = parse(&start, Operators, &options);
        prop_assert_eq!(cut.root, short.root);
        let is_longer = text.chars().count() > max_chars;
        prop_assert_eq!(cut.diagnostics.iter().any(|note| note.category.as_deref() == Some("length")), is_longer);
    }
}

#[test]
fn sixty_four_kib_of_anything_are_read() {
    for piece in [
        "(",
        ")",
        "\"",
        "a(",
        "/a ",
        "\\/ ",
        "a*b ",
        "-",
        "NOT ",
        "a OR ",
        "/abc(/ ",
        "(a AND ",
        "date:x ",
        "tag:x ",
        "-1 ",
        "{}",
        "/abc\\pL{99}/ ",
        ") (",
        "meta.a:>",
        "*",
        "a\"b",
    ] {
        let text = piece.repeat(65_536 / piece.len());
        read(&text, Operators);
        read(&text, Plain);
    }
}
