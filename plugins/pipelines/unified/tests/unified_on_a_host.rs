//! The pipeline on a host in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    ask, ask_on, boosts, entry, extension, found, host, host_of, ids, pipeline, request, setup,
    site, two_domains,
};
use gannet_plugin::filter::{Filter, FilterField};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::{EntityKind, PlanEntity, PlanSource, QueryPlan};
use gannet_plugin::prelude::{Error, Hit, Pipeline};
use gannet_plugin::search::ScoreKind;
use gannet_plugin::testing::FakeHost;
use serde_json::{Value, json};

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn a_question_of_how_puts_documents_first_and_hides_nothing() {
    let answer = ask(json!({}), "how do I exchange the circulator", json!({}));
    assert_eq!(ids(&answer)[0], "DOC-1");
    assert!(ids(&answer).contains(&"LOG-2"), "{:?}", ids(&answer));
    assert!(boosts(&answer, "DOC-1").contains(&("intent".to_owned(), 0.20)));
    let plan = answer.plan.unwrap();
    assert_eq!(plan["intent"], "how_to");
}

#[test]
fn the_page_raises_its_domain_and_hides_nothing() {
    let without = ask(two_domains(), "circulator", json!({}));
    let on_manuals = ask(
        two_domains(),
        "circulator",
        json!({ "route": "/manuals/rf" }),
    );
    let mut all = [ids(&without), ids(&on_manuals)];
    assert_eq!(all[1][0], "DOC-1");
    all.iter_mut().for_each(|ids| ids.sort_unstable());
    assert_eq!(all[0], all[1]);
    assert_eq!(
        boosts(&on_manuals, "DOC-1"),
        [("ambient_route".to_owned(), 0.35)]
    );
    let plan = on_manuals.plan.unwrap();
    assert_eq!(plan["scope"], json!(["manuals"]));
    assert_eq!(plan["scopeReason"], "the question was asked on /manuals/rf");
}

#[test]
fn every_ambient_signal_is_a_boost_with_its_name() {
    let params = json!({
        "last_action_domain": "log",
        "last_action_entity": "CAV2",
        "visible_entities": "CAV1",
        "session_entities": "SR07",
    });
    let answer = ask(two_domains(), "tripped OR leak", params);
    let named = |name: &str, value| (name.to_owned(), value);
    let of_log = [named("intent", 0.20), named("last_action_domain", 0.15)];
    let with = |own| [of_log.to_vec(), vec![own]].concat();
    assert_eq!(
        boosts(&answer, "LOG-1"),
        with(named("visible_entity", 0.20))
    );
    assert_eq!(
        boosts(&answer, "LOG-3"),
        with(named("last_action_entity", 0.25))
    );
    assert_eq!(
        boosts(&answer, "LOG-4"),
        with(named("session_entity", 0.20))
    );
}

#[test]
fn the_key_of_an_entity_keeps_its_type_when_it_is_sent_back() {
    for given in ["device:cav2", "device:CAV2", "CAV2"] {
        let answer = ask(
            two_domains(),
            "tripped OR leak",
            json!({ "last_action_entity": given }),
        );
        let boost = ("last_action_entity".to_owned(), 0.25);
        assert!(boosts(&answer, "LOG-3").contains(&boost), "{given}");
        let plan = answer.plan.unwrap();
        let entities = plan["entities"].as_array().unwrap().iter();
        let keys: Vec<&Value> = entities.map(|entity| &entity["key"]).collect();
        assert_eq!(keys, ["device:cav2"], "{given}");
    }
}

#[test]
fn all_boosts_of_a_hit_together_have_a_limit() {
    let mut configured = two_domains();
    configured["boosts"] = json!({ "intent": 0.9, "visible_entity": 0.8 });
    let answer = ask(
        configured,
        "CAV1 tripped",
        json!({ "visible_entities": "CAV1" }),
    );
    let hit = answer
        .hits
        .iter()
        .find(|hit| hit.entry_id == "LOG-1")
        .unwrap();
    let explain = hit.explain.as_ref().unwrap();
    assert_eq!(explain["boostTotal"], 1.0);
    assert_eq!(explain["capped"], true);
    assert_eq!(hit.score, 2.0 * explain["fused"].as_f64().unwrap());
    let why = explain["why"].as_str().unwrap();
    assert!(why.contains("CAV1") && why.contains("+80 %"), "{why}");
}

