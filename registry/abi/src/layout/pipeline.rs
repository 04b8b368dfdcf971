//! Questions to pipelines and their answers.

use std::ops::Range;

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString, RVec};
use gannet_api::{Answer, AnswerStatus, Error, PipelineRequest, known_or_none};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::{plan_in, plan_out};
use super::{AbiHit, from_slot, list, option, read_slot, to_slot, unlist, unoption};

/// A [`PipelineRequest`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiPipelineRequest {
    /// The question.
    pub query: RString,
    /// Maximum number of entries.
    pub limit: u64,
    /// What an entry must be.
    pub filter_json: RString,
    /// Values of the pipeline's parameters.
    pub params_json: RString,
    /// What was said before.
    pub history_json: RString,
    /// The query plan, and what comes later.
    pub extra_json: RString,
}

/// An [`Answer`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiAnswer {
    /// The entries in order.
    pub hits: RVec<AbiHit>,
    /// The answer in words.
    pub answer: ROption<RString>,
    /// Ids of the entries that the answer cites.
    pub citations: RVec<RString>,
    /// Ids of the entries that the answer was made from.
    pub sources: RVec<RString>,
    /// Search modules that contributed.
    pub search_modes_used: RVec<RString>,
    /// How the answer came about.
    pub reasoning: RString,
    /// Whether a part failed.
    pub degraded: bool,
    /// Status, confidence, highlights, plan and the pipeline's own details.
    pub rest_json: RString,
    /// For what comes later.
    pub extra_json: RString,
}

/// The parts of an answer that are open.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Rest {
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    answer_status: Option<AnswerStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_confidence: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answer_highlights: Vec<Range<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline_details: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    extensions: Map<String, Value>,
}

impl From<PipelineRequest> for AbiPipelineRequest {
    fn from(request: PipelineRequest) -> Self {
        Self {
            query: request.query.into(),
            limit: request.limit as u64,
            filter_json: to_slot(&request.filter),
            params_json: to_slot(&request.params),
            history_json: to_slot(&request.history),
            extra_json: plan_out(request.plan.as_ref()),
        }
    }
}

impl TryFrom<AbiPipelineRequest> for PipelineRequest {
    type Error = Error;

    fn try_from(request: AbiPipelineRequest) -> Result<Self, Error> {
        Ok(
            PipelineRequest::new(request.query, super::search::limit(request.limit))
                .with_filter(read_slot("the filter", &request.filter_json)?)
                .with_params(read_slot("the parameters", &request.params_json)?)
                .with_history(read_slot("the history", &request.history_json)?)
                .with_plan(plan_in(&request.extra_json)),
        )
    }
}

impl From<Answer> for AbiAnswer {
    fn from(answer: Answer) -> Self {
        let rest = Rest {
            answer_status: answer.answer_status,
            answer_confidence: answer.answer_confidence,
            answer_highlights: answer.answer_highlights,
            plan: answer.plan,
            pipeline_details: answer.pipeline_details,
            extensions: answer.extensions,
        };
        Self {
            hits: list(answer.hits),
            answer: option(answer.answer),
            citations: list(answer.citations),
            sources: list(answer.sources),
            search_modes_used: list(answer.search_modes_used),
            reasoning: answer.reasoning.into(),
            degraded: answer.degraded,
            rest_json: to_slot(&rest),
            extra_json: RString::new(),
        }
    }
}

impl From<AbiAnswer> for Answer {
    fn from(answer: AbiAnswer) -> Self {
        let rest: Rest = from_slot(&answer.rest_json);
        let mut read = Answer::new(unlist(answer.hits))
            .with_answer(unoption(answer.answer))
            .with_answer_status(rest.answer_status)
            .with_answer_confidence(rest.answer_confidence)
            .with_answer_highlights(rest.answer_highlights)
            .with_citations(unlist(answer.citations))
            .with_sources(unlist(answer.sources))
            .with_search_modes_used(unlist(answer.search_modes_used))
            .with_reasoning(answer.reasoning)
            .with_plan(rest.plan)
            .with_pipeline_details(rest.pipeline_details)
            .with_degraded(answer.degraded);
        read.extensions = rest.extensions;
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_keeps_its_confidence_and_its_highlights_over_the_boundary() {
        let answer = Answer::default()
            .with_answer("The pump [#E1].".to_owned())
            .with_answer_status(AnswerStatus::Grounded)
            .with_answer_confidence(0.92)
            .with_answer_highlights(vec![0..3, 4..8]);
        let crossed = AbiAnswer::from(answer.clone());
        assert_eq!(Answer::from(crossed), answer);
    }

    #[test]
    fn an_answer_of_an_older_plugin_has_neither_confidence_nor_highlights() {
        let mut older = AbiAnswer::from(Answer::default());
        assert_eq!(older.rest_json, "");
        older.rest_json = r#"{"answer_status": "grounded"}"#.into();
        let read = Answer::from(older);
        assert_eq!(read.answer_status, Some(AnswerStatus::Grounded));
        assert_eq!(read.answer_confidence, None);
        assert!(read.answer_highlights.is_empty());
    }

    #[test]
    fn a_confidence_that_is_not_finite_is_none_over_the_boundary() {
        let answer = Answer::default().with_answer_confidence(f64::NAN);
        assert_eq!(Answer::from(AbiAnswer::from(answer)), Answer::default());
    }
}
