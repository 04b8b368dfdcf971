//! The building blocks of pipelines: [`retrieve`], [`fuse`], [`rerank`],
//! [`assemble`], [`answer_from_entries`] and
//! [`check_citations`].
//!
//! A pipeline calls them one after the other with its own settings; each does
//! one thing and knows nothing of the others. This one searches with two
//! modules and answers without a model:
//!
//! ```
//! use gannet_plugin::prelude::*;
//! use gannet_stages::{
//!     AnswerInput, CitationStyle, FusionSettings, GROUNDED_PROBABILITY, OnError, RetrievalPlan,
//!     answer_from_entries, fuse, retrieve,
//! };
//!
//! async fn run(request: PipelineRequest, context: &Context) -> Result<Answer> {
//!     let ask = |module: &str| (module.to_owned(), SearchRequest::new(&request.query, 50));
//!     let plan = RetrievalPlan {
//!         pipeline: "mine".to_owned(),
//!         requests: vec![ask("keyword"), ask("semantic")],
//!         on_error: OnError::Degrade,
//!     };
//!     let retrieved = retrieve(plan, context).await?;
//!
//!     let mut hits = fuse(&request.query, &retrieved.lists, &FusionSettings::default())
//!         .map_err(|error| error.at("fusion"))?;
//!     hits.truncate(request.limit);
//!
//!     let plan = context.query_plan(&request.query, &request.filter).await?;
//!     let ids = hits.iter().map(|hit| hit.entry_id.clone()).collect();
//!     let entries = context.entries(ids).await?;
//!     hits.retain(|hit| entries.iter().any(|entry| entry.entry_id == hit.entry_id));
//!     let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
//!     let input = AnswerInput {
//!         plan: &plan,
//!         entries: &entries,
//!         scores: &scores,
//!         matches: None,
//!         style: CitationStyle::EntryId,
//!         timezone: "UTC",
//!         reader: None,
//!         grounded_probability: GROUNDED_PROBABILITY,
//!     };
//!     let composed = answer_from_entries(input, context).await;
//!     Ok(Answer::new(hits)
//!         .with_answer(composed.text)
//!         .with_answer_status(composed.status)
//!         .with_answer_confidence(composed.confidence)
//!         .with_citations(composed.citations)
//!         .with_degraded(retrieved.degraded || composed.is_unread))
//! }
//! ```
//!
//! Rules that hold throughout: what a module fails at is a diagnostic and the
//! others' results stand; the same input gives the same output, whichever
//! module was first; retrieved text is data and never steers what comes after.

mod answer;
mod answer_by;
mod assemble;
mod causes;
mod cite;
mod cited;
mod cues;
mod entries_asked;
mod error;
mod follow_up;
mod found_set;
mod fuse;
mod links;
mod lists;
mod named;
mod occurrences;
mod plan_fit;
mod plan_legs;
mod plan_names;
mod prompt;
mod reading;
mod relevance;
mod repairs;
mod rerank;
mod retrieve;
mod room;
mod thoughts;
mod worded;

pub use answer::{
    AnswerInput, ComposedAnswer, CountedSet, ENTRIES_READ, GROUNDED_PROBABILITY, LISTED_OF_A_SET,
    Nearest, PARTIAL_PROBABILITY, QUOTED_CHARS_AT_MOST, QUOTES_AT_MOST, Quote, Sentence,
    answer_from_entries, answer_from_set, answer_without_members, compose_answer, content_stem,
    content_words, holds_any, idf, is_asking_word, phrases_in, quoted, quotes_of, retracts,
    sentences, set_details, spaced, split_sentences, stem, stems, times_of, words,
};
pub use answer_by::AnswerBy;
pub use assemble::{
    AssembleSettings, Assembled, Block, Policy, PromptBudgets, PromptParts, Unit, assemble,
    entry_block, even_shares, fair_shares, fence, fence_mark, neutral, neutral_line,
    prompt_budgets, truncate_bytes,
};
pub use causes::says_cause;
pub use cite::{CitationCheck, CitationStyle, check_citations};
pub use cited::Cited;
pub use cues::{Cues, begins_with, cues};
pub use entries_asked::{Matches, asks_for_entries};
pub use error::StageError;
pub use follow_up::{CHARS_BEFORE_THE_QUESTION, FollowUp, earlier_question};
pub use found_set::{FoundSet, MEMBERS_OF_A_RATE, find_set, hits_of_members};
pub use fuse::{
    DEFAULT_K, FusionMethod, FusionSettings, convex, fuse, linear, reads_like_a_headline, rrf,
    semantic_score,
};
pub use lists::ModuleHits;
pub use named::instance_name;
pub use occurrences::{occurrences, reports_fault, says_again, tells_of_fault};
pub use plan_fit::{Boosts, PlanWeights, around, is_of_entity, is_of_time, of_times, time_fit};
pub use plan_legs::{PlanLeg, entity_clauses, plan_legs};
pub use plan_names::{missing_entity, missing_name};
pub use prompt::{BuiltInPrompt, check_prompts};
pub use reading::{plan_of, subject_of, syntax_of};
pub use relevance::{MEANT_BY_TIME, Relevance};
pub use repairs::{heading, repaired_heading, says_repaired};
pub use rerank::{RerankSettings, Reranked, rerank};
pub use retrieve::{OnError, RetrievalPlan, Retrieved, all_failed, retrieve};
pub use room::{CUT_AT_ITS_LIMIT, TurnRoom};
pub use thoughts::without_thoughts;
pub use worded::{Worded, word_with_model};
