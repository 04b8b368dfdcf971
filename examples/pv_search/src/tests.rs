#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::filter::{Condition, FilterField};
use gannet_plugin::prelude::{Entry, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::search::ScoreKind;
use gannet_plugin::setup::Registration;
use gannet_plugin::testing::{self, FakeHost};
use pollster::block_on;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{PvSearch, Settings};

fn module(settings: Value) -> PvSearch {
    let setup = Setup::default().with_instance("pv_search");
    PvSearch::new(serde_json::from_value(settings).unwrap(), &setup).unwrap()
}

fn entry(id: &str, day: i8, text: &str) -> Entry {
    let time = format!("2024-01-{day:02}T12:00:00Z").parse().unwrap();
    Entry::new(id, "log", time, text)
}

fn search(entries: &[Entry], request: SearchRequest) -> Result<Vec<Hit>> {
    let host = FakeHost::default().with_entries(entries.iter().cloned());
    block_on(module(json!({})).search(request, &host.context()))
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entry_id.as_str()).collect()
}

#[test]
fn different_names_count_before_places_and_places_before_age() {
    let entries = [
        entry("once", 9, "CAV1 tripped"),
        entry("older", 2, "CAV1, then CAV1 again"),
        entry("newer", 3, "CAV1 and cav1"),
        entry("both", 1, "CAV1 and CAV2"),
        entry("other", 9, "XCAV1 and CAV1X"),
    ];

    let hits = search(&entries, SearchRequest::new("CAV*", 10)).unwrap();

    assert_eq!(ids(&hits)[..4], ["both", "newer", "older", "once"]);
    assert_eq!(
        hits[0].explain,
        Some(json!({"names": {"CAV1": 1, "CAV2": 1}}))
    );
    assert_eq!(hits[1].explain, Some(json!({"names": {"CAV1": 2}})));
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    assert!(hits.iter().all(|hit| hit.score_kind == ScoreKind::None));
}

#[test]
fn only_whole_names_count() {
    let entries = [
        entry("part", 1, "SR01:CAV1:V is high"),
        entry("whole", 2, "(CAV1): off"),
    ];

    let hits = search(&entries, SearchRequest::new("CAV1", 10)).unwrap();

    assert_eq!(ids(&hits), ["whole"]);
}

#[test]
fn highlights_are_cut_between_characters_and_mark_the_names() {
    let long = format!("{0}CAV1 {0}\nquiet\nCAV2 and CAV1", "é ".repeat(300));

    let hits = search(&[entry("E", 1, &long)], SearchRequest::new("CAV?", 10)).unwrap();

    let shown = &hits[0].highlights;
    assert_eq!(shown.len(), 2);
    assert!(shown[0].text.len() < 300);
    let marked: Vec<&str> = shown
        .iter()
        .flat_map(|one| one.ranges.iter().map(|&(start, end)| &one.text[start..end]))
        .collect();
    assert_eq!(marked, ["CAV1", "CAV2", "CAV1"]);
    assert_eq!(shown[1].text, "CAV2 and CAV1");
}

#[test]
fn the_filter_reaches_the_index_and_more_candidates_are_asked_for_than_hits() {
    let host = FakeHost::default().with_entries([entry("E", 1, "CAV1")]);
    let source = Condition::Equals("log".to_owned());
    let mut request = SearchRequest::new("CAV1 author:smith", 3);
    request.filter = request.filter.and(FilterField::SourceSystem, source);

    let hits = block_on(module(json!({})).search(request, &host.context())).unwrap();

    assert!(hits.is_empty());
    let asked = &host.calls().text_searches[0];
    assert_eq!(asked.filter.clauses.len(), 2);
    assert_eq!((asked.limit, asked.fuzzy), (500, false));
}

#[test]
fn a_blank_question_lists_what_the_filter_lets_through_or_nothing() {
    let entries = [entry("E1", 1, "CAV1"), entry("E2", 2, "TP-3")];
    let everything = Condition::Equals("log".to_owned());
    let mut listing = SearchRequest::new("  ", 10);
    listing.filter = listing.filter.and(FilterField::SourceSystem, everything);

    assert_eq!(ids(&search(&entries, listing).unwrap()), ["E2", "E1"]);
    let fields = SearchRequest::new("source:log", 1);
    assert_eq!(ids(&search(&entries, fields).unwrap()), ["E2"]);
    assert!(
        search(&entries, SearchRequest::new("", 10))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn too_many_candidates_are_told() {
    let host = FakeHost::default().with_entries([entry("E1", 1, "CAV1"), entry("E2", 2, "CAV1")]);
    let context = host.context();

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
fn settings_that_cannot_be_used_are_refused() {
    for wrong in [json!({"candidates": 0}), json!({"candidate": 5})] {
        let refused = testing::settings::<Settings>(wrong.clone());
        assert!(refused.is_err(), "{wrong}");
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn the_module_is_registered_under_its_name() {
    let names: Vec<String> = Registration::linked()
        .map(|registration| (registration.describe)().name)
        .collect();

    assert_eq!(names, ["pv_search"]);
}

proptest! {
    #[test]
    fn no_question_and_no_text_is_a_panic(
        query in "\\PC{0,30}|[*?/:A-Z0-9 .-]{0,30}", text in "\\PC{0,60}|[A-Z0-9:. -]{0,60}",
    ) {
        let entries = [entry("E", 1, &text)];
        for hit in search(&entries, SearchRequest::new(query, 5)).unwrap_or_default() {
            for highlight in &hit.highlights {
                for &(start, end) in &highlight.ranges {
                    prop_assert!(highlight.text.get(start..end).is_some());
                }
            }
        }
    }

    #[test]
    fn a_name_of_the_text_is_found_by_its_glob(
        name in "[A-Z]{2,3}[0-9]{2}(:[A-Z]{1,4}[0-9]?){0,3}",
        before in "[a-z ]{0,10}[ (/=]", after in "[ ),;=/][a-z ]{0,10}",
    ) {
        let entries = [entry("E", 1, &format!("{before}{name}{after}"))];
        for query in [name.clone(), format!("{}*", &name[..3]), format!("/{name}/")] {
            let hits = search(&entries, SearchRequest::new(&query, 5)).unwrap();
            prop_assert_eq!(hits.len(), 1, "{}", query);
        }
    }
}
