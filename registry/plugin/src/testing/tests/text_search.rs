//! The query language on the fake host.

use super::*;

fn found(query: &str) -> Vec<String> {
    let mut night = entry("E4", 4, "SR01:BPM3:X=0.3, then SR02:BPM1.");
    night.author = "Lee".to_owned();
    let host = FakeHost::default().with_entries([
        entry("E1", 1, "RF cavity tripped"),
        entry("E2", 2, "cavity, RF: vacuum leak"),
        entry("E3", 3, "klystron off"),
        night,
    ]);
    let hits = block_on(host.context().text_search(TextSearch::new(query, 10))).unwrap();
    let mut ids: Vec<String> = hits.into_iter().map(|hit| hit.entry_id).collect();
    ids.sort();
    ids
}

#[test]
fn operators_phrases_and_fields_are_read() {
    for (query, ids) in [
        ("rf cavity", &["E1", "E2"][..]),
        ("\"rf cavity\"", &["E1"]),
        ("cavity NOT leak", &["E1"]),
        ("klystron OR leak", &["E2", "E3"]),
        ("rf AND (leak OR tripped)", &["E1", "E2"]),
        ("NOT rf", &["E3", "E4"]),
        ("author:lee", &["E4"]),
        ("rf author:lee", &[]),
        ("rf OR author:lee", &["E1", "E2", "E4"]),
        ("date:1970 leak", &["E2"]),
    ] {
        assert_eq!(found(query), ids, "{query}");
    }
}

#[test]
fn patterns_match_whole_names_and_their_parts() {
    for (query, ids) in [
        ("klys*", &["E3"][..]),
        ("SR0?*:BPM1", &["E4"]),
        ("*BPM3*", &["E4"]),
        ("/bpm[0-9]/", &["E4"]),
        ("/SR02:BPM[0-9]/", &["E4"]),
        ("/SR01:BPM[0-9]/", &[]),
        ("SR01:BPM3", &["E4"]),
        ("SR01:BPM1", &[]),
    ] {
        assert_eq!(found(query), ids, "{query}");
    }
}

#[test]
fn places_that_overlap_are_marked_and_counted_once() {
    let host = FakeHost::default().with_entries([entry("E", 1, "SR01:BPM3 of SR01")]);
    let mut search = TextSearch::new("SR01* BPM3", 10);
    search.highlights = true;

    let hits = block_on(host.context().text_search(search)).unwrap();

    assert_eq!(hits[0].highlights[0].ranges, [(0, 9), (13, 17)]);
    assert_eq!(hits[0].score, 2.0);
}

#[test]
fn what_was_read_in_another_way_is_told() {
    let context = logbook().context();

    block_on(context.text_search(TextSearch::new("rf AND", 10))).unwrap();

    assert!(context.diagnostics.take()[0].message.contains("AND"));
}

proptest::proptest! {
    #[test]
    fn any_query_and_text_can_be_searched(
        query in "\\PC{0,30}|[a-c*?/(:\" ]{0,30}", text in "\\PC{0,40}|[a-c:. ]{0,40}",
    ) {
        let host = FakeHost::default().with_entries([entry("E", 1, &text)]);
        let mut search = TextSearch::new(query, 10);
        search.highlights = true;
        for hit in block_on(host.context().text_search(search)).unwrap() {
            for (start, end) in &hit.highlights[0].ranges {
                proptest::prop_assert!(text.get(*start..*end).is_some());
            }
        }
    }
}
