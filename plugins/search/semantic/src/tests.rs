#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::enhance::{PassageEmbedding, PassageEmbeddings};
use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::prelude::{Entry, Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::provider::{EmbedPurpose, EmbeddingModel, Embeddings};
use gannet_plugin::search::{Passage, QuerySyntax};
use gannet_plugin::testing::{self, FakeHost};
use jiff::Timestamp;
use serde_json::json;

use crate::{Semantic, Settings};

fn semantic(settings: serde_json::Value) -> Semantic {
    let setup = Setup::default()
        .with_instance("semantic")
        .with_provider("builtin".to_owned());
    Semantic::new(serde_json::from_value(settings).unwrap(), &setup).unwrap()
}

fn host() -> FakeHost {
    host_that_embeds(vec![vec![0.6, 0.8]])
}

/// A host whose embedder gives these vectors, whatever the texts are.
fn host_that_embeds(vectors: Vec<Vec<f32>>) -> FakeHost {
    let embeddings = Embeddings::new(
        vectors,
        EmbeddingModel::new("tiny", 2, 16).with_variant("f32"),
    );
    FakeHost::default().on_embed(move |_| Ok(embeddings.clone()))
}

fn search(host: &FakeHost, module: &Semantic, request: SearchRequest) -> Result<Vec<Hit>> {
    pollster::block_on(module.search(request, &host.context()))
}

fn threshold_asked(settings: serde_json::Value, parameter: Option<f64>) -> f32 {
    let host = host();
    let mut request = SearchRequest::new("beam lost", 10);
    if let Some(value) = parameter {
        let name = "similarity_threshold".to_owned();
        request.params.insert(name, json!(value));
    }
    search(&host, &semantic(settings), request).unwrap();
    host.calls().vector_searches[0].min_similarity.unwrap()
}

#[test]
fn the_threshold_is_the_parameter_then_the_setting_then_one_half() {
    assert_eq!(threshold_asked(json!({}), None), 0.5);
    assert_eq!(
        threshold_asked(json!({"similarity_threshold": 0.85}), None),
        0.85
    );
    assert_eq!(
        threshold_asked(json!({"similarity_threshold": 0.8}), Some(0.3)),
        0.3
    );
    assert_eq!(threshold_asked(json!({}), Some(0.0)), 0.0);
}

#[test]
fn a_threshold_outside_of_zero_to_one_is_refused() {
    let mut request = SearchRequest::new("beam", 10);
    let name = "similarity_threshold".to_owned();
    request.params.insert(name, json!(1.1));

    let from_call = search(&host(), &semantic(json!({})), request);
    let from_configuration = testing::settings::<Settings>(json!({"similarity_threshold": -0.1}));

    assert!(matches!(from_call, Err(Error::InvalidInput { .. })));
    assert!(matches!(from_configuration, Err(Error::Setting { .. })));
}

#[test]
fn the_question_is_embedded_by_the_configured_provider_and_searched_with_its_filter() {
    let host = host();
    let mut request = SearchRequest::new("why was the beam lost", 3);
    request.filter = Filter::none().and(
        FilterField::SourceSystem,
        Condition::Equals("als".to_owned()),
    );

    search(&host, &semantic(json!({})), request.clone()).unwrap();

    let embedded = host.calls().embeds;
    assert_eq!(embedded[0].texts, [request.query]);
    assert_eq!(embedded[0].purpose, EmbedPurpose::Query);
    assert_eq!(embedded[0].provider.as_deref(), Some("builtin"));
    let searches = host.calls().vector_searches;
    assert_eq!(searches[0].vector, [0.6, 0.8]);
    assert_eq!(searches[0].model.as_deref(), Some("tiny"));
    assert_eq!(searches[0].filter, request.filter);
    assert_eq!(searches[0].limit, 3);
}

#[test]
fn a_hit_shows_the_passage_that_scored_best() {
    let text = "Vacuum leak. Shift change. RF cavity tripped";
    let passage = |start, end, vector: [f32; 2]| PassageEmbedding::new(start..end, vector.to_vec());
    let embeddings = PassageEmbeddings::new(
        "tiny",
        vec![
            passage(0, 12, [0.0, 1.0]),
            passage(13, 26, [0.8, 0.6]),
            passage(27, 44, [1.0, 0.0]),
        ],
    );
    let host = host_that_embeds(vec![vec![1.0, 0.0]])
        .with_entries([Entry::new("E1", "test", Timestamp::UNIX_EPOCH, text)])
        .with_vectors("E1", embeddings);

    let request = SearchRequest::new("beam lost", 10);
    let hits = search(&host, &semantic(json!({})), request).unwrap();

    let best = Passage::new(2, 27..44, "RF cavity tripped");
    assert_eq!(hits[0].passage, Some(best));
    assert_eq!(hits[0].highlights[0].text, "RF cavity tripped");
    assert!(hits[0].highlights[0].ranges.is_empty());
}

#[test]
fn a_blank_question_lists_what_the_filter_lets_through_without_an_embedding() {
    let host = host();
    let mut request = SearchRequest::new(" \n ", 5);
    request.filter =
        Filter::none().and(FilterField::Author, Condition::Contains("smith".to_owned()));

    search(&host, &semantic(json!({})), request.clone()).unwrap();

    assert!(host.calls().embeds.is_empty());
    let listings = host.calls().text_searches;
    assert_eq!(listings[0].query, "");
    assert_eq!(listings[0].filter, request.filter);
    assert_eq!(listings[0].limit, 5);
}

#[test]
fn a_provider_that_gives_no_vector_is_an_error_and_not_an_empty_result() {
    for vectors in [vec![], vec![vec![]], vec![vec![1.0], vec![1.0]]] {
        let host = host_that_embeds(vectors);
        let request = SearchRequest::new("beam", 10);

        let result = search(&host, &semantic(json!({})), request);

        assert!(matches!(result, Err(Error::Provider { .. })), "{result:?}");
    }
}

#[test]
fn field_filters_in_the_question_join_the_filter_and_are_not_embedded() {
    let host = host();
    let mut request = SearchRequest::new("why was the beam lost author:smith", 5);
    request.filter = Filter::none().and(FilterField::Kind, Condition::Equals("logbook".to_owned()));

    search(&host, &semantic(json!({})), request.clone()).unwrap();

    let embedded = host.calls().embeds;
    assert_eq!(embedded[0].texts, ["why was the beam lost"]);
    let searches = host.calls().vector_searches;
    let author = Condition::Contains("smith".to_owned());
    let expected = request.filter.and(FilterField::Author, author);
    assert_eq!(searches[0].filter, expected);
}

#[test]
fn a_query_of_filters_only_is_a_listing() {
    let host = host();

    search(
        &host,
        &semantic(json!({})),
        SearchRequest::new("author:smith", 5),
    )
    .unwrap();

    assert!(host.calls().embeds.is_empty());
    let listings = host.calls().text_searches;
    assert_eq!(
        (listings[0].query.as_str(), listings[0].filter.clauses.len()),
        ("", 1)
    );
}

#[test]
fn what_the_question_excludes_is_not_embedded() {
    let host = host();
    let embedded = |query: &str| {
        search(&host, &semantic(json!({})), SearchRequest::new(query, 5)).unwrap();
        host.calls().embeds.last().unwrap().texts.clone()
    };
    assert_eq!(embedded("trip NOT author:salem"), ["trip"]);
    assert_eq!(embedded("reactor trip -salem"), ["reactor trip"]);
}

#[test]
fn a_query_of_exclusions_only_is_a_listing_without_them() {
    let host = host();
    search(
        &host,
        &semantic(json!({})),
        SearchRequest::new("NOT salem", 5),
    )
    .unwrap();
    assert!(host.calls().embeds.is_empty());
    assert_eq!(host.calls().text_searches[0].query, "NOT salem");
}

#[test]
fn a_text_that_a_program_built_is_embedded_as_it_is() {
    let host = host();
    let mut request = SearchRequest::new("RF-2 author:smith (trip)", 5);
    request.syntax = QuerySyntax::Plain;

    search(&host, &semantic(json!({})), request.clone()).unwrap();

    assert_eq!(host.calls().embeds[0].texts, [request.query]);
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
