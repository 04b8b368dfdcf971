#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;
use crate::FilterField;

fn time(span: Range<usize>) -> PlanTime {
    PlanTime {
        from: Some(Timestamp::UNIX_EPOCH),
        to: None,
        precision: Precision::Day,
        source: PlanSource::Words,
        strict: false,
        span: Some(span),
    }
}

fn entity(field: Option<&str>, span: Range<usize>) -> PlanEntity {
    PlanEntity {
        kind: EntityKind::Other,
        value: "value".to_owned(),
        field: field.map(FilterField::from_name),
        source: PlanSource::Words,
        strict: false,
        span: Some(span),
        entries: None,
    }
}

fn plan(text: &str) -> QueryPlan {
    QueryPlan {
        text: text.to_owned(),
        ..QueryPlan::default()
    }
}

#[test]
fn the_residual_lacks_soft_times_and_values_of_fields_but_no_device() {
    let mut plan = plan("did RF-2 trip for Voss last week");
    plan.entities = vec![entity(None, 4..8), entity(Some("author"), 18..22)];
    plan.times = vec![time(23..32)];
    assert_eq!(plan.residual(), "did RF-2 trip for");
    assert_eq!(plan.content_terms(), ["RF-2", "trip"]);
}

#[test]
fn strict_parts_stay_in_the_residual() {
    let mut plan = plan("leak date:2024");
    plan.times = vec![PlanTime {
        strict: true,
        source: PlanSource::Field,
        ..time(5..14)
    }];
    assert_eq!(plan.residual(), "leak date:2024");
}

#[test]
fn overlapping_spans_are_taken_out_once() {
    let mut plan = plan("a bc d");
    plan.entities = vec![entity(Some("x"), 2..4), entity(Some("y"), 2..3)];
    assert_eq!(plan.residual(), "a d");
}

#[test]
fn spans_of_another_text_take_nothing_away() {
    let mut plan = plan("é");
    plan.times = vec![time(1..1), time(7..9)];
    assert_eq!(plan.residual(), "");
    plan.times = vec![time(5..9)];
    assert!(plan.residual().len() <= plan.text.len());
}

#[test]
fn words_that_ask_are_no_content_but_words_of_causes_are() {
    let mut plan = plan("how many trips");
    plan.intent = Intent::Count;
    plan.intent_words = vec!["how many".to_owned()];
    assert_eq!(plan.content_terms(), ["trips"]);
    plan.text = "the cause of trips".to_owned();
    plan.intent = Intent::Cause;
    plan.intent_words = vec!["cause".to_owned()];
    assert_eq!(plan.content_terms(), ["cause", "trips"]);
}

#[test]
fn a_plan_is_read_back_from_its_json() {
    let mut plan = plan("trips since May");
    plan.query = crate::query::parse(
        "trips NOT \"x y\" author:voss date:2024",
        crate::QuerySyntax::Operators,
        &crate::query::QueryOptions::default(),
    );
    plan.times = vec![time(6..15)];
    plan.entities = vec![entity(Some("meta.plant"), 0..5), entity(None, 0..5)];
    let json = serde_json::to_string(&plan).unwrap();
    assert!(json.contains("\"field\":\"meta.plant\""), "{json}");
    assert_eq!(serde_json::from_str::<QueryPlan>(&json).unwrap(), plan);
}
