//! Cards, overflow, and the answer in its context.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    ask, ask_on, entry, extension, host, host_of, ids, listening, pipeline, request, setup, site,
    two_domains, with_model,
};
use gannet_plugin::filter::FilterField;
use gannet_plugin::pipeline::{AnswerStatus, Event};
use gannet_plugin::plan::{EntityKind, Intent, PlanEntity, PlanSource, QueryPlan};
use gannet_plugin::prelude::{Answer, Error, Pipeline};
use gannet_plugin::provider::ChatChunk;
use gannet_plugin::testing::FakeHost;
use serde_json::{Value, json};

/// A host that reads this intent in every question.
fn with_intent(host: FakeHost, intent: Intent) -> FakeHost {
    host.on_query_plan(move |request| {
        Ok(QueryPlan::of_terms(&request.text, Default::default()).with_intent(intent))
    })
}

fn strings<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let members = list.as_array().unwrap().iter();
    members.map(|one| one[key].as_str().unwrap()).collect()
}

#[test]
fn hits_of_a_device_share_a_card() {
    let configured = json!({ "aliases": { "CAV1": ["cavity one"] } });
    let answer = ask(configured, "trips of cavity one", json!({}));
    let cards = extension(&answer, "cards");
    assert_eq!(cards[0]["entityKey"], "device:cav1");
    assert_eq!(cards[0]["aliases"], json!(["cavity one"]));
    assert_eq!(cards[0]["hits"], 2);
    let mut facets = strings(&cards[0]["facets"], "entryId");
    facets.sort_unstable();
    assert_eq!(facets, ["LOG-1", "LOG-2"]);
    assert_eq!(cards[0]["actions"][0]["action"], "open");
    let hints = &cards[0]["synthesisHints"]["summary"];
    assert_eq!(hints, "2 entries from 2025-03-01 to 2025-03-02 in logbook");
    let plan = answer.plan.as_ref().unwrap();
    assert_eq!(plan["searchText"], "trips of cavity one CAV1");
    assert_eq!(
        plan["entities"][0]["reason"],
        "`cavity one` is another name of it"
    );
}

#[test]
fn what_is_about_nothing_else_is_a_card_of_its_own() {
    let answer = ask(json!({}), "exchange circulator procedure", json!({}));
    let cards = extension(&answer, "cards");
    let keys = strings(cards, "entityKey");
    assert!(keys.contains(&"document:doc-1"), "{keys:?}");
    let configured = json!({ "cards": { "most": 1, "facets": 1 } });
    let bounded = ask(configured, "trip", json!({}));
    let bounded = extension(&bounded, "cards").as_array().unwrap();
    assert_eq!(bounded.len(), 1);
    assert_eq!(bounded[0]["facets"].as_array().unwrap().len(), 1);
}

#[test]
fn overflow_is_what_fits_nearly_as_well_outside_of_the_scope() {
    let none = ask(two_domains(), "circulator", json!({}));
    assert_eq!(extension(&none, "overflow"), &Value::Null);
    let host = host().with_entries([
        entry(
            "DOC-3",
            "document",
            "2024-02-01",
            "Pump. Pump, pump, pump and pump.",
        ),
        entry("LOG-5", "logbook", "2025-05-01", "Pump stopped."),
        entry("LOG-6", "logbook", "2025-05-02", "Pump started."),
    ]);
    let answer = ask_on(&host, two_domains(), "pump", json!({ "scope": "log" }));
    let overflow = extension(&answer, "overflow");
    assert!(overflow["reason"].is_string(), "{overflow}");
    assert_eq!(ids(&answer).len(), 3);
}

#[test]
fn a_card_is_in_scope_where_any_of_its_hits_is() {
    let often = "CAV1 again\nCAV1 tripped: CAV1, CAV1, CAV1, CAV1, CAV1 and CAV1 again.";
    let about = "CAV1 handbook\nHow it is built.";
    let host = host().with_entries([
        entry("LOG-9", "logbook", "2025-05-01", often),
        entry("DOC-9", "document", "2025-05-01", about),
    ]);
    let mut configured = two_domains();
    configured["boosts"] = json!({ "ambient_route": 0.0 });
    configured["aliases"] = json!({ "CAV1": [] });
    let answer = ask_on(&host, configured, "CAV1", json!({ "scope": "manuals" }));
    let card = &extension(&answer, "cards")[0];
    assert_eq!(card["entityKey"], "device:cav1");
    assert_eq!(card["facets"][0]["domain"], "log");
    assert!(
        card["domains"]
            .as_array()
            .unwrap()
            .contains(&json!("manuals"))
    );
    assert_eq!(card["inScope"], true);
}

