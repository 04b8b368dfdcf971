//! Mistakes in filters do not pass in silence.

use gannet_api::Level;
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, StoreKind, ids, over_both_stores};
use serde_json::json;

over_both_stores!(
    a_filter_on_a_field_that_no_entry_has_names_the_nearest,
    a_value_that_no_entry_has_is_noted_with_the_nearest,
    dates_that_leave_no_time_are_noted,
    a_result_that_is_not_empty_says_nothing_of_this,
);

async fn host(kind: StoreKind) -> Option<Host> {
    let host = Host::on(kind).await?;
    let entry = |id: &str, shift: &str| {
        json!({
            "id": id, "timestamp": "2025-03-01T08:00:00Z", "author": "Anna Lee",
            "text": "The cavity tripped.", "source_system": "ALS",
            "metadata": {"shift": shift, "tags": ["vacuum", "rf"]},
        })
    };
    host.ingest_lines(&[entry("A-1", "Night"), entry("A-2", "Day")])
        .await;
    Some(host)
}

async fn search(host: &Host, query: &str, filters: &[(&str, &str)]) -> SearchResult {
    let pairs = filters.iter();
    let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut input = SearchInput::new(query);
    input.mode = Some("keyword".to_owned());
    input.filter = host.gannet.filter(&pairs.collect::<Vec<_>>()).unwrap();
    host.gannet.search(input).await.unwrap()
}

/// The diagnostics about the filter.
fn notes(result: &SearchResult) -> Vec<(Level, &str)> {
    let notes = result.diagnostics.iter();
    let notes = notes.filter(|note| note.source == "service.filter");
    notes
        .map(|note| (note.level, note.message.as_str()))
        .collect()
}

async fn a_filter_on_a_field_that_no_entry_has_names_the_nearest(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let expected = "no entry has a field `shft`; did you mean `shift`?";
    let by_flag = search(&host, "cavity", &[("shft", "Night")]).await;
    let in_query = search(&host, "cavity meta.shft:Night", &[]).await;
    for result in [by_flag, in_query] {
        assert_eq!(ids(&result), [""; 0]);
        assert_eq!(notes(&result), [(Level::Warning, expected)]);
    }
}

async fn a_value_that_no_entry_has_is_noted_with_the_nearest(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for (query, expected) in [
        (
            "tag:vacum",
            "no entry has the tag `vacum`; did you mean `vacuum`?",
        ),
        (
            "shift:Nigt",
            "no entry has the shift `Nigt`; did you mean `Night`?",
        ),
        (
            "author:anne",
            "no entry has the author `anne`; did you mean `Anna`?",
        ),
        ("tag:zzz", "no entry has the tag `zzz`"),
    ] {
        let result = search(&host, query, &[]).await;
        assert_eq!(notes(&result), [(Level::Info, expected)], "{query}");
    }
}

async fn dates_that_leave_no_time_are_noted(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = search(&host, "cavity date:>=2025-06", &[("end_date", "2025-03")]).await;
    let [(Level::Warning, message)] = notes(&result)[..] else {
        panic!("{:?}", result.diagnostics);
    };
    assert!(message.contains("2025-06-01T00:00:00Z"), "{message}");
    assert!(message.contains("2025-04-01T00:00:00Z"), "{message}");
}

async fn a_result_that_is_not_empty_says_nothing_of_this(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = search(&host, "cavity", &[("shift", "night")]).await;
    assert_eq!(ids(&result), ["A-1"]);
    assert!(notes(&result).is_empty(), "{:?}", result.diagnostics);
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_of_flags_that_are_the_wrong_way_round_are_an_error_with_both() {
    let host = Host::new().await;
    let filter = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        host.gannet.filter(&pairs.collect::<Vec<_>>())
    };
    let reversed = [("start_date", "2025-03-02"), ("end_date", "2025-03-01")];
    let error = filter(&reversed).unwrap_err().to_string();
    let expected = "filter `start_date`: `2025-03-02` is after `end_date`: `2025-03-01`";
    assert!(error.starts_with(expected), "{error}");
    let one_day = [("start_date", "2025-03-01"), ("end_date", "2025-03-01")];
    assert!(filter(&one_day).is_ok());
}
