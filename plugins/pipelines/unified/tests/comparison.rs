//! Questions that compare things.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{ask_on, entry, extension, host_of, ids};
use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::testing::FakeHost;
use serde_json::json;

/// Far more about one of the things than about the other, and what fits both.
fn host() -> FakeHost {
    let often = (0..20).map(|number| {
        let text = "CAV1 trips again: CAV1 trips, and the trips of CAV1 were on an arc.";
        entry(&format!("LOG-{number:02}"), "logbook", "2025-03-01", text)
    });
    let once = "CAV2 trips on reflected power.";
    let part = "Motor for CAV1 and CAV2. It trips, trips and trips with CAV1, CAV2, CAV1 and CAV2.";
    let others = [
        entry("SELDOM", "logbook", "2025-03-02", once),
        entry("PART", "part", "2025-03-03", part),
    ];
    host_of(often.chain(others)).on_query_plan(|request| {
        let plan = QueryPlan::of_terms(&request.text, Default::default());
        Ok(plan.with_intent(Intent::Compare))
    })
}

#[test]
fn each_thing_that_is_named_is_shown_and_spoken_of() {
    let configured = json!({ "aliases": { "CAV1": [], "CAV2": [] } });
    let answer = ask_on(
        &host(),
        configured,
        "compare CAV1 and CAV2 trips",
        json!({}),
    );
    assert!(ids(&answer)[..2].contains(&"SELDOM"), "{:?}", ids(&answer));
    assert!(ids(&answer).contains(&"PART"), "{:?}", ids(&answer));
    let scores: Vec<f64> = answer.hits.iter().map(|hit| hit.score).collect();
    assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
    let context = extension(&answer, "contextAnswer");
    assert_eq!(context["code"], "blended", "{context}");
    let summary = context["summary"].as_str().unwrap();
    assert!(
        summary.contains("CAV1: ") && summary.contains("CAV2: "),
        "{summary}"
    );
    let cited = context["citations"].as_array().unwrap();
    assert!(cited.contains(&json!("SELDOM")), "{cited:?}");
    assert!(!cited.contains(&json!("PART")), "{cited:?}");
}
