//! Reads entries for a question.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Context, Diagnostic, Result};
use gannet_plugin::provider::{EmbedPurpose, EmbedRequest, ReadRequest, ReadSpan, Reading};
use gannet_plugin::query::ParsedQuery;
use gannet_plugin::search::{EntrySpans, SpanSimilarities, SpanSimilarityRequest};

use crate::answered::{AnswerFeatures, answer_features};
use crate::candidates::{Text, read, sentence_frequencies};
use crate::choose::{Place, choose, ranked};
use crate::cues::{Ask, Cues};
use crate::features::SentenceFeatures;
use crate::marks::marks;
use crate::question::Question;
use crate::question_vectors::QuestionVectors;
use crate::scope::Scope;
use crate::weights::{Models, Weights};
use crate::word_scores::WordScores;
use crate::words::Word;

/// Sentences whose words are scored: the chosen ones, and so many of the most
/// probable.
const SENTENCES_OF_WORDS: usize = 6;
/// Letters before it are Latin ones, those with accents among them (Latin
/// Extended-B).
const LATIN_END: char = '\u{250}';

/// What is done when the host does not give the vectors of words.
const WITHOUT_WORDS: &str = "the answer was judged without its words";

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
    /// The vectors of the question, where there are any and its language has
    /// cues.
    pub question_vectors: Option<QuestionVectors>,
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
    /// Its stored words; none where there are no vectors of the question.
    pub words: Vec<Word>,
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
            timezone: self.timezone,
        }
    }

    /// The sentences that answer, and the probability that they do not.
    pub(crate) async fn reading(&self, weights: &Weights, context: &Context) -> Reading {
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
        let answer = answer_features(&scope, &chosen, &probabilities, &features);
        let answer = answer.values();
        let scores = self.word_scores(models, &chosen, &probabilities, &question.asks, context);
        let answered = match (scores.await, models.of_words()) {
            (Some(scores), Some((_, model))) => {
                model.probability(&[answer, scores.values()].concat())
            }
            _ => models.answer.probability(&answer),
        };
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
    pub(crate) async fn trace(&self, context: &Context) -> Trace {
        let question = self.question();
        let scope = self.scope(&question);
        let features = scope.features();
        // What depends on them is computed by the training.
        let probabilities: Vec<Vec<f32>> = features.iter().map(|of| vec![0.0; of.len()]).collect();
        let answer = |(entry, text): (usize, &Text)| {
            let first = [(entry, 0)];
            let of = || answer_features(&scope, &first, &probabilities, &features);
            (!text.sentences.is_empty()).then(of)
        };
        let question_vectors = self.question_vectors(context).await;
        let words = match &question_vectors {
            Some(vectors) => self.words(all_places(&features), vectors, context).await,
            None => None,
        };
        let mut words: HashMap<Place, Vec<Word>> = words.into_iter().flatten().collect();
        let sentences = self.texts.iter().zip(&features).enumerate();
        let sentences = sentences.map(|(entry, (text, features))| {
            let sentences = text.sentences.iter().zip(features).enumerate();
            let traced = sentences.map(|(at, (sentence, features))| TracedSentence {
                range: sentence.range.clone(),
                text: sentence.text.clone(),
                features: features.clone(),
                words: words.remove(&(entry, at)).unwrap_or_default(),
            });
            traced.collect()
        });
        Trace {
            sentences: sentences.collect(),
            answers: self.texts.iter().enumerate().map(answer).collect(),
            has_vectors: self.has_vectors(),
            question_vectors,
        }
    }
}

