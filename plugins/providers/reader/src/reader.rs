//! Reads entries for a question.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Context, Diagnostic};
use gannet_plugin::provider::{ReadRequest, ReadSpan, Reading};
use gannet_plugin::query::ParsedQuery;
use gannet_plugin::search::{SpanSimilarities, SpanSimilarityRequest};

use crate::answered::{AnswerFeatures, answer_features};
use crate::candidates::{Text, read, sentence_frequencies};
use crate::choose::{Place, choose};
use crate::features::SentenceFeatures;
use crate::marks::marks;
use crate::question::Question;
use crate::scope::Scope;
use crate::weights::{Models, Weights};

/// What the models were given and what came of it, for training.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// For each entry read, its sentences with their features.
    pub sentences: Vec<Vec<TracedSentence>>,
    /// For each entry read, what an answer with its first sentence would have;
    /// `None` where it has no sentence.
    pub answers: Vec<Option<AnswerFeatures>>,
    /// Whether there were token vectors.
    pub has_vectors: bool,
}

/// One sentence of a [`Trace`].
#[derive(Debug, Clone)]
pub struct TracedSentence {
    /// Its bytes in the `raw_text` of the entry.
    pub range: Range<usize>,
    /// As it is quoted.
    pub text: String,
    /// Its features.
    pub features: SentenceFeatures,
}

/// The entries of a request, read for its question.
pub(crate) struct Read<'r> {
    request: &'r ReadRequest,
    plan: Arc<QueryPlan>,
    timezone: &'r str,
    texts: Vec<Text>,
    frequencies: HashMap<String, usize>,
    similarities: SpanSimilarities,
}

impl<'r> Read<'r> {
    /// Reads the entries, and asks the host how similar their sentences are to
    /// the question.
    pub(crate) async fn new(
        request: &'r ReadRequest,
        timezone: &'r str,
        context: &Context,
    ) -> Self {
        let without_plan = || QueryPlan::of_terms(&request.question, ParsedQuery::default()).into();
        let texts = read(&request.passages);
        Self {
            plan: request.plan.clone().unwrap_or_else(without_plan),
            similarities: similarities(request, &texts, context).await,
            frequencies: sentence_frequencies(&texts),
            request,
            timezone,
            texts,
        }
    }

    fn has_vectors(&self) -> bool {
        self.similarities
            .entries
            .iter()
            .flatten()
            .any(Option::is_some)
    }

    fn question(&self) -> Question<'_> {
        let sentences = self.texts.iter().map(|text| text.sentences.len()).sum();
        Question::read(&self.plan, &self.similarities, &self.frequencies, sentences)
    }

    fn scope<'s>(&'s self, question: &'s Question<'s>) -> Scope<'s> {
        let idfs = self.similarities.words.iter().zip(&self.similarities.idfs);
        let vector_words = idfs.map(|(word, idf)| {
            let is_focus = question.focus.contains(&gannet_stages::stem(word));
            (*idf, is_focus)
        });
        Scope {
            question,
            passages: &self.request.passages,
            texts: &self.texts,
            frequencies: &self.frequencies,
            similarities: &self.similarities.entries,
            vector_words: vector_words.collect(),
        }
    }

    /// The sentences that answer, and the probability that they do not.
    pub(crate) fn reading(&self, weights: &Weights) -> Reading {
        let question = self.question();
        let scope = self.scope(&question);
        let features = scope.features();
        let models = match self.has_vectors() {
            true => &weights.with_vectors,
            false => &weights.without_vectors,
        };
        let probabilities = probabilities(&features, models);
        let max_chars = self.request.max_chars;
        let chosen = choose(&self.texts, &probabilities, weights.budget, max_chars);
        if chosen.is_empty() {
            return Reading::new(Vec::new(), 1.0);
        }
        let answer = answer_features(&scope, &chosen, &probabilities, &features, self.timezone);
        let answered = models.answer.probability(&answer.values());
        let best = chosen[0];
        let mut spans = spans(chosen, &self.texts, &probabilities);
        let sentence = &self.texts[best.0].sentences[best.1].range;
        let of_best = |span: &&mut ReadSpan| span.passage == best.0 && span.range == *sentence;
        if let Some(span) = spans.iter_mut().find(of_best) {
            let text = &self.request.passages[best.0].entry.raw_text;
            span.answers = marks(&question, text, sentence);
        }
        Reading::new(spans, f64::from(1.0 - answered))
    }

    /// The features of the sentences and of answers, for training.
    pub(crate) fn trace(&self) -> Trace {
        let question = self.question();
        let scope = self.scope(&question);
        let features = scope.features();
        // What depends on them is computed by the training.
        let probabilities: Vec<Vec<f32>> = features.iter().map(|of| vec![0.0; of.len()]).collect();
        let answer = |(entry, text): (usize, &Text)| {
            let first = [(entry, 0)];
            let of = || answer_features(&scope, &first, &probabilities, &features, self.timezone);
            (!text.sentences.is_empty()).then(of)
        };
        let sentences = self.texts.iter().zip(&features).map(|(text, features)| {
            let sentences = text.sentences.iter().zip(features);
            let traced = sentences.map(|(sentence, features)| TracedSentence {
                range: sentence.range.clone(),
                text: sentence.text.clone(),
                features: features.clone(),
            });
            traced.collect()
        });
        Trace {
            sentences: sentences.collect(),
            answers: self.texts.iter().enumerate().map(answer).collect(),
            has_vectors: self.has_vectors(),
        }
    }
}

/// How similar the sentences are to the question. Without an answer of the
/// host the words alone decide.
async fn similarities(
    request: &ReadRequest,
    texts: &[Text],
    context: &Context,
) -> SpanSimilarities {
    let entries = request.passages.iter().zip(texts);
    let entries = entries.map(|(passage, text)| text.spans(&passage.entry));
    let asked = SpanSimilarityRequest::new(&request.question, entries.collect());
    match context.span_similarity(asked).await {
        Ok(similarities) => similarities,
        Err(error) => {
            let message = format!("sentences were chosen by words alone: {error}");
            context.diagnose(Diagnostic::info("reader", message).category(error.category()));
            SpanSimilarities::default()
        }
    }
}

fn probabilities(features: &[Vec<SentenceFeatures>], models: &Models) -> Vec<Vec<f32>> {
    let of_entry = |entry: &Vec<SentenceFeatures>| {
        let sentences = entry.iter();
        let probability = |f: &SentenceFeatures| models.sentence.probability(&f.values());
        sentences.map(probability).collect()
    };
    features.iter().map(of_entry).collect()
}

/// The chosen sentences in the order in which they are read: entry by entry in
/// the order of their best sentences, and in the order of the text.
fn spans(mut chosen: Vec<Place>, texts: &[Text], probabilities: &[Vec<f32>]) -> Vec<ReadSpan> {
    let mut entries: Vec<usize> = Vec::new();
    for (entry, _) in &chosen {
        if !entries.contains(entry) {
            entries.push(*entry);
        }
    }
    chosen.sort_by_key(|(entry, at)| (entries.iter().position(|other| other == entry), *at));
    let span = |(entry, at): Place| {
        let range = texts[entry].sentences[at].range.clone();
        ReadSpan::new(entry, range, f64::from(probabilities[entry][at]))
    };
    chosen.into_iter().map(span).collect()
}
