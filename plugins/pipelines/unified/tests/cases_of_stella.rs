//! The cases of the source system that are about the pipeline.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{ask, boosts, extension, pipeline, request, setup, two_domains};
use gannet_plugin::prelude::{Descriptor, Hit, Pipeline};
use gannet_plugin::search::ScoreKind;
use gannet_plugin::testing::FakeHost;
use gannet_test_cases::{cases, strings};
use gannet_unified::{Unified, UnifiedSettings};
use serde_json::{Value, json};

fn of(area: &str) -> Vec<Value> {
    let all = cases("seeds.jsonl", area).into_iter();
    all.filter(|case| case["system"] == "stella").collect()
}

#[test]
fn ambient_boosts_have_its_numbers() {
    let params = json!({
        "route": "/shift",
        "visible_entities": "CAV1",
        "last_action_entity": "CAV2",
    });
    let answer = ask(two_domains(), "tripped", params);
    let value = |id: &str, name: &str| {
        let all = boosts(&answer, id);
        all.into_iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value)
    };
    for case in of("ambient.boost") {
        let found = match case["input"]["signal"].as_str().unwrap() {
            "current route domain" => value("LOG-1", "ambient_route"),
            "last action entity" => value("LOG-3", "last_action_entity"),
            "visible entity" => value("LOG-1", "visible_entity"),
            other => panic!("{other}"),
        };
        assert_eq!(found, case["expected"].as_f64(), "{case}");
    }
}

#[test]
fn the_plan_has_its_parts() {
    let plan = ask(two_domains(), "CAV1 tripped", json!({})).plan.unwrap();
    for case in of("query_plan.fields") {
        for part in strings(&case["expected"]) {
            let found = match part.as_str() {
                "intent" => &plan["intent"],
                "detected entities" => &plan["entities"],
                "domain weights" => &plan["domains"][0]["base"],
                "context boosts" => &plan["domains"][0]["boosts"],
                other => panic!("{other}"),
            };
            assert!(!found.is_null(), "{part}: {plan}");
        }
    }
}

#[test]
fn the_answer_has_its_parts_and_statuses() {
    let grounded = ask(json!({}), "what caused the trip of CAV1", json!({}));
    let context = extension(&grounded, "contextAnswer");
    for case in of("context_answer.fields") {
        for field in strings(&case["expected"]) {
            let field = field.split(' ').next().unwrap();
            assert!(context.get(field).is_some(), "{field}: {context}");
        }
    }
    let nothing = ask(json!({}), "zeppelin", json!({}));
    let vague = ask(json!({}), "CAV1 OR CAV2", json!({}));
    let statuses: Vec<&Value> = [&grounded, &nothing, &vague]
        .map(|answer| &extension(answer, "contextAnswer")["status"])
        .to_vec();
    for case in of("context_answer.status") {
        let known = strings(&case["expected"]);
        for status in &statuses {
            assert!(known.iter().any(|one| *status == one), "{status}");
        }
    }
}

#[test]
fn equal_scores_are_ordered_as_it_orders_them() {
    for case in of("tie_break") {
        assert_eq!(case["expected"][0], "kind");
        let hits = [("b", "logbook"), ("z", "document"), ("a", "logbook")];
        let host = FakeHost::default()
            .with_entries(hits.map(|(id, kind)| fixture::entry(id, kind, "2025-01-01", "pump")))
            .on_search_module("keyword", move |_| {
                let hit = |(id, kind): (&str, &str)| Hit::new(id, kind, 1.0, ScoreKind::Bm25);
                Ok(fixture::found(hits.map(hit).to_vec()))
            });
        let convex = json!({ "fusion": { "method": "convex" } });
        let unified = pipeline(convex, &setup());
        let context = host.context();
        let run = unified.run(request("pump", json!({})), &context);
        let answer = pollster::block_on(run).unwrap();
        assert_eq!(fixture::ids(&answer), ["z", "a", "b"]);
    }
}

#[test]
fn nothing_is_offered_where_nothing_is_indexed() {
    for case in of("live_verification") {
        if case["input"]["index"].as_str().unwrap().contains("=0") {
            let host = fixture::host_of([]);
            let query = case["input"]["q"].as_str().unwrap();
            let answer = fixture::ask_on(&host, json!({}), query, json!({}));
            let cards = extension(&answer, "cards").as_array().unwrap().len();
            assert_eq!(Some(cards as u64), case["expected"]["cards"].as_u64());
            assert_eq!(extension(&answer, "coverage")["corpusReady"], false);
        }
    }
}

/// The keys of its configuration and those that are here.
#[test]
fn its_keys_of_the_configuration_have_a_place() {
    let descriptor: Descriptor = Unified::descriptor().with_settings::<UnifiedSettings>();
    let keys = &descriptor.settings_schema["properties"];
    for case in of("config.keys") {
        for key in strings(&case["expected"]) {
            let ours: &[&str] = match key.split('.').next().unwrap() {
                // `enabled` is a key of every pipeline.
                "Enabled" => &[],
                "BaseDomainWeights" | "Federation" => &["domains"],
                "Weighting" | "GravityBoost" => &["boosts"],
                "Synthesis" => &["synthesis"],
                "Session" => &["session"],
                // Entries come in by adapters, and flags of tenants are not
                // there; docs/compatibility.md says why.
                "Ingestion" | "TenantFeatureFlags" => &[],
                other => panic!("{other}"),
            };
            for name in ours {
                assert!(keys.get(*name).is_some(), "{key}: {name}");
            }
        }
    }
}
