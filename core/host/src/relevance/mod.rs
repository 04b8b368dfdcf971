//! The probability that an entry is about what a question asks: a learned
//! model over the words of question and entry and, where the question was
//! encoded, over their token vectors.
//!
//! - [`words`]: the words of the question, and where an entry has them;
//! - [`features`]: what the model sees;
//! - [`model`]: the model and its weights, which `training/relevance` makes.

mod features;
mod model;
mod words;

use std::collections::HashMap;

use gannet_api::{
    Call, DEFAULT_TENANT, Deadline, Diagnostic, EmbedPurpose, EmbedRequest, Entry, EntrySpans,
    Error, Filter, QueryPlan, QuerySyntax, RelevanceRequest, Result, SpanSimilarity,
    SpanSimilarityRequest, limits,
};

use crate::isolate::within;
use crate::planning::Question;
use crate::replies::{AskedBy, RequestState};
use crate::result::SearchHit;
use crate::services::Services;
use crate::{Gannet, HostError};
use gannet_model::flag;

pub use features::RelevanceFeatures;
pub(crate) use model::card;
use model::models;
use words::{AskedTerm, WordComparison};

/// The pipeline whose questions are encoded as those of training.
pub(crate) const RAG: &str = "rag";

/// What entries are compared with.
pub(crate) struct Asked<'a> {
    /// The question, as an embedder is given it.
    pub(crate) text: &'a str,
    /// The words that an entry is to be about; those of the plan where there
    /// are none.
    pub(crate) topic: &'a [String],
    pub(crate) plan: &'a QueryPlan,
}

/// What the models see of an entry.
struct SeenEntry {
    features: RelevanceFeatures,
    /// Whether there are token vectors of it.
    has_vectors: bool,
    /// Whether the question has no words beside times and values.
    has_conditions_alone: bool,
}

impl SeenEntry {
    fn meets_conditions(&self) -> bool {
        self.features.misses_time == 0.0 && self.features.misses_value == 0.0
    }
}

impl<'a> Asked<'a> {
    /// A question and what was read in it.
    pub(crate) fn question(text: &'a str, plan: &'a QueryPlan) -> Self {
        Self {
            text,
            topic: &[],
            plan,
        }
    }
}

impl Services {
    /// Answers the host service [`RelevanceRequest::SERVICE`].
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a payload that is no [`RelevanceRequest`],
    /// and for too many entries; [`Error::Store`].
    pub(crate) async fn answer_relevance_request(
        &self,
        call: &Call,
        payload: &[u8],
        instance: &str,
        state: &RequestState,
    ) -> Result<Vec<u8>> {
        let request: RelevanceRequest = serde_json::from_slice(payload)
            .map_err(|error| Error::invalid_input(format!("not a relevance request: {error}")))?;
        let ids = &request.entry_ids;
        if ids.len() > limits::SCORED_ENTRIES {
            return Err(Error::invalid_input(format!(
                "the relevance of {} entries; at most {} are possible",
                ids.len(),
                limits::SCORED_ENTRIES
            )));
        }
        let filter = Filter::none();
        let question = Question {
            text: &request.query,
            syntax: QuerySyntax::Operators,
            filter: &filter,
        };
        let plan = self.query_plan(call, question, state).await;
        let entries = state.shown().entries(self.store(), &call.tenant, ids);
        let entries = entries.await?;
        let asked = Asked::question(&request.query, &plan);
        let of_entries: Vec<&Entry> = entries.iter().collect();
        let found = self.relevance(call, &asked, &of_entries, instance, state);
        let found = found.await?;
        let of_ids = entries.iter().map(|entry| entry.entry_id.clone());
        state.keep_relevance(AskedBy::Question, of_ids.zip(found.iter().copied()));
        serde_json::to_vec(&in_order(ids, &entries, found))
            .map_err(|error| Error::internal(format!("relevance: {error}")))
    }

    /// Sets the relevance of the hits of a result: what a pipeline asked for, for
    /// the question or for the set that it answered with, stands, and the others
    /// are compared with the question. Where that fails, a note says so.
    pub(crate) async fn set_relevance(
        &self,
        call: &Call,
        asked: &Asked<'_>,
        hits: &mut [SearchHit],
        instance: &str,
        (state, by): (&RequestState, AskedBy),
    ) -> Option<Diagnostic> {
        for hit in hits.iter_mut() {
            hit.relevance = state.relevance(by, &hit.entry.entry_id);
        }
        let comparing = self.compare_hits(call, asked, hits, instance, state);
        let error = within("relevance", call.deadline, comparing).await.err()?;
        let message = format!("the relevance of the entries is not known: {error}");
        Some(Diagnostic::info("service.relevance", message).category(error.category()))
    }

