//! What the pipeline tells of itself: an event and numbers of each stage, and
//! a sentence.

use std::time::Instant;

use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::Context;
use gannet_stages::Retrieved;
use serde_json::{Map, Value, json};

use crate::method::Method;

/// Numbers of each stage of one call.
pub(crate) struct Report<'a> {
    context: &'a Context,
    since: Instant,
    stages: Vec<Value>,
    /// Hits of each module, in the order of the configuration.
    retrieved: Vec<(String, usize)>,
    fused: usize,
    included: usize,
    truncated: bool,
    method: Method,
    method_reason: Option<String>,
}

impl<'a> Report<'a> {
    /// The numbers before anything was asked.
    pub(crate) fn new(modules: &[String], method: Method, context: &'a Context) -> Self {
        Self {
            context,
            since: Instant::now(),
            stages: Vec::new(),
            retrieved: modules.iter().map(|module| (module.clone(), 0)).collect(),
            fused: 0,
            included: 0,
            truncated: false,
            method,
            method_reason: None,
        }
    }

    /// A stage is done: whoever listens is told its numbers, and they go into
    /// the details with the time since the stage before.
    pub(crate) fn done(&mut self, stage: &str, numbers: Value) {
        let took_ms = self.since.elapsed().as_secs_f64() * 1000.0;
        self.since = Instant::now();
        let mut noted = Map::new();
        noted.insert("stage".to_owned(), stage.into());
        // Thousandths of a millisecond are enough to read.
        noted.insert("took_ms".to_owned(), ((took_ms * 1e3).round() / 1e3).into());
        if let Value::Object(numbers) = &numbers {
            noted.extend(numbers.clone());
        }
        self.stages.push(Value::Object(noted));
        self.context.emit(Event::Stage {
            stage: stage.to_owned(),
            details: numbers,
        });
    }

    /// Notes what the modules gave, and the method that this amounts to.
    pub(crate) fn retrieved(&mut self, retrieved: &Retrieved, method: (Method, Option<String>)) {
        for (module, count) in &mut self.retrieved {
            *count = retrieved.count(module);
        }
        (self.method, self.method_reason) = method;
        self.done("retrieve", self.counts().into());
    }

    /// Notes the fusion.
    pub(crate) fn fused(&mut self, fused: usize) {
        self.fused = fused;
        self.done("fuse", json!({ "fused_count": fused }));
    }

    /// Notes the context: how many entries are in it, of how many only a
    /// part, and whether the limit left something out.
    pub(crate) fn assembled(&mut self, included: usize, cut: usize, truncated: bool) {
        self.included = included;
        self.truncated = truncated;
        let numbers = json!({
            "context_included": included,
            "context_truncated": truncated,
            "context_cut": cut,
        });
        self.done("assemble", numbers);
    }

    /// Says why nothing was searched.
    pub(crate) fn nothing_searched(&mut self, reason: &str) {
        self.method_reason = Some(reason.to_owned());
    }

    /// The result's `pipeline_details`.
    pub(crate) fn details(&self) -> Value {
        let mut stats = self.counts();
        stats.insert("fused_count".to_owned(), self.fused.into());
        stats.insert("context_included".to_owned(), self.included.into());
        stats.insert("context_truncated".to_owned(), self.truncated.into());
        let mut details = json!({
            "pipeline_type": "rag",
            "rag_stats": stats,
            "method_used": self.method.name(),
            "stages": self.stages,
        });
        if let (Some(reason), Some(details)) = (&self.method_reason, details.as_object_mut()) {
            details.insert("method_reason".to_owned(), reason.as_str().into());
        }
        details
    }

    /// `Retrieved 3 keyword + 5 semantic, 6 after fusion, 4 in context`.
    pub(crate) fn sentence(&self) -> String {
        let counts: Vec<String> = self
            .retrieved
            .iter()
            .map(|(module, count)| format!("{count} {module}"))
            .collect();
        format!(
            "Retrieved {}, {} after fusion, {} in context",
            counts.join(" + "),
            self.fused,
            self.included,
        )
    }

    fn counts(&self) -> Map<String, Value> {
        self.retrieved
            .iter()
            .map(|(module, count)| (format!("{module}_retrieved"), Value::from(*count)))
            .collect()
    }
}