impl Read<'_> {
    /// What the words of the chosen sentences say, beside those of the most
    /// probable others; `None` where the models know nothing of words, or not
    /// of those of this embedder or language.
    async fn word_scores(
        &self,
        models: &Models,
        chosen: &[Place],
        probabilities: &[Vec<f32>],
        asks: &[Ask],
        context: &Context,
    ) -> Option<WordScores> {
        let (model, _) = models.of_words()?;
        let vectors = self.question_vectors(context).await?;
        if !model.is_of(&vectors.model) {
            return None;
        }
        let most_probable = ranked(probabilities).into_iter().take(SENTENCES_OF_WORDS);
        let mut places: Vec<Place> = most_probable.map(|(_, place)| place).collect();
        places.extend(chosen);
        places.sort_unstable();
        places.dedup();
        let question = model.question(&vectors);
        let (mut of_chosen, mut of_others) = (Vec::new(), Vec::new());
        for (place, words) in self.words(places, &vectors, context).await? {
            let probability = probabilities[place.0][place.1];
            let words = words.iter();
            let scores = words.map(|word| model.score(&question, word, probability, asks));
            match chosen.contains(&place) {
                true => of_chosen.extend(scores),
                false => of_others.extend(scores),
            }
        }
        Some(WordScores::new(&of_chosen, &of_others, question.none))
    }

    /// The vectors of the question, where entries have token vectors and the
    /// language of the question has cues.
    async fn question_vectors(&self, context: &Context) -> Option<QuestionVectors> {
        let cues = Cues::of(self.plan.language.as_deref());
        let question = &self.request.question;
        let is_read = cues.has_data() && is_latin(question) && has_words(question);
        if !self.has_vectors() || !is_read {
            return None;
        }
        let question = vec![self.request.question.clone()];
        let asked = EmbedRequest::new(question, EmbedPurpose::Query).with_tokens(true);
        let embeddings = context.embed(asked).await;
        QuestionVectors::read(noted(embeddings, WITHOUT_WORDS, context)?, cues)
    }

    /// The stored words of these sentences, which are in order.
    async fn words(
        &self,
        places: Vec<Place>,
        question: &QuestionVectors,
        context: &Context,
    ) -> Option<Vec<(Place, Vec<Word>)>> {
        let passages = &self.request.passages;
        let entries = self.texts.iter().zip(passages).enumerate();
        let entries = entries.map(|(entry, (text, passage))| {
            let own = places.iter().filter(|place| place.0 == entry);
            let spans = own.map(|(_, at)| text.sentences[*at].range.clone());
            EntrySpans {
                entry_id: passage.entry.entry_id.clone(),
                spans: spans.collect(),
            }
        });
        let asked = SpanSimilarityRequest::new(&self.request.question, entries.collect());
        let found = context.span_similarity(asked.with_words(true)).await;
        let found = noted(found, WITHOUT_WORDS, context)?.entries;
        let found = places.into_iter().zip(found.into_iter().flatten());
        let words = found.map(|(place, span)| {
            let text = &passages[place.0].entry.raw_text;
            let words = span.map(|span| span.words).unwrap_or_default();
            (place, Word::read_all(text, words, question))
        });
        Some(words.collect())
    }
}

/// What the host gave, or a note of what is done without it.
fn noted<T>(found: Result<T>, without: &str, context: &Context) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(error) => {
            let message = format!("{without}: {error}");
            context.diagnose(Diagnostic::info("reader", message).category(error.category()));
            None
        }
    }
}

fn all_places(features: &[Vec<SentenceFeatures>]) -> Vec<Place> {
    let entries = features.iter().enumerate();
    entries
        .flat_map(|(entry, sentences)| (0..sentences.len()).map(move |at| (entry, at)))
        .collect()
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
    let found = context.span_similarity(asked).await;
    noted(found, "sentences were chosen by words alone", context).unwrap_or_default()
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

/// Whether a question has words enough to ask for a detail: the model of words
/// has seen no question of one word.
fn has_words(question: &str) -> bool {
    question.split_whitespace().nth(1).is_some()
}

/// Whether most letters of a text are Latin ones. The language of a question of
/// few words is often not known, and may be English then.
fn is_latin(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic());
    let (latin, others): (Vec<char>, Vec<char>) = letters.partition(|letter| *letter < LATIN_END);
    latin.len() >= others.len()
}
