//! The module against the contract of Qdrant: the same cases against a scripted
//! server, which checks each request by the published specification, and
//! against a real one that `GANNET_TEST_QDRANT` names.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod engine;
#[path = "../../../federation/tests/live/mod.rs"]
mod live;
mod specification;

use gannet_plugin::filter::{Condition, Filter, FilterField, NumberRange, TimeRange};
use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::search::ScoreKind;
use gannet_plugin::testing::{self, FakeHost, HashEmbedderForTests};
use gannet_qdrant::Qdrant;
use serde_json::{Value, json};

use engine::{Engine, error};

/// Where the scripted server is.
const SCRIPTED: &str = "http://engine";

/// A server with the points of [`points`] in a collection. Its host embeds by
/// the words of a text.
struct Site {
    host: FakeHost,
    base: String,
    collection: String,
}

fn points() -> Vec<Value> {
    let point = |id: Value, content: &str, author: &str, time: &str, severity: u32| {
        json!({
            "id": id,
            "vector": HashEmbedderForTests::embed(content),
            "payload": {
                "content": content, "author": author, "timestamp": time, "severity": severity,
                "tags": [author.to_lowercase(), "pump"],
            },
        })
    };
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    vec![
        point(
            1.into(),
            "exchange the filter of the pump",
            "Lee",
            "2024-01-05T08:30:00Z",
            1,
        ),
        point(
            2.into(),
            "the cavity tripped on reflected power",
            "Ito",
            "2024-02-05T08:30:00Z",
            3,
        ),
        point(
            uuid.into(),
            "the cavity tripped again at night",
            "Ann Lee",
            "2024-03-05T08:30:00Z",
            5,
        ),
    ]
}

const LAST: &str = "archive:550e8400-e29b-41d4-a716-446655440000";

/// Runs a case against the scripted server, and against the real one if there
/// is one.
fn on_each_server(case: impl Fn(&Site)) {
    let engine = Engine::new("contract");
    let scripted = Site::new(SCRIPTED, "contract", move |request| engine.answer(request));
    case(&scripted);
    let Some(base) = live::server("GANNET_TEST_QDRANT") else {
        return;
    };
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    let collection = format!("gannet-contract-{}-{thread}", std::process::id());
    let server = base.clone();
    let real = Site::new(&base, &collection, move |request| {
        live::send(&server, request)
    });
    case(&real);
    real.send("DELETE", "", &json!({}));
}

impl Site {
    fn new(
        base: &str,
        collection: &str,
        answer: impl Fn(&HttpRequest) -> HttpResponse + Send + Sync + 'static,
    ) -> Self {
        let site = Self {
            host: FakeHost::default().on_http(move |request| Ok(answer(request))),
            base: base.to_owned(),
            collection: collection.to_owned(),
        };
        let size = HashEmbedderForTests::embed("pump").len();
        site.send(
            "PUT",
            "",
            &json!({ "vectors": { "size": size, "distance": "Cosine" } }),
        );
        let by_time = json!({ "field_name": "timestamp", "field_schema": "datetime" });
        site.send("PUT", "/index", &by_time);
        site.send("PUT", "/points", &json!({ "points": points() }));
        site
    }

    /// Prepares the server, so that what is written is found at once.
    fn send(&self, method: &str, path: &str, body: &Value) {
        let url = format!("{}/collections/{}{path}", self.base, self.collection);
        let mut request = HttpRequest::post_json(url, body);
        request.method = method.to_owned();
        if !path.is_empty() {
            request = request.query("wait", true);
        }
        pollster::block_on(self.host.context().http(request)).unwrap();
    }

    fn search(&self, request: SearchRequest) -> Result<Vec<Hit>> {
        ask(&self.host, self.settings(), request)
    }

    fn settings(&self) -> Value {
        json!({
            "url": self.base, "collection": self.collection,
            "model": HashEmbedderForTests::NAME, "similarity_threshold": 0.1,
        })
    }

    /// The ids that a filter lets through, sorted.
    fn filtered(&self, field: &str, condition: Condition) -> Vec<String> {
        let filter = Filter::none().and(FilterField::from_name(field), condition);
        let found = self
            .search(SearchRequest::new("", 10).with_filter(filter))
            .unwrap();
        let mut ids: Vec<String> = found.into_iter().map(|hit| hit.entry_id).collect();
        ids.sort();
        ids
    }
}

fn settings_of(url: &str, collection: &str) -> Value {
    json!({ "url": url, "collection": collection, "model": HashEmbedderForTests::NAME })
}

fn ask(host: &FakeHost, settings: Value, request: SearchRequest) -> Result<Vec<Hit>> {
    let setup = Setup::default().with_instance("archive");
    let module = Qdrant::new(testing::settings(settings)?, &setup)?;
    pollster::block_on(module.search(request, &host.context()))
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entry_id.as_str()).collect()
}

