//! Enhancers: what is added to entries after they are stored.

use std::future::Future;
use std::ops::Range;

use serde_json::{Map, Value};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::setters::setters;
use crate::{Context, Entry, Result, ResultFuture};

/// An enhancement module, as its author writes it. Modules run in the order
/// of [`Descriptor::execution_order`](crate::Descriptor::execution_order).
pub trait Enhancer: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// Works on a batch. Every entry gets one [`Enhanced`] with its own
    /// outcome; an `Err` means that none of the batch was done.
    fn enhance(
        &self,
        entries: Vec<Entry>,
        context: &Context,
    ) -> impl Future<Output = Result<Vec<Enhanced>>> + Send;
}

/// [`Enhancer`] behind a pointer; implemented for every enhancer.
pub trait DynEnhancer: Send + Sync {
    dyn_lifecycle!();

    /// See [`Enhancer::enhance`].
    fn enhance<'a>(
        &'a self,
        entries: Vec<Entry>,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Enhanced>>;
}

behind_pointer!(Enhancer as DynEnhancer {
    enhance(entries: Vec<Entry>) -> Vec<Enhanced>;
});

/// What became of one entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Enhanced {
    /// Which entry.
    pub entry_id: String,
    /// What to add to it, or why nothing can be.
    pub outcome: std::result::Result<Patch, String>,
}

impl Enhanced {
    /// What became of an entry.
    pub fn new(entry_id: impl Into<String>, outcome: std::result::Result<Patch, String>) -> Self {
        Self {
            entry_id: entry_id.into(),
            outcome,
        }
    }
}

/// What is added to an entry.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Patch {
    /// Replaces the keywords.
    pub keywords: Option<Vec<String>>,
    /// Replaces the summary.
    pub summary: Option<String>,
    /// Joins the metadata, key by key.
    pub metadata: Map<String, Value>,
    /// Replaces the entry's vectors of one model.
    pub embeddings: Option<PassageEmbeddings>,
}

setters!(Patch {
    with_keywords(keywords: impl Into<Option<Vec<String>>>),
    with_summary(summary: impl Into<Option<String>>),
    with_metadata(metadata: Map<String, Value>),
    with_embeddings(embeddings: impl Into<Option<PassageEmbeddings>>),
});

/// The vectors of one entry by one model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PassageEmbeddings {
    /// The model's name.
    pub model: String,
    /// The entry's passages in order.
    pub passages: Vec<PassageEmbedding>,
}

impl PassageEmbeddings {
    /// The vectors by the model of this name.
    pub fn new(model: impl Into<String>, passages: Vec<PassageEmbedding>) -> Self {
        Self {
            model: model.into(),
            passages,
        }
    }
}

/// One passage and its vector.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PassageEmbedding {
    /// Where it starts in `raw_text`, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// The signs of the vectors of its words, as [`push_signs`] writes them;
    /// `None` where they were not made.
    ///
    /// [`push_signs`]: crate::push_signs
    pub token_signs: Option<Vec<u8>>,
}

impl PassageEmbedding {
    /// The passage in a range of bytes of `raw_text`, without token vectors.
    pub fn new(range: Range<usize>, vector: Vec<f32>) -> Self {
        Self {
            start: range.start,
            end: range.end,
            vector,
            token_signs: None,
        }
    }
}

setters!(PassageEmbedding {
    with_token_signs(token_signs: impl Into<Option<Vec<u8>>>),
});