    async fn compare_hits(
        &self,
        call: &Call,
        asked: &Asked<'_>,
        hits: &mut [SearchHit],
        instance: &str,
        state: &RequestState,
    ) -> Result<()> {
        let unknown: Vec<&Entry> = hits
            .iter()
            .filter(|hit| hit.relevance.is_none())
            .map(|hit| &hit.entry)
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let found = self.relevance(call, asked, &unknown, instance, state);
        let mut found = found.await?.into_iter();
        let unknown = hits.iter_mut().filter(|hit| hit.relevance.is_none());
        for hit in unknown {
            hit.relevance = found.next();
        }
        Ok(())
    }

    /// The probability for each of the entries.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub(crate) async fn relevance(
        &self,
        call: &Call,
        asked: &Asked<'_>,
        entries: &[&Entry],
        instance: &str,
        state: &RequestState,
    ) -> Result<Vec<f64>> {
        let features = self.relevance_features(call, asked, entries, instance, state);
        let models = models()?;
        let probability = |seen: &SeenEntry| {
            if seen.has_conditions_alone {
                return f64::from(u8::from(seen.meets_conditions()));
            }
            let model = match seen.has_vectors {
                true => &models.with_vectors,
                false => &models.without_vectors,
            };
            f64::from(model.probability(&seen.features.values()))
        };
        Ok(features.await?.iter().map(probability).collect())
    }

    /// What the models see of the entries.
    ///
    /// # Errors
    /// [`Error::Store`].
    async fn relevance_features(
        &self,
        call: &Call,
        asked: &Asked<'_>,
        entries: &[&Entry],
        instance: &str,
        state: &RequestState,
    ) -> Result<Vec<SeenEntry>> {
        let terms = self.asked_terms(call, asked).await?;
        let similarities = self.whole_entries(call, asked, entries, instance, state);
        let (weights, similarities) = similarities.await?;
        let mut comparison = WordComparison::new(&terms);
        let of_entry = |(place, entry): (usize, &&Entry)| {
            let mut features = comparison.compare(entry);
            match asked.topic.is_empty() {
                true => add_conditions(&mut features, asked.plan, entry),
                // The conditions of a set stand beside its topic.
                false => features.of_set = 1.0,
            }
            let similarity = similarities.get(place).and_then(Option::as_ref);
            if let Some(similarity) = similarity {
                add_similarity(&mut features, similarity, &weights);
            }
            SeenEntry {
                features,
                has_vectors: similarity.is_some(),
                has_conditions_alone: terms.is_empty(),
            }
        };
        Ok(entries.iter().enumerate().map(of_entry).collect())
    }

    /// The distinct terms of the question in order, with their weights.
    async fn asked_terms(&self, call: &Call, asked: &Asked<'_>) -> Result<Vec<AskedTerm>> {
        let words = match asked.topic {
            [] => asked.plan.content_terms(),
            topic => topic.to_vec(),
        };
        let mut analyser = gannet_analysis::TextTerms::default();
        let mut terms: Vec<String> = Vec::new();
        let mut of_terms: Vec<String> = Vec::new();
        for word in words {
            let parts = analyser.of(&word);
            let is_whole = parts.len() == 1;
            for term in parts {
                if !terms.contains(&term) {
                    // A stem that is stemmed again may be another one.
                    of_terms.push(if is_whole { word.clone() } else { term.clone() });
                    terms.push(term);
                }
            }
        }
        let weights = self.store().idfs(&call.tenant, &of_terms).await?;
        let terms = terms.into_iter().zip(weights);
        Ok(terms
            .map(|(term, weight)| AskedTerm { term, weight })
            .collect())
    }

    /// How similar the whole texts are to the question by token vectors, with
    /// the weight of each word that is compared. Nothing where the request
    /// has not encoded the question: words alone decide then.
    async fn whole_entries(
        &self,
        call: &Call,
        asked: &Asked<'_>,
        entries: &[&Entry],
        instance: &str,
        state: &RequestState,
    ) -> Result<(Vec<f64>, Vec<Option<SpanSimilarity>>)> {
        let is_topic = !asked.topic.is_empty();
        if !is_topic && !state.has_encoded_question() {
            return Ok((Vec::new(), Vec::new()));
        }
        let text = match is_topic {
            true => asked.topic.join(" "),
            false => asked.text.to_owned(),
        };
        let spans = entries.iter().map(|entry| EntrySpans {
            entry_id: entry.entry_id.clone(),
            spans: std::iter::once(0..entry.raw_text.len()).collect(),
        });
        let request = SpanSimilarityRequest::new(text, spans.collect());
        let found = self.span_similarity(call, request, instance, state).await?;
        let of_entry = |spans: Vec<Option<SpanSimilarity>>| spans.into_iter().next().flatten();
        Ok((
            found.idfs,
            found.entries.into_iter().map(of_entry).collect(),
        ))
    }
}

