//! The span of a search, with its stages.

use std::time::{Duration, Instant, SystemTime};

use gannet_core::{RetrieverResponse, SearchResult};
use serde_json::{Map, Value};

use super::exporter::Exporter;
use super::request::{Trace, current};
use super::span::{Span, SpanKind};

/// A search under way.
pub(crate) struct SearchSpan {
    trace: Trace,
    exporter: Exporter,
    span: Span,
    started: Instant,
}

impl SearchSpan {
    /// A search begins; `None` where the request is not traced. The query is
    /// that of the query log.
    pub fn begin(mode: &str, query: Option<&Value>) -> Option<Self> {
        let mut trace = current()?;
        let exporter = trace.exporter.clone()?;
        trace.context = trace.context.child();
        let mut attributes = vec![("gannet.mode".to_owned(), mode.into())];
        if let Some(query) = query {
            attributes.push(("gannet.query".to_owned(), query.clone()));
        }
        let span = Span {
            context: trace.context.clone(),
            name: format!("search {mode}"),
            kind: SpanKind::Internal,
            started: SystemTime::now(),
            took: Duration::ZERO,
            attributes,
            is_error: false,
        };
        Some(Self {
            trace,
            exporter,
            span,
            started: Instant::now(),
        })
    }

    /// The search ended with a result, or without.
    pub fn end(self, result: Option<&SearchResult>) {
        let stages = result.map(stages_of).unwrap_or_default();
        let found = result.map(|result| (result.entries.len(), result.degraded));
        self.end_with(found, stages);
    }

    /// The same for a request of the Retriever.
    pub fn end_retrieval(self, response: Option<&RetrieverResponse>) {
        let stages = response.map(|response| {
            let times = &response.metadata;
            let stage = |name: &str, took_ms| Stage {
                name: name.to_owned(),
                took: milliseconds(took_ms),
                numbers: Vec::new(),
            };
            vec![
                stage("search", times.search_duration_ms),
                stage("synthesis", times.synthesis_duration_ms),
            ]
        });
        let found = response.map(|response| (response.total_results, response.metadata.degraded));
        self.end_with(found, stages.unwrap_or_default());
    }

    /// The number of results and whether they are partial, if there are some.
    fn end_with(mut self, found: Option<(usize, bool)>, stages: Vec<Stage>) {
        self.span.took = self.started.elapsed();
        match found {
            Some((results, is_degraded)) => self.span.attributes.extend([
                ("gannet.results".to_owned(), results.into()),
                ("gannet.degraded".to_owned(), is_degraded.into()),
            ]),
            None => self.span.is_error = true,
        }
        // A result has the time that each stage took. Stages follow each
        // other, so each begins where the one before ends.
        let mut started = self.span.started;
        for stage in stages {
            let next = started + stage.took;
            self.exporter.export(Span {
                context: self.trace.context.child(),
                name: stage.name,
                kind: SpanKind::Internal,
                started,
                took: stage.took,
                attributes: stage.numbers,
                is_error: false,
            });
            started = next;
        }
        self.exporter.export(self.span);
    }
}

/// A stage of a pipeline.
struct Stage {
    name: String,
    took: Duration,
    numbers: Vec<(String, Value)>,
}

/// The stages that a pipeline tells in its details. Of what it says about a
/// stage only numbers and truth values are taken: texts may be of the query.
fn stages_of(result: &SearchResult) -> Vec<Stage> {
    let details = result.pipeline_details.as_ref();
    let stages = details.and_then(|details| details["stages"].as_array());
    let stages = stages.into_iter().flatten().filter_map(Value::as_object);
    stages.filter_map(stage_of).collect()
}

fn stage_of(details: &Map<String, Value>) -> Option<Stage> {
    let numbers = details.iter().filter(|(name, value)| {
        name.as_str() != "took_ms" && (value.is_number() || value.is_boolean())
    });
    Some(Stage {
        name: details.get("stage")?.as_str()?.to_owned(),
        took: milliseconds(details.get("took_ms")?.as_f64()?),
        numbers: numbers
            .map(|(name, value)| (format!("gannet.stage.{name}"), value.clone()))
            .collect(),
    })
}

fn milliseconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number / 1000.0).unwrap_or_default()
}