#[test]
fn linked_hits_attract_each_other() {
    let answer = ask(json!({}), "CAV1 circulator", json!({}));
    for id in ["LOG-1", "LOG-2"] {
        let named = boosts(&answer, id);
        assert!(
            named.contains(&("graph_gravity".to_owned(), 0.10)),
            "{id}: {named:?}"
        );
    }
}

#[test]
fn freshness_is_off_and_counts_by_the_newest_hit_when_on() {
    let answer = ask(json!({}), "circulator", json!({}));
    let has = |answer: &gannet_plugin::prelude::Answer| {
        boosts(answer, "LOG-2")
            .iter()
            .any(|(name, _)| name == "freshness")
    };
    assert!(!has(&answer));
    let configured = json!({ "boosts": { "freshness": { "weight": 0.5 } } });
    assert!(has(&ask(configured, "circulator", json!({}))));
}

#[test]
fn popularity_is_off_however_often_an_entry_was_opened() {
    let popular = json!({ "popular": "LOG-2=7" });
    let off = ask(json!({}), "circulator", popular.clone());
    assert_eq!(off.hits, ask(json!({}), "circulator", json!({})).hits);
    let on = ask(
        json!({ "boosts": { "popularity": 0.5 } }),
        "circulator",
        popular,
    );
    assert!(boosts(&on, "LOG-2").contains(&("popularity".to_owned(), 0.5)));
}

#[test]
fn equal_scores_are_in_the_order_of_kind_and_id() {
    let same = ["b", "a"].map(|id| entry(id, "logbook", "2025-01-01", "pump"));
    let other = entry("z", "document", "2025-01-01", "pump");
    let host = FakeHost::default()
        .with_entries(same.into_iter().chain([other]))
        .on_search_module("keyword", |_| {
            let hit = |id, kind| Hit::new(id, kind, 1.0, ScoreKind::Bm25);
            let hits = [("b", "logbook"), ("z", "document"), ("a", "logbook")];
            Ok(found(hits.map(|(id, kind)| hit(id, kind)).to_vec()))
        });
    let convex = json!({ "fusion": { "method": "convex" }, "boosts": { "intent": 0.0 } });
    let answer = ask_on(&host, convex, "pump", json!({}));
    assert_eq!(ids(&answer), ["z", "a", "b"]);
}

#[test]
fn a_filter_of_the_request_is_strict_in_every_domain() {
    let unified = pipeline(two_domains(), &setup());
    let mut request = request("circulator", json!({ "scope": "manuals" }));
    let kind = gannet_plugin::filter::Condition::Equals("logbook".to_owned());
    request.filter = Filter::none().and(FilterField::Kind, kind);
    let answer = pollster::block_on(unified.run(request, &host().context())).unwrap();
    assert!(ids(&answer).iter().all(|id| id.starts_with("LOG")));
}

#[test]
fn a_domain_that_fails_shows_in_coverage_and_the_others_stand() {
    let host = host().on_search_module("remote", |_| {
        Err(Error::Provider {
            provider: "remote".to_owned(),
            message: "connection refused".to_owned(),
            retryable: true,
        })
    });
    let mut configured = two_domains();
    configured["domains"]["partner"] = json!({ "retrieval_modules": ["remote"] });
    for domain in ["log", "manuals"] {
        configured["domains"][domain]["retrieval_modules"] = json!(["keyword"]);
    }
    let modules = ["keyword", "remote"].map(str::to_owned);
    let setup = setup().with_retrieval_modules(modules.to_vec());
    let unified = pipeline(configured, &setup);
    let context = host.context();
    let answer = pollster::block_on(unified.run(request("circulator", json!({})), &context));
    let answer = answer.unwrap();
    assert!(answer.degraded);
    assert_eq!(ids(&answer).len(), 3);
    let domains = extension(&answer, "coverage")["domains"]
        .as_array()
        .unwrap()
        .clone();
    let partner = domains
        .iter()
        .find(|one| one["domain"] == "partner")
        .unwrap();
    assert_eq!(partner["status"], "failed");
    assert_eq!(partner["failure"], "provider");
    let notes = context.diagnostics.take();
    assert!(
        notes
            .iter()
            .any(|note| note.source == "unified.partner.retrieve.remote")
    );
}

