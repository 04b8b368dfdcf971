//! The module against the contract of its engines: the same cases against a
//! scripted server, which checks each request by the published specification,
//! and against a real one that `GANNET_TEST_OPENSEARCH` names.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod engine;
mod failures;
#[path = "../../../federation/tests/live/mod.rs"]
mod live;
mod specification;

use gannet_opensearch::OpenSearch;
use gannet_plugin::filter::{Condition, Filter, FilterField, NumberRange, TimeRange};
use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::search::{QuerySyntax, ScoreKind};
use gannet_plugin::testing::{self, FakeHost};
use serde_json::{Value, json};

use engine::Engine;

/// Where the scripted server is.
const SCRIPTED: &str = "http://engine";

/// A server with the documents of [`documents`] in an index.
struct Site {
    host: FakeHost,
    base: String,
    index: String,
}

fn documents() -> [(&'static str, Value); 4] {
    let document = |content: &str, author: &str, time: &str, severity: u32, tags: Value| {
        json!({
            "content": content, "author": author, "timestamp": time, "severity": severity,
            "tags": tags,
        })
    };
    [
        (
            "d1",
            document(
                "Exchange the filter of the pump.",
                "Lee",
                "2024-01-05T08:30:00Z",
                1,
                json!(["vacuum", "pump"]),
            ),
        ),
        (
            "d2",
            document(
                "The pump tripped and was reset.",
                "Ito",
                "2024-02-05T08:30:00Z",
                3,
                json!(["pump"]),
            ),
        ),
        (
            "d3",
            document(
                "Filter pump room closed.",
                "Lee",
                "2024-03-05T08:30:00Z",
                5,
                json!([]),
            ),
        ),
        (
            "d4",
            document(
                "Badge office hours.",
                "Ann Lee",
                "2024-04-05T08:30:00Z",
                2,
                json!("office*"),
            ),
        ),
    ]
}

/// Runs a case against the scripted server, and against the real one if there
/// is one.
fn on_each_server(case: impl Fn(&Site)) {
    let engine = Engine::new("contract");
    let scripted = Site::new(SCRIPTED, "contract", move |request| engine.answer(request));
    case(&scripted);
    let Some(base) = live::server("GANNET_TEST_OPENSEARCH") else {
        return;
    };
    let index = format!(
        "gannet-contract-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    );
    let index: String = index.to_lowercase().replace(['(', ')'], "");
    let server = base.clone();
    let real = Site::new(&base, &index, move |request| live::send(&server, request));
    case(&real);
    real.send("DELETE", &format!("/{index}"), &Value::Null);
}

impl Site {
    fn new(
        base: &str,
        index: &str,
        answer: impl Fn(&HttpRequest) -> HttpResponse + Send + Sync + 'static,
    ) -> Self {
        let site = Self {
            host: FakeHost::default().on_http(move |request| Ok(answer(request))),
            base: base.to_owned(),
            index: index.to_owned(),
        };
        let keyword = json!({ "type": "keyword" });
        let mappings = json!({ "mappings": { "properties": {
            "content": { "type": "text" }, "author": keyword, "tags": keyword,
            "timestamp": { "type": "date" }, "severity": { "type": "integer" },
        }}});
        site.send("PUT", &format!("/{index}"), &mappings);
        for (id, document) in documents() {
            site.send("PUT", &format!("/{index}/_doc/{id}"), &document);
        }
        site
    }

    /// Prepares the server, so that what is written is found at once.
    fn send(&self, method: &str, path: &str, body: &Value) {
        let mut request = HttpRequest::post_json(format!("{}{path}", self.base), body);
        request.method = method.to_owned();
        if path.contains("_doc") {
            request = request.query("refresh", true);
        }
        pollster::block_on(self.host.context().http(request)).unwrap();
    }

    fn search(&self, request: SearchRequest) -> Result<Vec<Hit>> {
        let settings = json!({ "url": self.base, "index": self.index });
        ask(&self.host, settings, request)
    }

    fn ids(&self, request: SearchRequest) -> Vec<String> {
        let hits = self.search(request).unwrap();
        hits.into_iter().map(|hit| hit.entry_id).collect()
    }

    /// The ids that a filter lets through, sorted.
    fn filtered(&self, field: &str, condition: Condition) -> Vec<String> {
        let filter = Filter::none().and(FilterField::from_name(field), condition);
        let mut ids = self.ids(SearchRequest::new("", 10).with_filter(filter));
        ids.sort();
        ids
    }
}

fn ask(host: &FakeHost, settings: Value, request: SearchRequest) -> Result<Vec<Hit>> {
    let setup = Setup::default().with_instance("archive");
    let module = OpenSearch::new(testing::settings(settings)?, &setup)?;
    pollster::block_on(module.search(request, &host.context()))
}

fn equals(text: &str) -> Condition {
    Condition::Equals(text.to_owned())
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn any_word_counts_and_the_score_is_a_tenth() {
    on_each_server(|site| {
        let request = SearchRequest::new("filter of the pump", 10).with_syntax(QuerySyntax::Plain);
        let hits = site.search(request).unwrap();
        let mut ids: Vec<&str> = hits.iter().map(|hit| hit.entry_id.as_str()).collect();
        assert_eq!(ids.pop(), Some("archive:d2"));
        ids.sort_unstable();
        assert_eq!(ids, ["archive:d1", "archive:d3"]);
        assert!(
            hits.iter()
                .all(|hit| hit.score_kind == ScoreKind::Other && hit.score > 0.0)
        );
        let entry = hits[0].entry.as_ref().unwrap();
        assert_eq!(
            (entry.kind.as_str(), entry.source_system.as_str()),
            ("document", "archive")
        );
        assert!(entry.metadata.contains_key("severity"));
    });
}

#[test]
fn operators_of_the_query_language_are_kept() {
    on_each_server(|site| {
        let found = |query: &str| {
            let mut ids = site.ids(SearchRequest::new(query, 10));
            ids.sort();
            ids
        };
        assert_eq!(found("\"pump tripped\""), ["archive:d2"]);
        assert_eq!(found("pump AND filter"), ["archive:d1", "archive:d3"]);
        assert_eq!(found("badge OR tripped"), ["archive:d2", "archive:d4"]);
        assert_eq!(found("pump NOT filter"), ["archive:d2"]);
        assert_eq!(found("trip*"), ["archive:d2"]);
        assert_eq!(found("pump author:ito"), ["archive:d2"]);
        assert_eq!(
            found("author:lee date:2024-03-01..2024-12-31"),
            ["archive:d3", "archive:d4"]
        );
    });
}

#[test]
fn each_filter_means_what_it_means_here() {
    on_each_server(|site| {
        let filtered = |field: &str, condition| site.filtered(field, condition);
        assert_eq!(
            filtered("author", equals("lee")),
            ["archive:d1", "archive:d3"]
        );
        let lee = Condition::Contains("lee".to_owned());
        assert_eq!(
            filtered("author", lee),
            ["archive:d1", "archive:d3", "archive:d4"]
        );
        let either = Condition::AnyOf(vec!["ITO".to_owned(), "ann lee".to_owned()]);
        assert_eq!(filtered("author", either), ["archive:d2", "archive:d4"]);
        assert_eq!(filtered("tag", equals("vacuum")), ["archive:d1"]);
        assert_eq!(
            filtered("tag", Condition::Contains("office*".to_owned())),
            ["archive:d4"]
        );
        assert_eq!(filtered("severity", equals("3")), ["archive:d2"]);
        let high = NumberRange {
            at_least: Some(3.0),
            ..NumberRange::default()
        };
        assert_eq!(
            filtered("severity", Condition::Number(high)),
            ["archive:d2", "archive:d3"]
        );
        let spring = TimeRange {
            from: "2024-03-01T00:00:00Z".parse().ok(),
            until: "2024-04-05T08:30:00Z".parse().ok(),
        };
        assert_eq!(filtered("date", Condition::Time(spring)), ["archive:d3"]);
        let ids = Condition::AnyOf(vec!["archive:d4".to_owned(), "E1".to_owned()]);
        assert_eq!(filtered("id", ids), ["archive:d4"]);
        assert_eq!(filtered("kind", equals("document")).len(), 4);
    });
}

#[test]
fn without_words_the_newest_are_listed() {
    on_each_server(|site| {
        let filter = Filter::none().and(FilterField::Kind, equals("document"));
        let hits = site
            .search(SearchRequest::new(" ", 3).with_filter(filter))
            .unwrap();
        let ids: Vec<&str> = hits.iter().map(|hit| hit.entry_id.as_str()).collect();
        assert_eq!(ids, ["archive:d4", "archive:d3", "archive:d2"]);
        assert!(hits.iter().all(|hit| hit.score_kind == ScoreKind::None));
    });
}

#[test]
fn what_another_kind_is_asked_for_is_not_asked() {
    let host = FakeHost::default();
    let filter = Filter::none().and(FilterField::Kind, equals("logbook"));
    let request = SearchRequest::new("pump", 10).with_filter(filter);
    let settings = json!({ "url": SCRIPTED, "index": "contract" });
    assert_eq!(ask(&host, settings, request), Ok(Vec::new()));
}

#[test]
fn an_index_that_is_not_there_is_an_error_that_names_it() {
    on_each_server(|site| {
        let settings = json!({ "url": site.base, "index": "gannet-none" });
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
fn a_regular_expression_is_refused_before_anything_is_asked() {
    let host = FakeHost::default();
    let settings = json!({ "url": SCRIPTED, "index": "contract" });
    let refused = ask(&host, settings, SearchRequest::new("/trip(ped)?/", 10));
    assert!(
        matches!(refused, Err(Error::InvalidInput { .. })),
        "{refused:?}"
    );
}
