//! What the pipeline tells of itself: numbers of each stage and a sentence.

use gannet_plugin::{Context, Event};
use gannet_stages::{Assembled, Retrieved};
use serde_json::{Map, Value, json};

/// Numbers of each stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RagStats {
    /// Hits of each module, in the order of the configuration.
    pub(crate) retrieved: Vec<(String, usize)>,
    /// Entries after the fusion.
    pub(crate) fused: usize,
    /// Entries in the context.
    pub(crate) included: usize,
    /// Whether the context's limit left something out.
    pub(crate) truncated: bool,
}

impl RagStats {
    /// The numbers before anything was asked.
    pub(crate) fn of_modules(modules: &[String]) -> Self {
        Self {
            retrieved: modules.iter().map(|module| (module.clone(), 0)).collect(),
            ..Self::default()
        }
    }

    /// Notes what the modules gave.
    pub(crate) fn retrieved(&mut self, retrieved: &Retrieved, context: &Context) {
        for (module, count) in &mut self.retrieved {
            *count = retrieved.count(module);
        }
        tell(context, "retrieve", self.counts().into());
    }

    /// Notes the fusion.
    pub(crate) fn fused(&mut self, fused: usize, context: &Context) {
        self.fused = fused;
        tell(context, "fuse", json!({ "fused_count": fused }));
    }

    /// Notes the context.
    pub(crate) fn assembled(&mut self, assembled: &Assembled, context: &Context) {
        self.included = assembled.included.len();
        self.truncated = assembled.truncated;
        let details = json!({
            "context_included": self.included,
            "context_truncated": self.truncated,
        });
        tell(context, "assemble", details);
    }

    /// The result's `pipeline_details`.
    pub(crate) fn details(&self) -> Value {
        let mut stats = self.counts();
        stats.insert("fused_count".to_owned(), self.fused.into());
        stats.insert("context_included".to_owned(), self.included.into());
        stats.insert("context_truncated".to_owned(), self.truncated.into());
        json!({ "pipeline_type": "rag", "rag_stats": stats })
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

/// Says that a stage is done.
pub(crate) fn tell(context: &Context, stage: &str, details: Value) {
    context.emit(Event::Stage {
        stage: stage.to_owned(),
        details,
    });
}
