//! Pipelines: a good one, and bad ones.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::*;
use gannet_api::{
    Answer, Context, DynPipeline, Example, PipelineRequest, PluginKind, QuerySyntax, SearchRequest,
};

/// A pipeline whose answer is changed by a function.
struct Titles {
    modules: Vec<String>,
    change: fn(Answer) -> Answer,
}

impl DynPipeline for Titles {
    fn run<'a>(
        &'a self,
        request: PipelineRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Answer>> {
        Box::pin(async move {
            let mut search = SearchRequest::new(request.query, request.limit);
            search.syntax = QuerySyntax::Plain;
            search.filter = request.filter;
            let hits = context.search_module(&self.modules[0], search).await?;
            let ids: Vec<String> = hits.iter().map(|hit| hit.entry_id.clone()).collect();
            Ok((self.change)(
                Answer::new(hits)
                    .with_answer(format!("{ids:?}"))
                    .with_citations(ids.clone())
                    .with_sources(ids),
            ))
        })
    }
}

fn pipeline(change: fn(Answer) -> Answer) -> Specimen {
    let example = Example::new("cites what was found", "rf trips")
        .with_entries([
            entry("E1", "Day", "RF tripped"),
            entry("E2", "Owl", "a quiet night"),
        ])
        .finds(["E1"]);
    let descriptor = Descriptor::pipeline("titles", "Titles", "Lists what its modules find.");
    Specimen::new(descriptor.with_example(example), move |settings, setup| {
        if settings != serde_json::json!({}) {
            return Err(gannet_api::Error::configuration(
                "titles",
                "has no settings",
            ));
        }
        Ok(Plugin::Pipeline(Arc::new(Titles {
            modules: setup.retrieval_modules.clone(),
            change,
        })))
    })
}

#[test]
fn a_good_pipeline_passes() {
    assert_passes(&pipeline(|answer| answer));
}

#[test]
fn a_citation_of_what_was_not_found_is_caught() {
    let bad = pipeline(|mut answer| {
        answer.citations.push("E2".to_owned());
        answer
    });

    let reason = reason(&bad, "examples");

    assert!(
        reason.contains("it cites \"E2\", which is neither a hit nor a source"),
        "{reason}"
    );
}

#[test]
fn a_source_that_the_host_does_not_hold_is_caught() {
    let bad = pipeline(|mut answer| {
        answer.sources.push("E9".to_owned());
        answer
    });

    assert!(reason(&bad, "examples").contains("the host holds no entry \"E9\""));
}

#[test]
fn an_example_names_what_is_cited() {
    let silent = pipeline(|mut answer| {
        answer.citations.clear();
        answer
    });

    let reason = reason(&silent, "examples");

    assert!(reason.contains("it cites [] and not [\"E1\"]"), "{reason}");
}

#[test]
fn a_constructor_of_another_kind_is_caught() {
    let mut confused = pipeline(|answer| answer);
    confused.descriptor.kind = PluginKind::SearchModule;

    let reason = reason(&confused, "construction");

    assert!(
        reason.contains("the descriptor says search module, and the constructor makes a pipeline"),
        "{reason}"
    );
}
