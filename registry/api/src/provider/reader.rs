//! Readers: a question and entries in, the spans that answer it out.

use std::future::Future;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::readable::{known_or_none, number_or_nan};
use crate::setters::setters;
use crate::{Context, Entry, Error, QueryPlan, Result, ResultFuture};

/// A provider that finds the words of entries which answer a question, such
/// as an extractive question-answering model, as its author writes it.
pub trait Reader: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// The spans that answer, and how probable it is that nothing does.
    fn read(
        &self,
        request: ReadRequest,
        context: &Context,
    ) -> impl Future<Output = Result<Reading>> + Send;
}

/// [`Reader`] behind a pointer; implemented for every reader.
pub trait DynReader: Send + Sync {
    dyn_lifecycle!();

    /// See [`Reader::read`].
    fn read<'a>(&'a self, request: ReadRequest, context: &'a Context) -> ResultFuture<'a, Reading>;
}

behind_pointer!(Reader as DynReader {
    read(request: ReadRequest) -> Reading;
});

/// What a reader is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadRequest {
    /// The question.
    pub question: String,
    /// The entries that were found, best first.
    pub passages: Vec<ReadPassage>,
    /// Characters of all spans together, at most.
    pub max_chars: usize,
    /// What the host read in the question, where it did. A plan that this side
    /// cannot read is as if it were not there.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    pub plan: Option<Arc<QueryPlan>>,
    /// Which provider; the built-in reader when missing.
    #[serde(default)]
    pub provider: Option<String>,
}

impl ReadRequest {
    /// The name of the service behind [`Host::call`](crate::Host::call): this
    /// request as JSON in, a [`Reading`] as JSON out.
    pub const SERVICE: &str = "read";

    /// A question over entries, for the built-in reader.
    pub fn new(question: impl Into<String>, passages: Vec<ReadPassage>, max_chars: usize) -> Self {
        Self {
            question: question.into(),
            passages,
            max_chars,
            ..Self::default()
        }
    }
}

impl Context {
    /// The spans of entries that answer a question, by a reader.
    ///
    /// # Errors
    /// Those of the reader; [`Error::NotFound`] for one that is not configured;
    /// [`Error::Unavailable`] where the host has no readers.
    pub async fn read(&self, request: ReadRequest) -> Result<Reading> {
        match self.ask(ReadRequest::SERVICE, &request).await {
            Err(error) if error.is_missing_service() => Err(Error::Unavailable {
                message: "this host has no readers; they need one of contract 2.1".to_owned(),
            }),
            answered => answered,
        }
    }
}

setters!(ReadRequest {
    with_plan(plan: impl Into<Option<Arc<QueryPlan>>>),
    with_provider(provider: impl Into<Option<String>>),
});

/// An entry that may answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadPassage {
    /// The entry. Spans are of its `raw_text`.
    pub entry: Entry,
    /// The score of its hit. Scores of one request compare, those of two do
    /// not.
    pub score: f64,
}

impl ReadPassage {
    /// An entry with the score of its hit.
    pub fn new(entry: Entry, score: f64) -> Self {
        Self { entry, score }
    }
}

/// What a reader found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Reading {
    /// The spans that answer together, in the order in which they should be
    /// read. They do not overlap.
    pub spans: Vec<ReadSpan>,
    /// The probability that these spans do not answer the question, 0 to 1.
    #[serde(deserialize_with = "number_or_nan")]
    pub no_answer: f64,
}

impl Reading {
    /// Spans, with the probability that they do not answer.
    pub fn new(spans: Vec<ReadSpan>, no_answer: f64) -> Self {
        Self { spans, no_answer }
    }
}

/// A part of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadSpan {
    /// Which of the passages, from 0.
    pub passage: usize,
    /// Its bytes in the `raw_text` of the entry.
    pub range: Range<usize>,
    /// The probability that it holds the answer or a part of it, 0 to 1.
    #[serde(deserialize_with = "number_or_nan")]
    pub probability: f64,
    /// The bytes of the words that answer, inside of `range`, where the
    /// reader knows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Range<usize>>,
}

impl ReadSpan {
    /// A span of the passage at this place, from 0.
    pub fn new(passage: usize, range: Range<usize>, probability: f64) -> Self {
        Self {
            passage,
            range,
            probability,
            answers: Vec::new(),
        }
    }
}

setters!(ReadSpan {
    with_answers(answers: Vec<Range<usize>>),
});
