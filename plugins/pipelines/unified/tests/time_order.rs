//! Questions for the last or the first of something.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{ask_on, entry, extension, host, ids, two_domains};
use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::{
    EntityKind, Intent, PlanEntity, PlanSource, PlanTime, Precision, QueryPlan,
};
use gannet_plugin::testing::FakeHost;
use serde_json::json;

const QUIET: &str = "The shift was quiet before and after it. Nothing else is to be told.";

/// Trips of a cavity, of which the newest says least, and a younger document.
fn trips() -> FakeHost {
    let newest = format!("CAV1 tripped. {QUIET}");
    let other = format!("CAV2 tripped. {QUIET}");
    let document = "What to do when CAV1 tripped. CAV1 tripped: reset CAV1.";
    host().with_entries([
        entry("LOG-5", "logbook", "2025-05-01", &newest),
        entry("LOG-6", "logbook", "2025-06-01", &other),
        entry("DOC-3", "document", "2025-07-01", document),
    ])
}

/// A host that reads this intent in every question.
fn with_intent(host: FakeHost, intent: Intent) -> FakeHost {
    host.on_query_plan(move |request| {
        let plan = QueryPlan::of_terms(&request.text, Default::default()).with_intent(intent);
        Ok(plan.with_intent_words(vec!["last".to_owned(), "first".to_owned()]))
    })
}

#[test]
fn the_newest_of_what_matches_well_is_first() {
    let host = with_intent(trips(), Intent::Latest);
    let answer = ask_on(
        &host,
        two_domains(),
        "when was CAV1 tripped last",
        json!({}),
    );
    assert_eq!(ids(&answer)[0], "LOG-5", "{:?}", ids(&answer));
    assert_eq!(extension(&answer, "cards")[0]["entries"][0], "LOG-5");
    let explain = answer.hits[0].explain.as_ref().unwrap();
    assert_eq!(explain["timeOrder"], "newest");
    assert!(explain["why"].as_str().unwrap().contains("newest"));
    let scores: Vec<f64> = answer.hits.iter().map(|hit| hit.score).collect();
    assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
}

#[test]
fn the_oldest_of_what_matches_well_is_first() {
    let host = with_intent(trips(), Intent::First);
    let answer = ask_on(
        &host,
        two_domains(),
        "when was CAV1 tripped first",
        json!({}),
    );
    assert_eq!(ids(&answer)[0], "LOG-1", "{:?}", ids(&answer));
    let explain = answer.hits[0].explain.as_ref().unwrap();
    assert_eq!(explain["timeOrder"], "oldest");
}

#[test]
fn the_last_of_what_the_session_was_about_is_meant() {
    let host = with_intent(trips(), Intent::Latest);
    let session = json!({ "session_entities": "CAV1" });
    let answer = ask_on(&host, two_domains(), "when was it tripped last", session);
    assert_eq!(ids(&answer)[0], "LOG-5", "{:?}", ids(&answer));
}

#[test]
fn documents_are_meant_where_the_question_names_them() {
    let host = with_intent(trips(), Intent::Latest);
    let question = "last procedure for CAV1 tripped";
    let answer = ask_on(&host, two_domains(), question, json!({}));
    assert_eq!(ids(&answer)[0], "DOC-3", "{:?}", ids(&answer));
}

#[test]
fn the_last_is_found_however_many_others_fit_the_words_better() {
    let many = (0..150).map(|number| {
        let id = format!("MANY-{number:03}");
        entry(&id, "logbook", "2020-01-01", "Pump trip, pump trip, trip.")
    });
    let mut wanted = entry("WANTED", "logbook", "2024-01-01", "Pump trip.");
    wanted.author = "Voss".to_owned();
    let host = fixture::host_of(many.chain([wanted])).on_query_plan(|request| {
        let place = request.text.find("Voss").unwrap();
        let voss = PlanEntity::new(EntityKind::Author, "voss", PlanSource::Words)
            .with_field(FilterField::Author)
            .with_span(place..place + 4);
        let plan = QueryPlan::of_terms(&request.text, Default::default());
        let plan = plan.with_intent(Intent::Latest).with_entities(vec![voss]);
        Ok(plan.with_intent_words(vec!["last".to_owned()]))
    });
    let answer = ask_on(&host, json!({}), "last pump trip of Voss", json!({}));
    assert_eq!(ids(&answer)[0], "WANTED", "{:?}", ids(&answer));
}

#[test]
fn the_first_of_a_year_is_one_of_that_year() {
    let host = host()
        .with_entries([
            entry("LOG-7", "logbook", "2025-12-31", "CAV1 tripped"),
            entry("LOG-8", "logbook", "2026-01-20", "CAV1 tripped"),
        ])
        .on_query_plan(|request| {
            let place = request.text.find("2026").unwrap();
            let year = PlanTime::new(Precision::Year, PlanSource::Words)
                .with_from("2026-01-01T00:00:00Z".parse().ok())
                .with_to("2027-01-01T00:00:00Z".parse().ok())
                .with_span(place..place + 4);
            let plan = QueryPlan::of_terms(&request.text, Default::default());
            let plan = plan.with_intent(Intent::First).with_times(vec![year]);
            Ok(plan.with_intent_words(vec!["first".to_owned()]))
        });
    let question = "first CAV1 tripped in 2026";
    let answer = ask_on(&host, two_domains(), question, json!({}));
    assert_eq!(ids(&answer)[0], "LOG-8", "{:?}", ids(&answer));
}
