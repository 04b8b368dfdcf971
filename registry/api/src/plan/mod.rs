//! The query plan: what the host read in a question before anything is
//! searched.

mod field_kinds;
mod parts;
mod set;
mod set_measure;
mod set_row;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::query::{ParsedQuery, is_stop_word, plain_words};
use crate::setters::setters;
use crate::{Filter, fold};

pub use parts::{EntityKind, PlanEntity, PlanSource, PlanTime, Precision};
pub use set::{
    GroupBy, SetCertainty, SetGroup, SetMember, SetMembers, SetOperation, SetQuery, SetRequest,
};
pub use set_measure::SetMeasure;

/// What the host read in a question: times, entities and intent, each with
/// its place in the text.
///
/// The host makes one plan per question and hands it to every search module
/// and pipeline ([`SearchRequest::plan`](crate::SearchRequest::plan),
/// [`PipelineRequest::plan`](crate::PipelineRequest::plan)). A plugin that
/// rewrites a question asks for the plan of the new one with
/// [`Context::query_plan`](crate::Context::query_plan).
///
/// What was typed as a field (`author:voss`, `date:2024-06`) or given as a
/// filter is strict: the stores apply it already. What was read in the words
/// of the question is soft: it may bring entries in and raise them, but must
/// not hide any.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct QueryPlan {
    /// The question that was planned, cut to `max_query_chars`. All spans are
    /// byte ranges of it.
    pub text: String,
    /// The question as the query language reads it.
    pub query: ParsedQuery,
    /// The distinct words of the question without stop words, in order, as
    /// typed: neither fields nor what the query excludes.
    pub terms: Vec<String>,
    /// The times that the question names, in the order of the text; those of
    /// flags last.
    pub times: Vec<PlanTime>,
    /// The authors, field values and devices that the question names, in the
    /// order of the text; those of flags last. Two entities may have the same
    /// span: a name can be the value of several fields.
    pub entities: Vec<PlanEntity>,
    /// What kind of answer is asked for.
    pub intent: Intent,
    /// The words that decided the intent, as typed.
    pub intent_words: Vec<String>,
    /// Which entries come first among those that are meant, where the question
    /// says so; see [`time_order`](Self::time_order).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<TimeOrder>,
    /// The words that decided the order beside the intent, as typed: "when did
    /// RF-2 last trip, and what fixed it" asks for a repair, of the newest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order_words: Vec<String>,
    /// How many entries are wanted, where a question for the newest or the
    /// oldest says so: "the last three trips". Its number is one of the words
    /// that decided the intent or the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries_wanted: Option<usize>,
    /// What is asked of a set of entries, where the question is about more than
    /// one: how many, which, the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetQuery>,
    /// Parts of a question about entries that neither a set nor a search answers,
    /// as typed: a percentage of them, or words that it excludes ("except trips").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Each decision and its reason, for people.
    pub notes: Vec<String>,
    /// The language whose rules read the text, as an ISO 639-1 code; none
    /// when no word of a known language is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

setters!(QueryPlan {
    with_text(text: impl Into<String>),
    with_times(times: Vec<PlanTime>),
    with_entities(entities: Vec<PlanEntity>),
    with_intent(intent: Intent),
    with_intent_words(intent_words: Vec<String>),
    with_entries_wanted(entries_wanted: usize),
    with_set(set: impl Into<Option<SetQuery>>),
    with_unread(unread: Vec<String>),
    with_notes(notes: Vec<String>),
});

/// What the host service [`PlanRequest::SERVICE`] is asked, as JSON. It answers
/// with a [`QueryPlan`]. Plugins use it through
/// [`Context::query_plan`](crate::Context::query_plan).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PlanRequest {
    /// The question.
    pub text: String,
    /// The filter of the searches to come.
    pub filter: Filter,
}

impl PlanRequest {
    /// The name of the service for [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "query_plan";

    /// A request for the plan of a question under this filter.
    pub fn new(text: impl Into<String>, filter: Filter) -> Self {
        Self {
            text: text.into(),
            filter,
        }
    }
}

/// Which end of time a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeOrder {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

impl TimeOrder {
    /// Its name in results: `newest` or `oldest`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }
}

/// What kind of answer a question asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Entries about something; nothing in particular is asked.
    #[default]
    Find,
    /// Why something happened.
    Cause,
    /// How something was repaired.
    Fix,
    /// When something happened.
    When,
    /// The newest entry about something.
    Latest,
    /// The oldest entry about something.
    First,
    /// How many there are.
    Count,
    /// Which there are.
    List,
    /// How two things differ.
    Compare,
    /// Whether something is so.
    YesNo,
}

