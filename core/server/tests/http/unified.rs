//! Unified search over HTTP.

use gannet_server::auth::Scope;
use gannet_test_cases::cases;
use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::logins::key;
use crate::service::{Answer, Service, column};
use crate::streams::all;

const QUERY: &str = "/v1/search/query";
const SYNTHESIZE: &str = "/v1/search/synthesize";
const EVALUATE: &str = "/v1/search/suggestions/evaluate";
const METRICS: &str = "/v1/search/quality/metrics";

/// A logbook and two documents, one of which could be taken for an answer.
async fn service(settings: &[(&str, &str)]) -> Service {
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

async fn ask(service: &Service, body: Value) -> Value {
    service.post(QUERY, body).await.json(200)
}

fn stella(area: &str) -> Vec<Value> {
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

#[tokio::test(flavor = "multi_thread")]
async fn metrics_and_alerts_count_what_was_not_answered() {
    let service = service(&[]).await;
    for q in ["zeppelin", "airship", "balloon"] {
        ask(&service, json!({ "q": q, "sessionId": "s" })).await;
    }
    ask(&service, json!({ "q": "why did the cavity trip?" })).await;
    let events = json!({ "events": [
        { "type": "click", "entryId": "C", "q": "why did the cavity trip?" },
        { "type": "rescue_action", "sessionId": "s" },
    ] });
    let recorded = service.post("/v1/search/analytics", events).await.json(200);
    assert_eq!(recorded["recorded"], 2);
    let metrics = service.get(METRICS).await.json(200);
    assert_eq!(metrics["queryCount"], 4);
    assert_eq!(metrics["zeroResultCount"], 3);
    assert_eq!(metrics["fallbackAnswerRate"], 0.75);
    assert_eq!(metrics["insufficientRate"], 0.75);
    assert_eq!(metrics["reformulationCount"], 2);
    assert_eq!(metrics["rescueActionCount"], 1);
    assert_eq!(metrics["clickCount"], 1);
    for case in stella("quality.metrics") {
        for name in case["expected"].as_array().unwrap() {
            assert!(metrics.get(name.as_str().unwrap()).is_some(), "{name}");
        }
    }
    let alerts = service.get("/v1/search/quality/alerts").await.json(200);
    assert_eq!(column(&alerts["alerts"], "code"), ["fallback_loop"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn telemetry_changes_no_result_and_history_goes_on_without_it() {
    let off = [("pipelines.unified.settings.telemetry.enabled", "false")];
    let mut replies = Vec::new();
    for settings in [&[][..], &off[..]] {
        let service = service(settings).await;
        for _ in 0..2 {
            let body = json!({ "q": "why did the cavity trip?", "sessionId": "s" });
            let mut answer = ask(&service, body).await;
            answer["tookMs"] = 0.into();
            replies.push(answer.to_string());
        }
        let event = json!({ "events": [{ "type": "click", "entryId": "C" }] });
        service.post("/v1/search/analytics", event).await.json(200);
        let metrics = service.get(METRICS).await.json(200);
        let is_on = settings.is_empty();
        assert_eq!(metrics["telemetryEnabled"], is_on);
        assert_eq!(metrics["queryCount"], if is_on { 2 } else { 0 });
        let history = service.get("/v1/search/history").await.json(200);
        assert_eq!(
            column(&history["entries"], "q"),
            ["why did the cavity trip?"]
        );
    }
    // Entries are written by each service anew, at another time.
    let stable = |reply: &String| {
        let mut reply: Value = serde_json::from_str(reply).unwrap();
        for entry in reply["entries"].as_array_mut().unwrap() {
            entry["created_at"] = Value::Null;
            entry["updated_at"] = Value::Null;
        }
        reply.to_string()
    };
    let replies: Vec<String> = replies.iter().map(stable).collect();
    assert!(replies.iter().all(|reply| *reply == replies[0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn history_lists_questions_that_found_something_and_can_be_cleared() {
    let service = service(&[]).await;
    for q in ["cavity", "zeppelin", "flange", "cavity"] {
        ask(&service, json!({ "q": q })).await;
    }
    let history = service.get("/v1/search/history").await.json(200);
    assert_eq!(column(&history["entries"], "q"), ["cavity", "flange"]);
    let cleared = service
        .post("/v1/search/history/clear", json!({}))
        .await
        .json(200);
    assert_eq!(cleared["entries"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_and_users_see_their_own_and_scopes_are_kept() {
    let service = service(&[("server.auth.required", "true")]).await;
    let send = |key: String, method: Method, path: &'static str, body: Value| {
        let service = &service;
        async move {
            let request = service.request(method, path).bearer_auth(key);
            Answer::of(request.json(&body).send().await.unwrap()).await
        }
    };
    let reader = key(&service, "default", &[Scope::Search]);
    let other = key(&service, "elsewhere", &[Scope::Search]);
    let admin = key(&service, "elsewhere", &[Scope::Admin, Scope::Search]);
    let question = json!({ "q": "cavity", "sessionId": "s" });
    let found = send(reader.clone(), Method::POST, QUERY, question.clone())
        .await
        .json(200);
    assert!(!found["entries"].as_array().unwrap().is_empty());
    let nothing = send(other, Method::POST, QUERY, question).await.json(200);
    assert_eq!(
        nothing["contextAnswer"]["code"], "corpus_empty",
        "{nothing}"
    );
    let history = send(admin.clone(), Method::GET, "/v1/search/history", json!({})).await;
    assert_eq!(history.json(200)["entries"], json!([]));
    let metrics = send(admin.clone(), Method::GET, METRICS, json!({}))
        .await
        .json(200);
    assert_eq!(
        (&metrics["queryCount"], &metrics["zeroResultCount"]),
        (&json!(1), &json!(1))
    );
    for path in [METRICS, "/v1/search/index/rebuild"] {
        let refused = send(reader.clone(), Method::GET, path, json!({})).await;
        assert_eq!(refused.problem(403), "missing_scope", "{path}");
    }
    let nobody = service.post(QUERY, json!({ "q": "cavity" })).await;
    assert_eq!(nobody.problem(401), "login_required");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_indexes_are_rebuilt_in_the_background() {
    let service = service(&[]).await;
    let path = "/v1/search/index/rebuild";
    let before = service.get(path).await.json(200);
    assert_eq!(before["state"], "idle");
    assert_eq!(before["documentCount"], 5);
    let started = service.post(path, json!({})).await.json(200);
    assert_ne!(started["state"], "idle");
    let ended = loop {
        let now = service.get(path).await.json(200);
        if now["state"] != "running" {
            break now;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(ended["state"], "done", "{ended}");
    assert_eq!(ended["phase"], "vectors");
    assert_eq!(ended["progress"], 1.0);
    let found = ask(&service, json!({ "q": "cavity" })).await;
    assert!(!found["entries"].as_array().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_in_the_document_with_its_scope() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    for (method, path) in [
        ("post", QUERY),
        ("post", SYNTHESIZE),
        ("post", EVALUATE),
        ("post", "/v1/search/index/rebuild"),
        ("get", "/v1/search/index/rebuild"),
        ("get", METRICS),
        ("get", "/v1/search/quality/alerts"),
        ("get", "/v1/search/history"),
        ("post", "/v1/search/analytics"),
    ] {
        let operation = &document["paths"][path][method];
        assert_eq!(operation["tags"][0], "Unified search", "{path}");
        let problem = &operation["responses"]["429"]["content"];
        assert!(problem.get("application/problem+json").is_some(), "{path}");
    }
}

/// Names of the source system's routes and where they are here.
#[tokio::test(flavor = "multi_thread")]
async fn the_routes_of_the_source_system_have_a_place() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    for case in stella("endpoints") {
        for route in case["expected"].as_array().unwrap() {
            let route = route.as_str().unwrap();
            let (method, path) = route.split_once(' ').unwrap();
            let path = path.split(' ').next().unwrap();
            let path = path.replace("/v1/advisory-ai/search", "/v1/search");
            let method = method.to_lowercase();
            assert!(document["paths"][&path].get(&method).is_some(), "{route}");
        }
    }
}
