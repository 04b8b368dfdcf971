//! Reads entries for a question.

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Context, Diagnostic, Error, Result};
use gannet_plugin::provider::{ReadRequest, ReadSpan, Reading};
use gannet_plugin::search::{SpanSimilarities, SpanSimilarityRequest};

use crate::answered::{AnswerFeatures, answer_features};
use crate::candidates::{Text, read, sentence_frequencies};
use crate::choose::{Place, choose};
use crate::features::{Scope, SentenceFeatures};
use crate::question::Question;
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
    pub range: std::ops::Range<usize>,
    /// As it is quoted.
    pub text: String,
    /// Its features.
    pub features: SentenceFeatures,
    /// Its probability by the compiled weights.
    pub probability: f32,
}

/// Reads the entries of a request.
pub(crate) async fn answer(
    request: &ReadRequest,
    timezone: &str,
    context: &Context,
) -> Result<(Reading, Trace)> {
    let weights = Weights::builtin().map_err(|error| Error::internal(error.to_string()))?;
    let plan = match &request.plan {
        Some(plan) => plan.clone(),
        None => QueryPlan::of_terms(&request.question, Default::default()).into(),
    };
    let texts = read(&request.passages);
    let similarities = similarities(request, &texts, context).await;
    let has_vectors = similarities.entries.iter().flatten().any(Option::is_some);
    let models = match has_vectors {
        true => &weights.with_vectors,
        false => &weights.without_vectors,
    };
    let frequencies = sentence_frequencies(&texts);
    let sentences = texts.iter().map(|text| text.sentences.len()).sum();
    let question = Question::read(&plan, &similarities, &frequencies, sentences);
    let idfs = similarities.words.iter().zip(&similarities.idfs);
    let vector_words = idfs.map(|(word, idf)| {
        let is_focus = question.focus.contains(&gannet_stages::stem(word));
        (*idf, is_focus)
    });
    let scope = Scope {
        question: &question,
        passages: &request.passages,
        texts: &texts,
        frequencies: &frequencies,
        similarities: &similarities.entries,
        vector_words: vector_words.collect(),
    };
    let features = scope.features();
    let probabilities = probabilities(&features, models);
    let chosen = choose(&texts, &probabilities, weights.budget, request.max_chars);
    let of =
        |chosen: &[Place]| answer_features(&scope, chosen, &probabilities, &features, timezone);
    let mut trace = trace(&texts, &features, &probabilities);
    trace.has_vectors = has_vectors;
    let entries = texts.iter().enumerate();
    let answers =
        entries.map(|(entry, text)| (!text.sentences.is_empty()).then(|| of(&[(entry, 0)])));
    trace.answers = answers.collect();
    if chosen.is_empty() {
        return Ok((Reading::new(Vec::new(), 1.0), trace));
    }
    let answered = models.answer.probability(&of(&chosen).values());
    let spans = spans(chosen, &texts, &probabilities);
    Ok((Reading::new(spans, f64::from(1.0 - answered)), trace))
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

fn trace(texts: &[Text], features: &[Vec<SentenceFeatures>], probabilities: &[Vec<f32>]) -> Trace {
    let sentences = texts.iter().zip(features).zip(probabilities);
    let sentences = sentences.map(|((text, features), probabilities)| {
        let sentences = text.sentences.iter().zip(features).zip(probabilities);
        let traced = sentences.map(|((sentence, features), probability)| TracedSentence {
            range: sentence.range.clone(),
            text: sentence.text.clone(),
            features: features.clone(),
            probability: *probability,
        });
        traced.collect()
    });
    Trace {
        sentences: sentences.collect(),
        ..Trace::default()
    }
}
