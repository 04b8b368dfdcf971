#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::descriptor::schema_of;
use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::pipeline::Tool;
use gannet_plugin::prelude::{Error, Hit, SearchModule, SearchRequest, Setup};
use gannet_plugin::search::{Found, QuerySyntax, ScoreKind, TextSearch};
use gannet_plugin::setup::Registration;
use gannet_plugin::testing::FakeHost;
use serde_json::json;

use crate::{Keyword, Settings};

fn keyword(settings: serde_json::Value) -> Keyword {
    let settings = serde_json::from_value(settings).unwrap();
    Keyword::new(settings, &Setup::default()).unwrap()
}

fn search(
    module: &Keyword,
    request: SearchRequest,
) -> (FakeHost, gannet_plugin::prelude::Result<()>) {
    let found = Found::new(vec![Hit::new("E1", "logbook", 1.0, ScoreKind::Bm25)]);
    let hits_of_host = found.hits.clone();
    let host = FakeHost::default().on_text_search(move |_| Ok(found.clone()));
    let result = pollster::block_on(module.search(request, &host.context())).map(|hits| {
        assert_eq!(hits, hits_of_host, "the host's hits are the module's");
    });
    (host, result)
}

/// The one text search that the host was asked for.
fn asked(host: &FakeHost) -> TextSearch {
    let mut searches = host.calls().text_searches;
    assert_eq!(searches.len(), 1);
    searches.remove(0)
}

#[test]
fn the_request_reaches_the_text_index_as_it_is() {
    let mut request = SearchRequest::new("\"RF trip\" author:smith", 7);
    request.syntax = QuerySyntax::Plain;
    request.filter =
        Filter::none().and(FilterField::Author, Condition::Contains("Smith".to_owned()));

    let (host, result) = search(&keyword(json!({})), request.clone());

    result.unwrap();
    let asked = asked(&host);
    assert_eq!(asked.query, request.query);
    assert_eq!(asked.syntax, QuerySyntax::Plain);
    assert_eq!(asked.filter, request.filter);
    assert_eq!(asked.limit, 7);
    assert!(asked.highlights && asked.fuzzy);
}

#[test]
fn a_parameter_counts_before_the_configuration() {
    let module = keyword(json!({"fuzzy_fallback": false, "include_highlights": false}));
    let mut request = SearchRequest::new("beam", 10);
    request
        .params
        .insert("fuzzy_fallback".to_owned(), json!(true));

    let (host, result) = search(&module, request);

    result.unwrap();
    assert!(asked(&host).fuzzy);
    assert!(!asked(&host).highlights);
}

#[test]
fn a_parameter_of_another_type_is_refused_with_its_name() {
    let mut request = SearchRequest::new("beam", 10);
    request
        .params
        .insert("include_highlights".to_owned(), json!("yes"));

    let (_, result) = search(&keyword(json!({})), request);

    let Err(Error::InvalidInput { message }) = result else {
        panic!("expected invalid input, got {result:?}");
    };
    assert!(message.contains("include_highlights"), "{message}");
}

#[test]
fn agents_may_ask_for_one_to_fifty_entries_and_ten_by_default() {
    let schema = Tool::of(&Keyword::descriptor()).unwrap().arguments;

    let max_results = &schema["properties"]["max_results"];
    assert_eq!(max_results["minimum"], 1);
    assert_eq!(max_results["maximum"], 50);
    assert_eq!(max_results["default"], 10);
    assert_eq!(schema["required"], json!(["query"]));
    assert!(schema["properties"]["start_date"].is_object());
    assert!(schema["properties"]["end_date"].is_object());
}

#[test]
fn unknown_settings_are_refused() {
    let read = serde_json::from_value::<Settings>(json!({"fuzy_fallback": true}));

    assert!(read.unwrap_err().to_string().contains("fuzy_fallback"));
    assert_eq!(schema_of::<Settings>()["additionalProperties"], false);
}

#[test]
fn the_module_is_registered_under_its_name() {
    let names: Vec<String> = Registration::linked()
        .map(|registration| (registration.describe)().name)
        .collect();

    assert_eq!(names, ["keyword"]);
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