#[test]
fn the_answer_has_status_code_evidence_and_questions() {
    let host = with_intent(host(), Intent::Cause);
    let answer = ask_on(&host, json!({}), "what caused the trip of CAV1?", json!({}));
    let context = extension(&answer, "contextAnswer");
    assert_eq!(context["status"], "grounded", "{context}");
    assert_eq!(context["code"], "answered");
    assert_eq!(context["citations"][0], "LOG-1");
    assert_eq!(context["evidence"][0]["domain"], "logbook");
    let summary = context["summary"].as_str().unwrap();
    assert!(summary.contains("worn circulator"), "{summary}");
    assert_eq!(answer.answer.as_deref(), Some(summary));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    for part in [
        "status",
        "code",
        "summary",
        "reason",
        "evidence",
        "citations",
        "questions",
    ] {
        assert!(context.get(part).is_some(), "{part}");
    }
}

#[test]
fn a_comparison_speaks_of_each_close_thing() {
    let host = with_intent(host(), Intent::Compare);
    let configured = json!({ "aliases": { "CAV1": [], "CAV2": [] } });
    let answer = ask_on(
        &host,
        configured,
        "compare the trips of CAV1 and CAV2",
        json!({}),
    );
    let context = extension(&answer, "contextAnswer");
    assert_eq!(context["code"], "blended", "{context}");
    assert_eq!(context["status"], "grounded");
    let mut cited = context["citations"].as_array().unwrap().clone();
    cited.sort_by_key(ToString::to_string);
    assert_eq!(cited, [json!("LOG-1"), json!("LOG-3")]);
    assert!(context["summary"].as_str().unwrap().contains("CAV2: "));
}

#[test]
fn a_question_of_what_is_wrong_gets_the_leader_of_its_page() {
    let host = with_intent(host(), Intent::Cause);
    let question = "what caused the trip of CAV2?";
    let mut configured = two_domains();
    configured["aliases"] = json!({ "CAV2": [] });
    let answer = ask_on(&host, configured, question, json!({ "route": "/shift" }));
    let context = extension(&answer, "contextAnswer");
    assert_eq!(context["code"], "leader", "{context}");
    assert_eq!(context["citations"], json!(["LOG-3"]));
}

#[test]
fn close_things_are_asked_back() {
    let same = ["CAV3", "CAV4"].map(|name| {
        let text = format!("{name} was looked at\n{name} was looked at.");
        entry(&format!("LOG-{name}"), "logbook", "2025-06-01", &text)
    });
    let more = ["CAV3", "CAV4"].map(|name| {
        let text = format!("{name} again\n{name} was looked at again.");
        entry(&format!("LOG-{name}-2"), "logbook", "2025-06-02", &text)
    });
    let host = with_intent(host_of(same.into_iter().chain(more)), Intent::Cause);
    let host = host.on_read(|request| Ok(fixture::unsure(request)));
    let answer = ask_on(&host, json!({}), "why looked at", json!({}));
    let context = extension(&answer, "contextAnswer");
    assert_eq!(context["status"], "clarify", "{context}");
    assert_eq!(context["code"], "ambiguous");
    let questions = strings(&context["questions"], "text");
    assert_eq!(questions.len(), 2, "at most two questions back");
    assert!(questions[0].contains("CAV"), "{questions:?}");
}

fn with_chat(reply: Result<&'static str, ()>) -> (Answer, Vec<Event>) {
    let host = with_intent(host(), Intent::Cause).on_chat(move |_| match reply {
        Ok(text) => Ok(vec![
            Ok(ChatChunk::Token(text.to_owned())),
            Ok(ChatChunk::End("stop".to_owned())),
        ]),
        Err(()) => Err(Error::Unavailable {
            message: "no answer".to_owned(),
        }),
    });
    let (context, heard) = listening(&host);
    let unified = pipeline(json!({}), &with_model());
    let request = request(
        "what caused the trip of CAV1?",
        json!({ "answer": "model" }),
    );
    let answer = pollster::block_on(unified.run(request, &context)).unwrap();
    let heard = heard.lock().unwrap().clone();
    (answer, heard)
}

#[test]
fn the_deterministic_answer_comes_before_the_words_of_a_model() {
    let (answer, heard) = with_chat(Ok("A worn circulator caused it [#LOG-1]. It was late."));
    let place = |wanted: fn(&Event) -> bool| heard.iter().position(wanted).unwrap();
    let first = place(|event| matches!(event, Event::Answer { .. }));
    let token = place(|event| matches!(event, Event::Token { .. }));
    assert!(first < token);
    assert_eq!(heard.last(), Some(&Event::End));
    let synthesis = extension(&answer, "synthesis");
    assert_eq!(synthesis["by"], "model");
    assert_eq!(synthesis["groundingScore"], 0.5);
    assert_eq!(
        (&synthesis["sentences"], &synthesis["supported"]),
        (&json!(2), &json!(1))
    );
    assert!(!synthesis["actions"].as_array().unwrap().is_empty());
    assert_eq!(answer.citations, ["LOG-1"]);
    assert!(answer.answer.unwrap().starts_with("A worn circulator"));
}

