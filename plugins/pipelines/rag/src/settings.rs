//! What the configuration can set.

use std::collections::BTreeMap;

use gannet_plugin::prelude::{Error, Result, Setup, settings};
use gannet_stages::{
    AnswerBy, AssembleSettings, CitationStyle, FusionSettings, GROUNDED_PROBABILITY, OnError,
    PlanWeights, Policy, RerankSettings, Unit, check_prompts,
};
use serde::Serialize;

use crate::method::Method;
use crate::prompts::PROMPTS;
use crate::scope::clauses_of;

/// The settings of `rag`.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct RagSettings {
    /// Which search modules are used: all (`hybrid`), those that compare
    /// meanings (`vector`), or the others (`keyword`).
    #[setting(parameter, section = "Retrieval")]
    pub method: Method,
    /// How the modules' lists become one.
    pub fusion: FusionSettings,
    /// How much the times and things count that a question names.
    pub plan: PlanWeights,
    /// How many hits each module is asked for, at least; as many as the
    /// result may hold when that is more.
    #[setting(default = 100, min = 1)]
    pub candidates: usize,
    /// The least cosine of semantic hits. 0 leaves the choice to the fusion:
    /// a module's own threshold, made for its use alone, would drop entries
    /// that two lists together rank high.
    #[setting(min = 0.0, max = 1.0, parameter, section = "Retrieval", step = 0.01)]
    pub similarity_threshold: f64,
    /// How many entries the result has at most, reranked or not; as many as
    /// the request asks for when not set. As a tool of an agent the pipeline
    /// gives this many, or 5.
    #[setting(min = 1, parameter, call_max = 1_000, step = 1)]
    #[setting(label = "Results at most", section = "Ranking")]
    pub final_k: Option<usize>,
    /// The least relevance of an entry, 0 to 1: the probability that it is about
    /// what the question asks, also where a reranker made the order. Not set:
    /// none.
    #[setting(parameter, label = "Least relevance", section = "Ranking")]
    pub min_relevance: Option<f64>,
    /// Ids of entries that always stand first in the result.
    pub pinned: Vec<String>,
    /// What every entry that is searched must be: fields or metadata keys and
    /// their values. A call can narrow it, not widen it.
    pub scope: BTreeMap<String, String>,
    /// How much text the answer is made from, and how it is shared.
    pub budget: BudgetSettings,
    /// How long the context of all entries may be, in the budget's unit,
    /// separators and marks included.
    #[setting(default = AssembleSettings::default().max_total)]
    #[setting(parameter, call_min = 1_000, call_max = 50_000, step = 1_000)]
    #[setting(label = "Max context characters", section = "Context Assembly")]
    pub max_context_chars: usize,
    /// How much of one entry's text goes into the context, in the same unit.
    #[setting(default = AssembleSettings::default().max_per_entry)]
    #[setting(parameter, call_min = 100, call_max = 10_000, step = 100)]
    #[setting(label = "Max characters per entry", section = "Context Assembly")]
    pub max_chars_per_entry: usize,
    /// Who writes the answer: a chat model where one is configured (`model`),
    /// quoted sentences of the entries (`entries`), or nobody (`none`).
    #[setting(default = AnswerBy::Model, parameter, section = "LLM Processing")]
    pub answer: AnswerBy,
    /// The provider that chooses the sentences of an answer without a model:
    /// `builtin`, or a reader that is configured.
    #[setting(default = "builtin")]
    pub reader: String,
    /// The probability of being right, 0 to 1, from which an answer without a
    /// model is `grounded`.
    #[setting(default = GROUNDED_PROBABILITY, min = 0.0, max = 1.0)]
    pub grounded_probability: f64,
    /// Sampling temperature of the chat model.
    #[setting(default = 0.1, min = 0.0, max = 2.0)]
    #[setting(parameter, section = "LLM Processing", step = 0.05)]
    pub temperature: f64,
    /// Tokens of the chat model's answer at most.
    #[setting(default = 1_024, min = 1)]
    pub max_tokens: u32,
    /// What happens when a search module fails.
    #[setting(default = OnError::Degrade)]
    pub on_error: OnError,
    /// How the answer cites.
    #[setting(default = CitationStyle::EntryId)]
    pub citation_style: CitationStyle,
    /// The reranker and its window. Not set: none, unless a call asks for it. A
    /// question that is only a name or a code is not reranked.
    pub rerank: Option<RerankSettings>,
}

/// How much text the answer is made from, and how it is shared.
#[settings]
#[derive(PartialEq, Eq, Serialize)]
pub struct BudgetSettings {
    /// `sequential`: entries in order until `max_context_chars` are used.
    /// `top_n`: the same, of the first few. `proportional`: all at once within
    /// a prompt of `max_prompt_bytes`, what is pinned as the statement and the
    /// notes on it.
    #[setting(default = AssembleSettings::default().policy)]
    pub policy: Policy,
    /// What `max_context_chars` and `max_chars_per_entry` count.
    #[setting(default = AssembleSettings::default().unit)]
    pub unit: Unit,
    /// How many entries `top_n` takes.
    #[setting(default = AssembleSettings::default().top_n)]
    pub top_n: usize,
    /// Bytes of the whole prompt under `proportional`: what the system and the
    /// user say to the model, the question included. What was said before in
    /// a conversation comes on top.
    #[setting(default = AssembleSettings::proportional().max_total)]
    pub max_prompt_bytes: usize,
}

impl RagSettings {
    /// Whether the settings and the facility's prompts can be used.
    pub(crate) fn check(&self, setup: &Setup) -> Result<()> {
        self.fusion.check().map_err(|error| error.at("fusion"))?;
        let rerank = self.rerank.as_ref();
        if rerank.is_some_and(|rerank| !(1..=1_000).contains(&rerank.candidate_k)) {
            let message = "must be between 1 and 1000";
            return Err(Error::setting("rerank.candidate_k", message));
        }
        if self.most_results() == Some(0) {
            return Err(Error::setting("rerank.final_k", "must be at least 1"));
        }
        clauses_of(&self.scope, &setup.timezone)
            .map_err(|error| Error::setting("scope", error.to_string()))?;
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