impl QueryPlan {
    /// A plan with the terms of a text and nothing else: no times, no
    /// entities, [`Intent::Find`].
    pub fn of_terms(text: impl Into<String>, query: ParsedQuery) -> Self {
        let text = text.into();
        Self {
            terms: distinct_terms(&text, |_| false),
            query,
            text,
            ..Self::default()
        }
    }

    /// The text without the words of soft times, and of soft entities that a
    /// field has: what is left to search under them. Strict fields stay, so
    /// that the query language reads them again. Empty when nothing is left.
    ///
    /// ```
    /// use gannet_api::{PlanSource, PlanTime, Precision, QueryPlan};
    ///
    /// let march = PlanTime::new(Precision::Month, PlanSource::Words)
    ///     .with_from("2025-03-01T00:00:00Z".parse().ok())
    ///     .with_to("2025-04-01T00:00:00Z".parse().ok())
    ///     .with_span(16..26);
    /// let plan = QueryPlan::default()
    ///     .with_text("what tripped in March 2025?")
    ///     .with_times(vec![march]);
    /// assert_eq!(plan.residual(), "what tripped in ?");
    /// assert_eq!(plan.content_terms(), ["tripped"]);
    /// ```
    pub fn residual(&self) -> String {
        let times = self.soft_times().filter_map(|time| time.span.clone());
        let entities = self.soft_entities().filter(|entity| entity.field.is_some());
        let spans = times.chain(entities.filter_map(|entity| entity.span.clone()));
        without(&self.text, spans.collect())
    }

    /// The distinct words of the [residual](Self::residual) that say what is
    /// asked about: without stop words, and without words such as "how many"
    /// and "last" that decided the intent. "repaired" and "cause" stay: entries
    /// say them too. Fields and what the query excludes are not among the
    /// [`terms`](Self::terms), and not among these.
    pub fn content_terms(&self) -> Vec<String> {
        let terms: Vec<String> = self.terms.iter().map(|term| fold(term)).collect();
        // In text without spaces what is left is a part of a term.
        let is_term = |word: &str| {
            let word = fold(word);
            terms.is_empty() || terms.iter().any(|term| term.contains(&word))
        };
        distinct_terms(&self.residual(), |word| {
            self.is_intent_word(word) || !is_term(word)
        })
    }

    /// The order in time that the question asks for: by its intent, or beside
    /// it.
    pub fn time_order(&self) -> Option<TimeOrder> {
        match self.intent {
            Intent::Latest => Some(TimeOrder::Newest),
            Intent::First => Some(TimeOrder::Oldest),
            _ => self.order,
        }
    }

    /// The times of the question's words.
    pub fn soft_times(&self) -> impl Iterator<Item = &PlanTime> {
        self.times.iter().filter(|time| !time.strict)
    }

    /// The entities of the question's words.
    pub fn soft_entities(&self) -> impl Iterator<Item = &PlanEntity> {
        self.entities.iter().filter(|entity| !entity.strict)
    }

    fn is_intent_word(&self, word: &str) -> bool {
        // What caused or fixed something stands in the entries too. Of the last
        // trip, whatever fixed it, the trip is what is looked for.
        let is_of_content = matches!(self.intent, Intent::Find | Intent::Cause | Intent::Fix)
            && self.order.is_none();
        let intent = self.intent_words.iter().filter(|_| !is_of_content);
        let mut words = intent
            .chain(&self.order_words)
            .flat_map(|part| plain_words(part));
        words.any(|own| fold(own) == fold(word))
    }
}

/// The words of a text, each once: without stop words and those left out.
fn distinct_terms(text: &str, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
    let mut seen = HashSet::new();
    let words = plain_words(text).filter(|word| !is_stop_word(word) && !is_left_out(word));
    let distinct = words.filter(|word| seen.insert(fold(word)));
    distinct.map(str::to_owned).collect()
}

/// The text without the spans, with single spaces in their place.
fn without(text: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_by_key(|span| span.start);
    let (mut kept, mut at) = (Vec::new(), 0);
    for span in spans {
        // A span that is not of this text, or inside of one before it, takes
        // nothing away.
        kept.extend(text.get(at..span.start));
        at = at.max(span.end);
    }
    kept.extend(text.get(at..));
    let parts = kept.iter().flat_map(|part| part.split_whitespace());
    parts.collect::<Vec<_>>().join(" ")
}