#[test]
fn without_a_model_or_when_it_fails_the_deterministic_answer_stands() {
    let (answer, _) = with_chat(Err(()));
    assert!(answer.degraded);
    let synthesis = extension(&answer, "synthesis");
    assert_eq!(synthesis["by"], "entries");
    assert_eq!(synthesis["reason"], "the chat model failed");
    assert_eq!(synthesis["groundingScore"], 1.0);
    let alone = ask_on(
        &with_intent(host(), Intent::Cause),
        json!({}),
        "what caused the trip of CAV1?",
        json!({ "answer": "model" }),
    );
    assert!(!alone.degraded);
    assert_eq!(alone.answer, answer.answer);
    let reason = &extension(&alone, "synthesis")["reason"];
    assert_eq!(reason, "no chat model is configured");
}

#[test]
fn entities_of_the_session_are_searched_where_the_question_leans_on_them() {
    let params = json!({ "session_entities": "CAV2" });
    let leaning = ask(json!({}), "why did it trip", params.clone());
    assert_eq!(leaning.plan.unwrap()["searchText"], "why did it trip CAV2");
    let whole = ask(json!({}), "flange leak tightened sector", params);
    assert_eq!(
        whole.plan.unwrap()["searchText"],
        "flange leak tightened sector"
    );
}

/// A host that takes a word of the question for the value of a field.
fn with_value(word: &'static str, kind: EntityKind) -> FakeHost {
    host().on_query_plan(move |request| {
        let mut plan = QueryPlan::of_terms(&request.text, Default::default());
        if let Some(start) = request.text.find(word) {
            let value = PlanEntity::new(kind, word, PlanSource::Words)
                .with_field(FilterField::from_name("tag"))
                .with_span(start..start + word.len());
            plan.entities.push(value);
        }
        Ok(plan)
    })
}

fn search_text(host: &FakeHost, question: &str, params: Value) -> String {
    let plan = ask_on(host, json!({}), question, params).plan.unwrap();
    plan["searchText"].as_str().unwrap().to_owned()
}

#[test]
fn a_tag_in_a_question_that_points_back_leaves_it_leaning_on_the_session() {
    let params = json!({ "session_entities": "CAV2", "visible_entities": "CAV2" });
    let question = "why did it trip again";
    let by_tag = search_text(&with_value("trip", EntityKind::Tag), question, params);
    assert_eq!(by_tag, "why did it trip again CAV2");
    let of = |kind, question: &str| {
        let params = json!({ "session_entities": "CAV2" });
        search_text(&with_value("linac", kind), question, params)
    };
    let stands_alone = "did it trip in the linac";
    assert_eq!(of(EntityKind::Place, stands_alone), stands_alone);
    assert_eq!(of(EntityKind::Tag, "linac trips"), "linac trips");
}

#[test]
fn what_the_page_is_about_is_meant_where_nothing_was_named_before() {
    let text = |params: Value| search_text(&host(), "why did it trip again", params);
    let last = json!({ "visible_entities": "CAV1", "last_action_entity": "CAV2" });
    assert_eq!(text(last), "why did it trip again CAV2");
    let one = json!({ "visible_entities": "CAV1" });
    assert_eq!(text(one), "why did it trip again CAV1");
    let two = json!({ "visible_entities": "CAV1, CAV2" });
    assert_eq!(text(two), "why did it trip again");
}

#[test]
fn a_blank_question_is_answered_by_nothing_and_filters_list_the_newest() {
    let blank = ask(json!({}), " ", json!({}));
    assert_eq!(extension(&blank, "contextAnswer")["code"], "blank");
    let unified = pipeline(json!({}), &setup());
    let mut filtered = request("", json!({}));
    let kind = gannet_plugin::filter::Condition::Equals("logbook".to_owned());
    filtered.filter =
        gannet_plugin::filter::Filter::none().and(gannet_plugin::filter::FilterField::Kind, kind);
    let listed = pollster::block_on(unified.run(filtered, &host().context())).unwrap();
    assert_eq!(ids(&listed), ["LOG-4", "LOG-3", "LOG-2", "LOG-1"]);
    assert_eq!(site().len(), 6);
}
