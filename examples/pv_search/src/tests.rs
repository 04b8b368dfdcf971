#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::prelude::{Entry, Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::search::QuerySyntax;
use gannet_plugin::testing::FakeHost;
use pollster::block_on;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::PvSearch;

fn module(settings: Value) -> PvSearch {
    let settings = serde_json::from_value(settings).unwrap();
    PvSearch::new(settings, &Setup::default()).unwrap()
}

fn host(texts: &[(&str, &str)]) -> FakeHost {
    let time = "2024-01-05T12:00:00Z".parse().unwrap();
    let entries = texts.iter();
    FakeHost::default().with_entries(entries.map(|(id, text)| Entry::new(*id, "log", time, *text)))
}

fn search(texts: &[(&str, &str)], request: SearchRequest) -> Result<Vec<Hit>> {
    block_on(module(json!({})).search(request, &host(texts).context()))
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entry_id.as_str()).collect()
}

#[test]
fn different_names_count_before_places_and_only_whole_names_count() {
    let texts = [
        ("once", "(CAV1): off"),
        ("twice", "CAV1, then CAV1. Again"),
        ("both", "CAV1 and CAV2"),
        ("part", "XCAV1, SR01:CAV1:V"),
    ];

    let hits = search(&texts, SearchRequest::new("CAV*", 10)).unwrap();

    assert_eq!(ids(&hits), ["both", "twice", "once"]);
    assert_eq!(hits[1].explain, Some(json!({"names": {"CAV1": 2}})));
}

#[test]
fn highlights_are_cut_between_characters_and_mark_the_names() {
    let long = format!("{0}CAV1 {0}\nquiet\nCAV2 and CAV1", "é ".repeat(300));

    let hits = search(&[("E", &long)], SearchRequest::new("CAV?", 10)).unwrap();

    let shown = &hits[0].highlights;
    assert!(shown[0].text.len() < 300);
    let ranges = shown
        .iter()
        .flat_map(|line| line.ranges.iter().map(move |range| (line, range)));
    let marked: Vec<&str> = ranges
        .map(|(line, &(from, to))| &line.text[from..to])
        .collect();
    assert_eq!(marked, ["CAV1", "CAV2", "CAV1"]);
    assert_eq!(shown[1].text, "CAV2 and CAV1");
}

#[test]
fn fields_are_filters_and_are_listed_where_no_name_is_asked_for() {
    let texts = [("E1", "CAV1"), ("E2", "TP-3")];
    let found = |query| search(&texts, SearchRequest::new(query, 10)).unwrap().len();

    assert_eq!(found("CAV1 author:smith"), 0);
    assert_eq!(found("source:log"), 2);
    assert_eq!(found(""), 0);
}

#[test]
fn of_plain_words_only_names_count() {
    let mut request = SearchRequest::new("why did SR03C:RF:CAV1 trip in 2024?", 10);
    request.syntax = QuerySyntax::Plain;

    let hits = search(&[("E1", "SR03C:RF:CAV1=3"), ("E2", "trip 2024")], request).unwrap();

    assert_eq!(ids(&hits), ["E1"]);
}

#[test]
fn what_cannot_be_used_says_what_to_write() {
    for (written, advice) in [
        ("*", "three characters"),
        ("/.*/", "three characters"),
        ("/SR01(/", "unclosed group"),
        ("/SR01)|(?:x/", "unopened group"),
        ("/SR01.*", "write `/`"),
        ("PS{QF1}", "letters, digits"),
        ("AB1 AB2 AB3 AB4 AB5 AB6 AB7 AB8 AB9", "join some"),
    ] {
        match search(&[], SearchRequest::new(written, 10)) {
            Err(Error::InvalidInput { message }) => assert!(message.contains(advice), "{message}"),
            other => panic!("`{written}` should be refused, not {other:?}"),
        }
    }
}

#[test]
fn too_many_candidates_are_told() {
    let context = host(&[("E1", "CAV1"), ("E2", "CAV1")]).context();

    let module = module(json!({"candidates": 1}));
    let hits = block_on(module.search(SearchRequest::new("CAV1", 1), &context)).unwrap();

    assert_eq!(hits.len(), 1);
    assert!(
        context.diagnostics.take()[0]
            .message
            .contains("`candidates`")
    );
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

proptest! {
    #[test]
    fn no_question_and_no_text_is_a_panic(
        query in "\\PC{0,30}|[*?/:A-Z0-9 .-]{0,30}", text in "\\PC{0,60}|[A-Z0-9:. -]{0,60}",
    ) {
        for hit in search(&[("E", &text)], SearchRequest::new(query, 5)).unwrap_or_default() {
            for line in &hit.highlights {
                let mut ranges = line.ranges.iter();
                prop_assert!(ranges.all(|&(start, end)| line.text.get(start..end).is_some()));
            }
        }
    }

    #[test]
    fn a_name_of_the_text_is_found_by_its_glob(
        name in "[A-Z]{2,3}[0-9]{2}(:[A-Z]{1,4}[0-9]?){0,3}",
        before in "[a-z ]{0,10}[ (/=]", after in "[ ),;=/][a-z ]{0,10}",
    ) {
        let text = format!("{before}{name}{after}");
        for query in [name.clone(), format!("{}*", &name[..3]), format!("/{name}/")] {
            let hits = search(&[("E", &text)], SearchRequest::new(&query, 5)).unwrap();
            prop_assert_eq!(hits.len(), 1, "{}", query);
        }
    }
}
