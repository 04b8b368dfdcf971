//! The routes that the web interface uses beside those of ARIEL.

use std::time::{Duration, Instant};

use gannet_core::api::Entry;
use gannet_test_model_server::ModelServer;
use serde_json::{Value, json};

use crate::service::{Service, column};
use crate::unified;

#[tokio::test(flavor = "multi_thread")]
async fn the_site_has_its_span_of_time_and_fields_to_count() {
    let service = Service::start().await;
    let site = service.get("/api/site").await.json(200);
    assert_eq!(site["entries"], 3);
    assert_eq!(site["first"], "2024-01-03T08:00:00+00:00");
    assert_eq!(site["last"], "2024-01-07T08:00:00+00:00");
    assert_eq!(site["timezone"], "UTC");
    assert_eq!(site["facet_fields"], json!(["author"]));
    assert_eq!(
        (&site["can_write"], &site["can_ask"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(site["chat_modes"], json!([]));
    let settings = [("pipelines.rag.settings.answer", "entries")];
    let service = Service::with_model(&ModelServer::start([]), &settings).await;
    let site = service.get("/api/site").await.json(200);
    // `unified` answers from entries, as it does by default.
    assert_eq!(site["chat_modes"], json!(["agent"]));
}

async fn unified_site(service: &Service) -> Value {
    service.get("/api/site").await.json(200)["unified"].clone()
}

fn domain(name: &str, label: &str) -> Value {
    json!({ "name": name, "label": label })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_searches_every_domain_where_there_are_several() {
    let site = unified_site(&Service::start().await).await;
    assert_eq!(site["domains"], json!([domain("logbook", "logbook")]));
    assert_eq!(
        (&site["is_default"], &site["can_synthesize"]),
        (&json!(false), &json!(false))
    );
    let site = unified_site(&unified::service(&[]).await).await;
    let domains = [domain("document", "document"), domain("logbook", "logbook")];
    assert_eq!(site["domains"], json!(domains));
    assert_eq!(site["is_default"], true);
    let other_mode = [("default_search_mode", "keyword")];
    let site = unified_site(&unified::service(&other_mode).await).await;
    assert_eq!(site["is_default"], false);
    let disabled = [("pipelines.unified.enabled", "false")];
    let site = unified_site(&unified::service(&disabled).await).await;
    assert_eq!(site, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_knows_the_labels_of_domains_and_whether_a_model_can_answer() {
    let domains =
        "{ log: { label: The logbook, kinds: [logbook] }, papers: { kinds: [document] } }";
    let settings = [("pipelines.unified.settings.domains", domains)];
    let model = ModelServer::start([]);
    let service = Service::with_model(&model, &settings).await;
    let site = unified_site(&service).await;
    let domains = [domain("log", "The logbook"), domain("papers", "papers")];
    assert_eq!(site["domains"], json!(domains));
    assert_eq!(
        (&site["is_default"], &site["can_synthesize"]),
        (&json!(true), &json!(true))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn matching_entries_are_counted_by_day_without_gaps() {
    let service = Service::start().await;
    let counts = async |body: Value| {
        let line = service.post("/api/timeline", body).await.json(200);
        assert_eq!(line["unit"], "day");
        let spans = line["spans"].as_array().unwrap();
        let counts = spans.iter().map(|span| span["count"].as_u64().unwrap());
        counts.collect::<Vec<_>>()
    };
    assert_eq!(counts(json!({})).await, [1, 0, 1, 0, 1]);
    assert_eq!(counts(json!({ "query": "cavity" })).await, [1, 0, 0, 0, 1]);
    let since = json!({ "query": "cavity", "start_date": "2024-01-05" });
    assert_eq!(counts(since).await, [0, 0, 1]);
    let of_voss = json!({ "filters": { "author": "Voss" } });
    assert_eq!(counts(of_voss).await, [1]);
    let nobody = json!({ "filters": { "author": "nobody" } });
    assert_eq!(counts(nobody).await, [0; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_counted_by_its_words_where_that_is_asked_for() {
    let service = Service::start().await;
    let count = async |any: bool| {
        let body = json!({
            "query": "why did the cavity trip, a worn circulator?",
            "mode": "keyword", "facets": ["author"], "count_any_word": any,
        });
        let found = service.post("/api/search", body).await.json(200);
        found["matches"]["count"].as_u64().unwrap()
    };
    assert_eq!((count(false).await, count(true).await), (1, 2));
    let body =
        json!({ "query": "why did the cavity trip, a worn circulator?", "count_any_word": true });
    let line = service.post("/api/timeline", body).await.json(200);
    let spans = line["spans"].as_array().unwrap().iter();
    assert_eq!(
        spans
            .map(|span| span["count"].as_u64().unwrap())
            .sum::<u64>(),
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_of_too_many_spans_is_refused() {
    let service = Service::start().await;
    let old = json!({
        "subject": "Old", "details": "The first entry.", "timestamp": "1990-01-01T00:00:00Z",
    });
    service.post("/api/entries", old).await.json(200);
    let answer = service
        .post("/api/timeline", json!({ "unit": "day" }))
        .await;
    assert_eq!(answer.problem(400), "invalid_parameter");
    let line = service.post("/api/timeline", json!({})).await.json(200);
    assert_eq!(line["unit"], "year");
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_words_are_read_as_words_alone() {
    let service = Service::start().await;
    let plan = async |ignored: Value| {
        let body = json!({
            "query": "why did voss tighten it in January 2024?", "ignored_words": ignored,
        });
        let found = service.post("/api/search", body).await.json(200);
        found["plan"].clone()
    };
    let whole = plan(json!([])).await;
    assert_eq!(whole["times"].as_array().unwrap().len(), 1);
    assert_eq!(column(&whole["entities"], "value"), ["voss"]);
    assert_eq!(whole["intent"], "cause");
    let part = plan(json!(["january 2024", "why"])).await;
    assert_eq!(part["times"], json!([]));
    assert_eq!(column(&part["entities"], "value"), ["voss"]);
    assert_eq!(part["intent"], "find");
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_that_name_each_other_are_related() {
    let service = Service::start().await;
    let later = json!({
        "subject": "Circulator exchanged", "details": "Follows up on C-17: worn bearing.",
    });
    let first = json!({ "subject": "Note", "details": "Nothing is named here." });
    let first = service.post("/api/entries", first).await.json(200);
    let id = first["entry_id"].as_str().unwrap();
    let follow = json!({ "subject": "Follow-up", "details": format!("See {id}.") });
    let follow = service.post("/api/entries", follow).await.json(200);
    service.post("/api/entries", later).await.json(200);
    service.gannet().store().flush().await.unwrap();
    let follow = follow["entry_id"].as_str().unwrap();
    let path = |id: &str| format!("/api/entries/{id}/related");
    let of_follow = service.get(&path(follow)).await.json(200);
    assert_eq!(column(&of_follow["links"], "entry_id"), [id]);
    let of_first = service.get(&path(id)).await.json(200);
    assert_eq!(column(&of_first["linked_from"], "entry_id"), [follow]);
    assert_eq!(of_first["links"], json!([]));
    let similar = &of_first["similar"];
    assert!(
        similar
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["why"].is_array()),
        "{similar}"
    );
    assert_eq!(service.get(&path("none")).await.problem(404), "not_found");
    let path = |id: &str| format!("/api/entries/{id}/thread");
    let thread = service.get(&path(id)).await.json(200);
    assert_eq!(thread["entry_id"], id);
    let steps = thread["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["entry_id"] == follow);
    assert_eq!(step.unwrap()["kinds"][0], "refers_to", "{thread}");
    assert_eq!(service.get(&path("none")).await.problem(404), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_that_of_an_id_with_any_letters() {
    let service = Service::start().await;
    let mut entry = Entry::new("RF \"a\"/1 ü", "log", Default::default(), "Window dark");
    entry.author = "Lee".to_owned();
    service.gannet().store().upsert(vec![entry]).await.unwrap();
    let path = "/api/entries/RF%20%22a%22%2F1%20%C3%BC/thread";
    let thread = service.get(path).await.json(200);
    assert_eq!(thread["entry_id"], "RF \"a\"/1 ü");
    assert_eq!(thread["steps"][0]["kinds"], json!(["this_entry"]));
    assert_eq!(thread["groups"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_has_parts_runs_and_times_and_names_no_folder() {
    let service = Service::start().await;
    let body = json!({ "query": "cavity", "mode": "keyword" });
    service.post("/api/search", body).await.json(200);
    let answer = service.get("/api/status/details").await;
    let status = answer.json(200);
    assert_eq!(column(&status["store"], "part")[..2], ["records", "text"]);
    assert_eq!(status["store"][0]["count"], 3);
    assert_eq!(status["ingestion"][0]["status"], "success");
    assert_eq!(status["latency"]["searches"], 1);
    assert!(status["latency"]["p95_ms"].as_f64().unwrap() > 0.0);
    // Without `retention` in the configuration nothing of it is planned.
    assert_eq!(column(&status["background"], "task"), ["enhancement"]);
    assert_eq!(status["background"][0]["next_at"], json!(null));
    let folder = service.gannet().store_path().display().to_string();
    assert!(!answer.text.contains(&folder), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_when_the_retention_is_applied_next() {
    let service = Service::with(&[("retention.query_log_days", "30")]).await;
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        let status = service.get("/api/status/details").await.json(200);
        let retention = &status["background"][1];
        assert_eq!(retention["task"], "retention");
        if retention["next_at"].is_string() {
            assert_eq!(retention["failed"], false);
            assert!(retention["last_finished_at"].as_str() < retention["next_at"].as_str());
            return;
        }
        assert!(Instant::now() < patience, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn plugins_are_listed_with_their_parameters() {
    let service = Service::start().await;
    let plugins = service.get("/api/plugins").await.json(200);
    let names = column(&plugins, "name");
    assert!(names.contains(&"keyword".to_owned()), "{names:?}");
    let rag = plugins.as_array().unwrap().iter();
    let rag = rag.clone().find(|plugin| plugin["name"] == "rag").unwrap();
    assert_eq!(
        (&rag["kind"], &rag["quarantined"]),
        (&json!("pipeline"), &json!(false))
    );
    let parameters = column(&rag["parameters"], "name");
    assert!(parameters.contains(&"method".to_owned()), "{parameters:?}");
}