#[test]
fn nothing_found_tells_an_empty_scope_from_an_empty_corpus() {
    let of = |host: &FakeHost, params: Value| {
        let answer = ask_on(host, two_domains(), "zeppelin", params);
        assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
        let context = extension(&answer, "contextAnswer")["code"].clone();
        let coverage = extension(&answer, "coverage").clone();
        (
            context,
            coverage["corpusReady"].clone(),
            coverage["scopeReady"].clone(),
        )
    };
    let logs = site().into_iter().filter(|entry| entry.kind == "logbook");
    let (only_logs, empty) = (host_of(logs), host_of([]));
    let on_manuals = json!({ "scope": "manuals" });
    let expected =
        |code: &str, corpus: bool, scope: bool| (json!(code), json!(corpus), json!(scope));
    assert_eq!(of(&host(), json!({})), expected("no_match", true, true));
    assert_eq!(
        of(&only_logs, on_manuals),
        expected("scope_empty", true, false)
    );
    assert_eq!(
        of(&empty, json!({})),
        expected("corpus_empty", false, false)
    );
}

#[test]
fn an_unknown_domain_of_the_scope_is_named_and_hides_nothing() {
    let unified = pipeline(two_domains(), &setup());
    let context = host().context();
    let asked = request("circulator", json!({ "scope": "manualz" }));
    let answer = pollster::block_on(unified.run(asked, &context)).unwrap();
    assert_eq!(ids(&answer).len(), 3);
    assert_eq!(extension(&answer, "coverage")["scopeReady"], false);
    assert_eq!(answer.plan.unwrap()["unknownScope"], json!(["manualz"]));
    let notes = context.diagnostics.take();
    let note = notes.iter().find(|note| note.source == "unified.plan");
    let note = note.unwrap();
    assert_eq!(note.category.as_deref(), Some("unknown_value"));
    assert!(note.message.contains("manualz"), "{}", note.message);
    assert!(note.message.contains("log, manuals"), "{}", note.message);

    let both = request("circulator", json!({ "scope": "manuals, manualz" }));
    let answer = pollster::block_on(unified.run(both, &context)).unwrap();
    assert_eq!(extension(&answer, "coverage")["scopeReady"], true);
    assert_eq!(answer.plan.unwrap()["scope"], json!(["manuals"]));
}

#[test]
fn a_source_system_can_be_the_domain() {
    let configured = json!({ "domain_field": "source_system" });
    let answer = ask(
        configured,
        "circulator",
        json!({ "scope": "documents of the site" }),
    );
    let explain = answer.hits[0].explain.as_ref().unwrap();
    assert_eq!(explain["domain"], "documents of the site");
    assert_eq!(explain["inScope"], true);
}

#[test]
fn the_numbers_of_a_plan_have_reasons() {
    let host = host().on_query_plan(|request| {
        let device = PlanEntity::new(EntityKind::Device, "CAV1", PlanSource::Words);
        Ok(QueryPlan::default()
            .with_text(request.text.as_str())
            .with_entities(vec![device.with_span(0..4)]))
    });
    let answer = ask_on(&host, two_domains(), "CAV1 tripped", json!({}));
    assert!(boosts(&answer, "LOG-1").contains(&("entity_match".to_owned(), 0.35)));
    assert!(
        !boosts(&answer, "LOG-3")
            .iter()
            .any(|(name, _)| name == "entity_match")
    );
    let plan = answer.plan.unwrap();
    assert_eq!(plan["entities"][0]["key"], "device:cav1");
    assert_eq!(plan["entities"][0]["reason"], "a name by its form");
    assert_eq!(plan["intentReason"], "`tripped`");
    let log = &plan["domains"][0];
    assert_eq!(log["domain"], "log");
    assert_eq!(log["boosts"][0]["reason"], "log answers troubleshoot");
}
