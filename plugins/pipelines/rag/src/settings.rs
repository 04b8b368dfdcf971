//! What the configuration can set.

use std::collections::BTreeMap;

use gannet_plugin::{Error, Result, ScoreKind, Setup};
use gannet_stages::{
    AnswerBy, AssembleSettings, CitationStyle, FusionSettings, OnError, Policy, RerankSettings,
    Unit, check_prompts,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::method::Method;
use crate::prompts::PROMPTS;
use crate::scope::clauses_of;

/// The kinds of scores on which `min_relevance` means something, each on its
/// own scale. Cosines are scores of the result where one module alone was
/// asked. Scores of a fusion by rank are at most near 0.03 and say nothing of
/// relevance; BM25 scores of two questions do not compare.
pub(crate) const RELEVANCE_KINDS: [ScoreKind; 3] =
    [ScoreKind::Rerank, ScoreKind::Linear, ScoreKind::Cosine];

/// The settings of `rag`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RagSettings {
    /// Which search modules are asked: `hybrid` (all), `vector` (those that
    /// compare meanings) or `keyword` (the others).
    pub method: Method,
    /// Who words the answer: `model` (a chat model, where one is configured),
    /// `entries` (their own sentences alone) or `none`.
    pub answer: AnswerBy,
    /// How the modules' lists become one.
    pub fusion: FusionSettings,
    /// How many hits each module is asked for, at least; as many as the
    /// result may hold when that is more.
    pub candidates: usize,
    /// The least cosine of semantic hits. 0 leaves the choice to the fusion:
    /// a module's own threshold, made for its use alone, would drop entries
    /// that two lists together rank high.
    pub similarity_threshold: f64,
    /// How many entries the result has at most, reranked or not; as many as
    /// the request asks for when not set. As a tool of an agent the pipeline
    /// gives this many, or 5.
    #[schemars(range(min = 1))]
    pub final_k: Option<usize>,
    /// The least relevance of an entry, on the scale of its score, where that
    /// is of kind `rerank`, `linear` or `cosine`. Not set: none.
    pub min_relevance: Option<f64>,
    /// Ids of entries that always stand first in the result.
    pub pinned: Vec<String>,
    /// What every entry that is searched must be: fields or metadata keys and
    /// their values. A call can narrow it, not widen it.
    pub scope: BTreeMap<String, String>,
    /// How much text the answer is made from, and how it is shared.
    pub budget: BudgetSettings,
    /// How long the context may be, in the budget's unit, separators and
    /// marks included.
    pub max_context_chars: usize,
    /// How much of one entry's text goes into the context, in the same unit.
    pub max_chars_per_entry: usize,
    /// The temperature of the chat model.
    pub temperature: f64,
    /// Tokens of the chat model's answer at most.
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// What happens when a search module fails.
    pub on_error: OnError,
    /// How the answer cites.
    pub citation_style: CitationStyle,
    /// The reranker and its window. Not set: none, unless a call asks for it.
    pub rerank: Option<RerankSettings>,
}

/// How much text the answer is made from, and how it is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetSettings {
    /// `sequential`: entries in order until `max_context_chars` are used.
    /// `top_n`: the same, of the first few. `proportional`: all at once within
    /// a prompt of `max_prompt_bytes`, what is pinned as the statement and the
    /// notes on it.
    pub policy: Policy,
    /// What `max_context_chars` and `max_chars_per_entry` count.
    pub unit: Unit,
    /// How many entries `top_n` takes.
    pub top_n: usize,
    /// Bytes of the whole prompt under `proportional`: what the system and the
    /// user say to the model, the question included. What was said before in
    /// a conversation comes on top.
    pub max_prompt_bytes: usize,
}

impl Default for BudgetSettings {
    fn default() -> Self {
        let context = AssembleSettings::default();
        Self {
            policy: context.policy,
            unit: context.unit,
            top_n: context.top_n,
            max_prompt_bytes: AssembleSettings::proportional().max_total,
        }
    }
}

impl Default for RagSettings {
    fn default() -> Self {
        let context = AssembleSettings::default();
        Self {
            method: Method::Hybrid,
            answer: AnswerBy::Model,
            fusion: FusionSettings::default(),
            candidates: 100,
            similarity_threshold: 0.0,
            final_k: None,
            min_relevance: None,
            pinned: Vec::new(),
            scope: BTreeMap::new(),
            budget: BudgetSettings::default(),
            max_context_chars: context.max_total,
            max_chars_per_entry: context.max_per_entry,
            temperature: 0.1,
            max_tokens: 1_024,
            on_error: OnError::Degrade,
            citation_style: CitationStyle::EntryId,
            rerank: None,
        }
    }
}

impl RagSettings {
    /// Whether the settings and the facility's prompts can be used.
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
        if self
            .rerank
            .as_ref()
            .is_some_and(|rerank| rerank.candidate_k == 0)
        {
            return Err(Error::configuration(
                key("rerank.candidate_k"),
                "must be at least 1",
            ));
        }
        if self.most_results() == Some(0) {
            return Err(Error::configuration(key("final_k"), "must be at least 1"));
        }
        clauses_of(&self.scope, &setup.timezone)
            .map_err(|error| Error::configuration(key("scope"), error.to_string()))?;
        check_prompts(&PROMPTS, setup)
    }

    /// How many entries the result has at most, where that is configured.
    pub(crate) fn most_results(&self) -> Option<usize> {
        let of_reranker = self.rerank.as_ref().and_then(|rerank| rerank.final_k);
        self.final_k.or(of_reranker)
    }

    /// The settings of a context of entries in order.
    pub(crate) fn assembly(&self) -> AssembleSettings {
        AssembleSettings {
            unit: self.budget.unit,
            policy: self.budget.policy,
            max_total: self.max_context_chars,
            max_per_entry: self.max_chars_per_entry,
            top_n: self.budget.top_n,
        }
    }
}