fn equals(text: &str) -> Condition {
    Condition::Equals(text.to_owned())
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn the_nearest_points_come_first_with_their_similarity() {
    on_each_server(|site| {
        let question = "the cavity tripped on reflected power";
        let hits = site.search(SearchRequest::new(question, 10)).unwrap();
        assert_eq!(ids(&hits)[..2], ["archive:2", LAST]);
        assert!(
            hits[0].score > 0.99 && hits[0].score_kind == ScoreKind::Cosine,
            "{hits:?}"
        );
        let entry = hits[0].entry.as_ref().unwrap();
        assert_eq!(
            (entry.author.as_str(), entry.kind.as_str()),
            ("Ito", "document")
        );
        assert_eq!(entry.timestamp.to_string(), "2024-02-05T08:30:00Z");

        let strict = SearchRequest::new(question, 10).with_params(
            json!({ "similarity_threshold": 0.9 })
                .as_object()
                .unwrap()
                .clone(),
        );
        assert_eq!(ids(&site.search(strict).unwrap()), ["archive:2"]);
    });
}

#[test]
fn each_filter_means_what_it_means_here() {
    on_each_server(|site| {
        let filtered = |field: &str, condition| site.filtered(field, condition);
        assert_eq!(filtered("author", equals("Lee")), ["archive:1"]);
        let either = Condition::AnyOf(vec!["Ito".to_owned(), "Ann Lee".to_owned()]);
        assert_eq!(filtered("author", either), ["archive:2", LAST]);
        let part = Condition::Contains("Lee".to_owned());
        assert_eq!(filtered("author", part), ["archive:1", LAST]);
        assert_eq!(filtered("tag", equals("ito")), ["archive:2"]);
        assert_eq!(filtered("severity", equals("3")), ["archive:2"]);
        let high = NumberRange {
            above: Some(1.0),
            ..NumberRange::default()
        };
        assert_eq!(
            filtered("severity", Condition::Number(high)),
            ["archive:2", LAST]
        );
        let february = TimeRange {
            from: "2024-02-01T00:00:00Z".parse().ok(),
            until: "2024-03-05T08:30:00Z".parse().ok(),
        };
        assert_eq!(filtered("date", Condition::Time(february)), ["archive:2"]);
        let of_ids = ["archive:1", LAST, "archive:none", "E1"].map(str::to_owned);
        assert_eq!(
            filtered("id", Condition::AnyOf(of_ids.to_vec())),
            ["archive:1", LAST]
        );
        assert_eq!(filtered("kind", equals("document")).len(), 3);
    });
}

#[test]
fn a_filter_and_a_question_hold_together() {
    on_each_server(|site| {
        let request = SearchRequest::new("the cavity tripped meta.severity:5", 10);
        assert_eq!(ids(&site.search(request).unwrap()), [LAST]);
    });
}

#[test]
fn without_words_the_newest_are_listed() {
    on_each_server(|site| {
        let hits = site.search(SearchRequest::new(" ", 2)).unwrap();
        assert_eq!(ids(&hits), [LAST, "archive:2"]);
        assert!(hits.iter().all(|hit| hit.score_kind == ScoreKind::None));
    });
}

#[test]
fn a_collection_that_is_not_there_is_an_error_that_names_it() {
    on_each_server(|site| {
        let settings = settings_of(&site.base, "gannet-none");
        let failed = ask(&site.host, settings, SearchRequest::new("pump", 10)).unwrap_err();
        assert!(
            matches!(
                failed,
                Error::Provider {
                    retryable: false,
                    ..
                }
            ),
            "{failed:?}"
        );
        assert!(failed.to_string().contains("gannet-none"), "{failed}");
    });
}

#[test]
fn what_no_point_can_pass_is_not_asked() {
    let host = FakeHost::default();
    for (field, value) in [
        ("kind", "logbook"),
        ("id", "E1"),
        ("id", "archive:no number"),
    ] {
        let filter = Filter::none().and(FilterField::from_name(field), equals(value));
        let request = SearchRequest::new("pump", 10).with_filter(filter);
        let settings = settings_of(SCRIPTED, "contract");
        assert_eq!(ask(&host, settings, request), Ok(Vec::new()), "{value}");
    }
}

#[test]
fn a_question_of_another_model_is_refused_before_anything_is_asked() {
    let host = FakeHost::default();
    let settings = json!({ "url": SCRIPTED, "collection": "contract", "model": "e5-small" });
    let refused = ask(&host, settings, SearchRequest::new("pump", 10)).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { .. }));
    assert!(refused.to_string().contains("`e5-small`"), "{refused}");
}

#[test]
fn the_forms_of_its_errors_are_told() {
    let wrong = "Wrong input: Vector dimension error: expected dim: 4, got 384";
    for (response, expected, may_be_asked_again) in [
        (error(400, wrong), "expected dim: 4", false),
        (error(403, "Forbidden"), "Forbidden", false),
        (error(429, "Rate limiting exceeded"), "Rate limiting", true),
        (
            error(503, "Service internal error: shard is not active"),
            "shard is not active",
            true,
        ),
        (
            HttpResponse::new(200, "<html>proxy</html>"),
            "not the JSON",
            false,
        ),
        (
            HttpResponse::new(200, r#"{"status": "ok", "result": {}}"#),
            "not the JSON",
            false,
        ),
    ] {
        let host = FakeHost::default().on_http(move |_| Ok(response.clone()));
        let settings = settings_of(SCRIPTED, "contract");
        let failed = ask(&host, settings, SearchRequest::new("pump", 10)).unwrap_err();
        let told = failed.to_string();
        assert!(
            matches!(failed, Error::Provider { .. }) && told.contains(expected),
            "{told}"
        );
        assert_eq!(failed.is_retryable(), may_be_asked_again, "{told}");
    }
}
