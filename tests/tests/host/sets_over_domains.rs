//! Questions about a set of entries over several domains.

use gannet_core::api::AnswerStatus;
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, ids};
use serde_json::{Value, json};

const TWO: &str = "
    logbook: {label: Logbook, source_systems: [elog]}
    reports: {label: Reports, source_systems: [reports]}
";
const WITH_PARTS: &str = "
    logbook: {label: Logbook, source_systems: [elog]}
    parts: {label: Parts, retrieval_modules: [keyword]}
";
const OVERLAPPING: &str = "
    logbook: {label: Logbook, source_systems: [elog]}
    all: {label: All, kinds: [logbook]}
";

/// Alerts of 2004 and 2005: three in the logbook, one in the reports.
fn records() -> Vec<Value> {
    let record = |id: &str, time: &str, source: &str, state: &str| {
        json!({
            "id": id, "timestamp": time, "author": "Alder", "source_system": source,
            "text": "The unit was quiet.", "metadata": { "class": "alert", "state": state },
        })
    };
    vec![
        record("e1", "2004-01-05T08:00:00Z", "elog", "OH"),
        record("e2", "2004-07-05T08:00:00Z", "elog", "OH"),
        record("e3", "2005-03-05T08:00:00Z", "elog", "VA"),
        record("r1", "2005-04-05T08:00:00Z", "reports", "VA"),
    ]
}

async fn asked(settings: &[(&str, &str)], question: &str) -> SearchResult {
    let host = Host::with(settings).await;
    host.ingest_lines(&records()).await;
    host.gannet.store().flush().await.unwrap();
    let mut input = SearchInput::new(question);
    input.mode = Some("unified".to_owned());
    host.gannet.search(input).await.unwrap()
}

async fn asked_of(domains: &str, question: &str) -> SearchResult {
    asked(&[("pipelines.unified.settings.domains", domains)], question).await
}

fn domains(result: &SearchResult) -> &Value {
    &result.extensions["contextAnswer"]["set"]["domains"]
}

fn answer(result: &SearchResult) -> &str {
    result.answer.as_deref().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_is_counted_in_each_domain_and_in_all() {
    let result = asked_of(TWO, "how many alerts per year since 2004?").await;
    let opening = "4 entries, by year:\n- 2004: 2\n- 2005: 2\n";
    assert!(answer(&result).starts_with(opening), "{}", answer(&result));
    let end = "\nBy domain: Logbook 3, Reports 1.";
    assert!(answer(&result).ends_with(end), "{}", answer(&result));
    let expected = json!([{"domain": "Logbook", "count": 3}, {"domain": "Reports", "count": 1}]);
    assert_eq!(*domains(&result), expected);
    assert_eq!(result.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(result.answer_confidence, Some(1.0));
    assert_eq!(ids(&result), ["r1", "e3", "e2", "e1"]);
    let set = &result.pipeline_details.as_ref().unwrap()["set"];
    assert_eq!(set["count"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_ones_are_chosen_over_all_domains() {
    let result = asked_of(TWO, "the last two alerts").await;
    assert_eq!(result.citations, ["r1", "e3"]);
    let result = asked_of(TWO, "the first alert").await;
    assert_eq!(result.citations, ["e1"]);
    let result = asked_of(TWO, "alerts by state in 2005").await;
    let rows = &result.pipeline_details.as_ref().unwrap()["set"]["rows"];
    assert_eq!(
        (&rows[0]["value"], &rows[0]["count"]),
        (&json!("VA"), &json!(2))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_that_is_not_in_the_store_is_named_and_the_count_is_no_proof() {
    let result = asked_of(WITH_PARTS, "how many alerts since 2004?").await;
    assert!(
        answer(&result).starts_with("3 entries"),
        "{}",
        answer(&result)
    );
    let end = "By domain: Logbook 3. Not counted: Parts (its entries are not in the store).";
    assert!(answer(&result).ends_with(end), "{}", answer(&result));
    assert_eq!(result.answer_status, Some(AnswerStatus::Partial));
    assert_eq!(result.answer_confidence, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn domains_that_may_share_entries_give_no_proof() {
    let result = asked_of(OVERLAPPING, "how many alerts since 2004?").await;
    assert_eq!(result.answer_status, Some(AnswerStatus::Partial));
    let reason = "an entry of two domains counts twice";
    assert!(result.reasoning.contains(reason), "{}", result.reasoning);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_value_of_the_field_is_a_domain_where_none_is_configured() {
    let by_source = [("pipelines.unified.settings.domain_field", "source_system")];
    let result = asked(&by_source, "how many alerts since 2004?").await;
    let expected = json!([{"domain": "elog", "count": 3}, {"domain": "reports", "count": 1}]);
    assert_eq!(*domains(&result), expected);
    assert!(
        answer(&result).starts_with("4 entries"),
        "{}",
        answer(&result)
    );
    let empty = asked(&by_source, "how many alerts in 2010?").await;
    let opening = "None in 2010; the last before was:";
    assert!(answer(&empty).starts_with(opening), "{}", answer(&empty));
}
