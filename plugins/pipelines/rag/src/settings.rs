//! What the configuration and a call can set.

use gannet_plugin::{
    Error, ParameterDescriptor, ParameterType, PipelineRequest, Result, ScoreKind, Setup,
};
use gannet_stages::{AssembleSettings, CitationStyle, FusionSettings, OnError, RerankSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of scores on which `min_relevance` means something. Scores of a
/// fusion by rank are at most near 0.03 and say nothing of relevance.
pub(crate) const RELEVANCE_KINDS: [ScoreKind; 2] = [ScoreKind::Rerank, ScoreKind::Linear];

/// The settings of `rag`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RagSettings {
    /// How the modules' lists become one.
    pub fusion: FusionSettings,
    /// How many hits each module is asked for, at least; as many as the
    /// result may hold when that is more.
    pub candidates: usize,
    /// The least cosine of hits by meaning. 0 leaves the choice to the fusion:
    /// a module's own threshold, made for its use alone, would drop entries
    /// that two lists together rank high.
    pub similarity_threshold: f64,
    /// The least relevance of an entry, where scores of kind `rerank` or
    /// `linear` say it. Not set: none.
    pub min_relevance: Option<f64>,
    /// Characters that the context may have, separators and marks included.
    pub max_context_chars: usize,
    /// Characters of one entry's text in the context.
    pub max_chars_per_entry: usize,
    /// The temperature of the chat model.
    pub temperature: f64,
    /// What happens when a search module fails.
    pub on_error: OnError,
    /// How the answer cites.
    pub citation_style: CitationStyle,
    /// The reranker and its window. Not set: none.
    pub rerank: Option<RerankSettings>,
}

impl Default for RagSettings {
    fn default() -> Self {
        let context = AssembleSettings::default();
        Self {
            fusion: FusionSettings::default(),
            candidates: 50,
            similarity_threshold: 0.0,
            min_relevance: None,
            max_context_chars: context.max_total,
            max_chars_per_entry: context.max_per_entry,
            temperature: 0.1,
            on_error: OnError::Degrade,
            citation_style: CitationStyle::EntryId,
            rerank: None,
        }
    }
}

impl RagSettings {
    /// Whether the settings can be used.
    pub(crate) fn check(&self, setup: &Setup) -> Result<()> {
        let key = |name: &str| format!("pipelines.{}.settings.{name}", setup.instance);
        self.fusion
            .check()
            .map_err(|error| error.at(&key("fusion")))?;
        if self.candidates == 0 {
            return Err(Error::configuration(
                key("candidates"),
                "must be at least 1",
            ));
        }
        Ok(())
    }

    /// These settings with what a call sets.
    pub(crate) fn for_call(&self, request: &PipelineRequest) -> Result<Self> {
        let mut settings = self.clone();
        if let Some(threshold) = request.param("similarity_threshold")? {
            settings.similarity_threshold = threshold;
        }
        if let Some(limit) = request.param("max_context_chars")? {
            settings.max_context_chars = limit;
        }
        if let Some(limit) = request.param("max_chars_per_entry")? {
            settings.max_chars_per_entry = limit;
        }
        if let Some(temperature) = request.param("temperature")? {
            settings.temperature = temperature;
        }
        Ok(settings)
    }

    /// The settings of the context.
    pub(crate) fn assembly(&self) -> AssembleSettings {
        AssembleSettings {
            max_total: self.max_context_chars,
            max_per_entry: self.max_chars_per_entry,
            ..AssembleSettings::default()
        }
    }
}

/// What a caller can set per call.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    let defaults = RagSettings::default();
    vec![
        ParameterDescriptor::new(
            "similarity_threshold",
            "Similarity threshold",
            "Least cosine similarity of entries found by meaning; 0 keeps all for the fusion.",
            ParameterType::Float,
            defaults.similarity_threshold,
        )
        .range(0.0, 1.0, 0.01)
        .section("Retrieval"),
        ParameterDescriptor::new(
            "max_context_chars",
            "Max context characters",
            "How many characters of entries the answer is made from.",
            ParameterType::Int,
            defaults.max_context_chars,
        )
        .range(1_000.0, 50_000.0, 1_000.0)
        .section("Context Assembly"),
        ParameterDescriptor::new(
            "max_chars_per_entry",
            "Max characters per entry",
            "How many characters of one entry go into the context.",
            ParameterType::Int,
            defaults.max_chars_per_entry,
        )
        .range(100.0, 10_000.0, 100.0)
        .section("Context Assembly"),
        ParameterDescriptor::new(
            "temperature",
            "Temperature",
            "How freely a chat model words its answer; 0 is the least.",
            ParameterType::Float,
            defaults.temperature,
        )
        .range(0.0, 2.0, 0.05)
        .section("LLM Processing"),
    ]
}