impl Gannet {
    /// What the relevance of entries to a question is computed from, for
    /// training; `None` for one that the store does not hold.
    ///
    /// # Errors
    /// [`HostError::Store`] and [`HostError::Plugin`].
    pub async fn relevance_features(
        &self,
        query: &str,
        topic: &[String],
        entry_ids: &[String],
    ) -> std::result::Result<Vec<Option<RelevanceFeatures>>, HostError> {
        let (services, state) = (self.services(), RequestState::default());
        let deadline = Deadline::after(self.request_timeout());
        let call = Call::new(self.next_request_id(), DEFAULT_TENANT, deadline);
        let question = Question {
            text: query,
            syntax: QuerySyntax::Operators,
            filter: &Filter::none(),
        };
        let plan = services.query_plan(&call, question, &state).await;
        // As a search by meaning does.
        let encoded = EmbedRequest::new(vec![query.to_owned()], EmbedPurpose::Query);
        services.embed_texts(&call, encoded, RAG, &state).await?;
        let asked = Asked {
            text: query,
            topic,
            plan: &plan,
        };
        let entries = self.store().entries(DEFAULT_TENANT, entry_ids).await?;
        let of_entries: Vec<&Entry> = entries.iter().collect();
        let features = services.relevance_features(&call, &asked, &of_entries, RAG, &state);
        let features = features.await?.into_iter().map(|seen| seen.features);
        Ok(in_order(entry_ids, &entries, features.collect()))
    }
}

/// What was found of entries, in the order in which their ids were asked for.
fn in_order<T: Clone>(ids: &[String], entries: &[Entry], found: Vec<T>) -> Vec<Option<T>> {
    let of_entries = entries.iter().map(|entry| entry.entry_id.as_str());
    let known: HashMap<&str, T> = of_entries.zip(found).collect();
    ids.iter()
        .map(|id| known.get(id.as_str()).cloned())
        .collect()
}

/// Whether the entry is of the times and has the values that the question
/// names.
fn add_conditions(features: &mut RelevanceFeatures, plan: &QueryPlan, entry: &Entry) {
    let mut times = plan.soft_times().peekable();
    let names_time = times.peek().is_some();
    let is_of_time = times.any(|time| time.range().contains(entry.timestamp));
    features.names_time = flag(names_time);
    features.misses_time = flag(names_time && !is_of_time);
    let named = || plan.soft_entities().filter(|entity| entity.field.is_some());
    let has = |span: &Option<std::ops::Range<usize>>| {
        let mut alike = plan.soft_entities().filter(|other| other.span == *span);
        alike.any(|entity| entity.clause().is_some_and(|clause| clause.matches(entry)))
    };
    features.names_value = flag(named().next().is_some());
    features.misses_value = flag(named().any(|entity| !has(&entity.span)));
}

fn add_similarity(features: &mut RelevanceFeatures, found: &SpanSimilarity, weights: &[f64]) {
    let words = found.nearest.iter().zip(weights);
    let total: f64 = weights.iter().sum();
    let sum: f64 = words
        .map(|(nearest, weight)| f64::from(*nearest) * weight)
        .sum();
    let least = found.nearest.iter().copied().fold(f32::INFINITY, f32::min);
    if total > 0.0 && least.is_finite() {
        features.similarity = (sum / total) as f32;
        features.similarity_least = least;
    }
    features.mean = found.mean;
}
