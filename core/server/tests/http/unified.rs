//! Unified search over HTTP.

use gannet_server::auth::Scope;
use gannet_test_cases::cases;
use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::logins::key;
use crate::service::{Service, column};
use crate::streams::all;

pub const QUERY: &str = "/v1/search/query";
pub const SYNTHESIZE: &str = "/v1/search/synthesize";
pub const EVALUATE: &str = "/v1/search/suggestions/evaluate";
pub const METRICS: &str = "/v1/search/quality/metrics";

/// A logbook and two documents, one of which could be taken for an answer.
pub async fn service(settings: &[(&str, &str)]) -> Service {
    let service = Service::with(settings).await;
    add_documents(&service).await;
    service
}

async fn add_documents(service: &Service) {
    let document = |id: &str, text: &str| {
        json!({
            "id": id,
            "timestamp": "2023-05-01T08:00:00Z",
            "kind": "document",
            "source_system": "manuals",
            "text": text,
        })
    };
    let documents = [
        document(
            "D1",
            "Procedure: how to exchange the circulator of a cavity. Drain the water.",
        ),
        document("D2", "Flange handbook. Tighten the bolts crosswise."),
    ];
    service.host.ingest_lines(&documents).await;
    service.host.enhance().await;
}

pub async fn ask(service: &Service, body: Value) -> Value {
    service.post(QUERY, body).await.json(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_a_question_can_be_taken_for_words_only() {
    let service = service(&[]).await;
    let reason = async |ignored: Value| {
        let body = json!({ "q": "why did the cavity trip?", "ignoredWords": ignored });
        ask(&service, body).await["plan"]["intentReason"].clone()
    };
    assert_eq!(reason(json!([])).await, "`why`");
    assert_ne!(reason(json!(["why"])).await, "`why`");
}

pub fn stella(area: &str) -> Vec<Value> {
    let all = cases("seeds.jsonl", area).into_iter();
    all.filter(|case| case["system"] == "stella").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_gives_plan_cards_coverage_and_the_answer() {
    let service = service(&[]).await;
    let body = json!({
        "q": "why did the cavity trip?",
        "filters": {},
        "ambient": {
            "route": "/shift",
            "visibleEntities": ["SR07"],
            "lastAction": {
                "action": "open", "source": "list", "queryHint": "trip", "domain": "logbook",
                "entityKey": "device:cav1", "route": "/shift", "occurredAt": "2025-01-01T00:00:00Z",
            },
        },
        "sessionId": "s1",
    });
    let answer = ask(&service, body).await;
    assert_eq!(answer["plan"]["intent"], "troubleshoot");
    let keys = column(&answer["plan"]["entities"], "key");
    assert!(keys.contains(&"device:cav1".to_owned()), "{keys:?}");
    assert_eq!(answer["contextAnswer"]["status"], "grounded", "{answer}");
    assert!(
        answer["contextAnswer"]["summary"]
            .as_str()
            .unwrap()
            .contains("circulator")
    );
    let entries = column(&answer["entries"], "entry_id");
    assert_eq!(column(&answer["hits"], "entryId"), entries);
    assert!(!answer["hits"][0]["why"].as_str().unwrap().is_empty());
    assert!(!answer["cards"].as_array().unwrap().is_empty());
    let domains = column(&answer["coverage"]["domains"], "domain");
    assert!(domains.contains(&"logbook".to_owned()), "{domains:?}");
    assert_eq!(answer["session"]["expiresInSeconds"], 1200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scope_is_a_bias_and_overflow_tells_of_the_rest() {
    let service = service(&[]).await;
    let of = |scope: Value| json!({ "q": "circulator of a cavity", "scope": scope });
    let free = ask(&service, of(json!([]))).await;
    let scoped = ask(&service, of(json!(["document"]))).await;
    assert!(free.get("overflow").is_none());
    assert!(scoped["overflow"]["reason"].is_string());
    assert_eq!(scoped["hits"][0]["domain"], "document");
    let sorted = |answer: &Value| {
        let mut ids = column(&answer["entries"], "entry_id");
        ids.sort_unstable();
        ids
    };
    assert_eq!(sorted(&free), sorted(&scoped));
    for domain in scoped["coverage"]["domains"].as_array().unwrap() {
        assert_eq!(domain["inScope"], domain["domain"] == "document");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_are_problems() {
    let service = service(&[]).await;
    for (body, status, code) in [
        (json!({ "q": " " }), 422, "invalid_request"),
        (json!({ "q": "x", "limit": 0 }), 422, "invalid_request"),
        (json!({ "q": "x", "mode": "rag" }), 422, "invalid_request"),
        (
            json!({ "q": "x", "filters": { "start_date": "soon" } }),
            400,
            "invalid_parameter",
        ),
    ] {
        let answer = service.post(QUERY, body.clone()).await;
        assert_eq!(answer.problem(status), code, "{body}");
    }
    let off = service_without_the_pipeline().await;
    let answer = off.post(QUERY, json!({ "q": "x" })).await;
    assert_eq!(answer.problem(400), "unknown_mode");
}

async fn service_without_the_pipeline() -> Service {
    Service::with(&[("pipelines.unified.enabled", "false")]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_carries_what_was_asked_about_until_it_is_reset() {
    let service = Service::start().await;
    let text = "RF-2 tripped. RF-2 was reset.";
    let record = json!({ "id": "R", "timestamp": "2024-02-01T08:00:00Z", "text": text });
    service.host.ingest_lines(&[record]).await;
    let of = |q: &str, session: &str| json!({ "q": q, "sessionId": session });
    let first = ask(&service, of("when did RF-2 trip?", "a")).await;
    assert_eq!(first["session"]["entities"], json!(["RF-2"]));
    let next = ask(&service, of("why was it reset?", "a")).await;
    assert_eq!(next["plan"]["searchText"], "why was it reset? RF-2");
    assert_eq!(next["plan"]["entities"][0]["origin"], "session");
    let other = ask(&service, of("why was it reset?", "b")).await;
    assert_eq!(other["plan"]["searchText"], "why was it reset?");
    let body = json!({ "q": "why was it reset?", "sessionId": "a", "resetSession": true });
    let reset = ask(&service, body).await;
    assert_eq!(reset["plan"]["searchText"], "why was it reset?");
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_have_one_of_five_states_and_leave_no_trace() {
    let service = service(&[]).await;
    let evaluate = |queries: Value, scope: Value| {
        let body = json!({ "queries": queries, "scope": scope });
        let service = &service;
        async move { service.post(EVALUATE, body).await }
    };
    let answer = evaluate(json!(["why did the cavity trip?", "zeppelin"]), json!([])).await;
    let suggestions = answer.json(200)["suggestions"].clone();
    assert_eq!(
        suggestions[0]["viabilityState"], "grounded",
        "{suggestions}"
    );
    assert_eq!(suggestions[0]["viable"], true);
    assert_eq!(
        suggestions[1]["viabilityState"], "no_match",
        "{suggestions}"
    );
    assert_eq!(suggestions[1]["viable"], false);
    let unready = evaluate(json!(["why did the cavity trip?"]), json!(["photos"])).await;
    let unready = unready.json(200)["suggestions"][0].clone();
    assert_eq!(unready["viabilityState"], "scope_unready", "{unready}");
    assert_eq!(unready["scopeReady"], false);
    for (queries, code) in [
        (json!([]), "invalid_parameter"),
        (json!(vec!["x"; 11]), "invalid_parameter"),
    ] {
        assert_eq!(evaluate(queries, json!([])).await.problem(400), code);
    }
    let counted = service.get(METRICS).await.json(200);
    assert_eq!(counted["queryCount"], 0);
    let history = service.get("/v1/search/history").await.json(200);
    assert_eq!(history["entries"], json!([]));

    let states: Vec<Value> = stella("suggestion.viability_state");
    let viable = stella("suggestion.viable").into_iter().all(|case| {
        let state = case["input"]["viabilityState"].as_str().unwrap();
        case["expected"]["viable"] == (state == "grounded")
    });
    assert!(viable);
    for case in states {
        let known = case["expected"].as_array().unwrap();
        for state in ["grounded", "no_match", "scope_unready", "corpus_unready"] {
            assert!(known.contains(&json!(state)), "{state}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_of_an_empty_store_are_not_viable() {
    let host = gannet_tests::Host::with(&[("server.port", "0")]).await;
    let service = Service::over(host).await;
    let body = json!({ "queries": ["database connectivity"] });
    let answer = service.post(EVALUATE, body).await.json(200);
    assert_eq!(
        answer["suggestions"][0]["viabilityState"], "corpus_unready",
        "{answer}"
    );
    assert_eq!(answer["suggestions"][0]["cards"], 0);
}

async fn synthesis(service: &Service, body: Value) -> (Vec<String>, Value) {
    let request = service.request(Method::POST, SYNTHESIZE).json(&body);
    let events = all(request.send().await.unwrap()).await;
    let names = events.iter().map(|event| event.1.clone()).collect();
    (names, events.last().unwrap().2.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deterministic_answer_is_streamed_before_the_words_of_a_model() {
    let model = ModelServer::start([Reply::text("A worn circulator [#C]. It rained.")]);
    let service = Service::with_model(&model, &[]).await;
    add_documents(&service).await;
    let body = json!({ "q": "why did the cavity trip?" });
    let (names, last) = synthesis(&service, body).await;
    let place = |name: &str| names.iter().position(|own| own == name).unwrap();
    assert_eq!(place("deterministic"), 0, "{names:?}");
    assert!(place("token") > 0);
    assert_eq!(names.last().unwrap(), "done");
    let synthesis = &last["synthesis"];
    assert_eq!(synthesis["by"], "model");
    assert_eq!(synthesis["groundingScore"], 0.5);
    assert_eq!(synthesis["answersLeftToday"], 49);
    assert_eq!(synthesis["text"], "A worn circulator [#C]. It rained.");
    assert_eq!(synthesis["citations"], json!(["C"]));
    assert!(!synthesis["actions"].as_array().unwrap().is_empty());
    assert_eq!(last["result"]["contextAnswer"]["status"], "grounded");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_over_quota_or_without_the_scope_there_is_no_error() {
    let body = || json!({ "q": "why did the cavity trip?" });
    let without = Service::start().await;
    let (names, last) = synthesis(&without, body()).await;
    assert_eq!(names.first().unwrap(), "deterministic");
    assert_eq!(last["synthesis"]["by"], "entries");
    assert_eq!(last["synthesis"]["reason"], "no chat model is configured");
    assert_eq!(last["synthesis"]["groundingScore"], 1.0, "{last}");

    let model = ModelServer::start([Reply::text("A worn circulator [#C].")]);
    let settings = [
        ("pipelines.unified.settings.synthesis.answers_per_day", "1"),
        ("server.auth.required", "true"),
    ];
    let service = Service::with_model(&model, &settings).await;
    let ask_as = |key: String| {
        let service = &service;
        async move {
            let request = service.request(Method::POST, SYNTHESIZE).bearer_auth(key);
            let events = all(request.json(&body()).send().await.unwrap()).await;
            events.last().unwrap().2["synthesis"].clone()
        }
    };
    let asker = key(&service, "default", &[Scope::Search, Scope::Ask]);
    let reader = key(&service, "default", &[Scope::Search]);
    let refused = ask_as(reader).await;
    assert_eq!(refused["reason"], "the caller lacks the scope `ask`");
    assert_eq!(ask_as(asker.clone()).await["by"], "model");
    let over = ask_as(asker).await;
    assert_eq!(over["by"], "entries");
    assert_eq!(
        over["reason"],
        "the tenant has no answers of a model left today"
    );
}
