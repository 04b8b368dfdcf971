//! What a search finds.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Entry;
use crate::setters::setters;

/// One entry that a search found. The entry itself is added by the host, where
/// a surface shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hit {
    /// Which entry.
    pub entry_id: String,
    /// The entry's kind; the second key of the order.
    pub kind: String,
    /// The score that made the order, on the scale that `score_kind` names.
    pub score: f64,
    /// What sort of number `score` is.
    pub score_kind: ScoreKind,
    /// Whether the whole query was met, or only a part.
    #[serde(default)]
    pub matched: Matched,
    /// The passage that scored best, where the search looks at passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<Passage>,
    /// Pieces of the text with the places that matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub highlights: Vec<Highlight>,
    /// Which modules found it, at which rank and with which score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provenance: Vec<Provenance>,
    /// How the score came about, where the module can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Value>,
    /// The entry itself, from a module that finds what the store does not hold.
    /// It is shown in this result and kept nowhere; the host takes it as an
    /// entry of the tenant that asks, and checks it by the filter. Where the
    /// store has an entry of this id, that one is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Box<Entry>>,
}

impl Hit {
    /// A hit with a score; the rest is empty.
    pub fn new(
        entry_id: impl Into<String>,
        kind: impl Into<String>,
        score: f64,
        score_kind: ScoreKind,
    ) -> Self {
        Self {
            entry_id: entry_id.into(),
            kind: kind.into(),
            score,
            score_kind,
            matched: Matched::All,
            passage: None,
            highlights: Vec::new(),
            provenance: Vec::new(),
            explain: None,
            entry: None,
        }
    }

    /// A hit of an entry that the store does not hold.
    pub fn of_entry(entry: Entry, score: f64, score_kind: ScoreKind) -> Self {
        let hit = Self::new(&entry.entry_id, &entry.kind, score, score_kind);
        Self {
            entry: Some(Box::new(entry)),
            ..hit
        }
    }
}

setters!(Hit {
    with_matched(matched: Matched),
    with_passage(passage: impl Into<Option<Passage>>),
    with_highlights(highlights: Vec<Highlight>),
    with_provenance(provenance: Vec<Provenance>),
    with_explain(explain: impl Into<Option<Value>>),
    with_entry(entry: impl Into<Option<Box<Entry>>>),
});

/// What sort of number a score is. A threshold applies only to a kind that it
/// is declared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScoreKind {
    /// BM25: above 0, without an upper bound, not comparable between queries.
    Bm25,
    /// PostgreSQL's `ts_rank`.
    TsRank,
    /// Cosine similarity, −1 to 1.
    Cosine,
    /// Reciprocal rank fusion.
    Rrf,
    /// Reciprocal rank fusion with weights per module.
    WeightedRrf,
    /// A linear mix of two scores scaled to 0 to 1.
    Linear,
    /// A convex combination of scores, each over the best of its list, 0 to 1;
    /// what the query plan and late interaction add comes on top.
    Convex,
    /// Whatever scale the reranker has; may be negative.
    Rerank,
    /// No score: the order is that of time.
    None,
    /// Another scale; made for the order alone.
    #[serde(other)]
    Other,
}

impl ScoreKind {
    /// The name that is used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::TsRank => "ts_rank",
            Self::Cosine => "cosine",
            Self::Rrf => "rrf",
            Self::WeightedRrf => "weighted_rrf",
            Self::Linear => "linear",
            Self::Convex => "convex",
            Self::Other => "other",
            Self::Rerank => "rerank",
            Self::None => "none",
        }
    }
}

/// Whether a hit meets the whole query. `All` sorts before `Some`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Matched {
    /// Every term.
    #[default]
    All,
    /// Some terms only: a best partial match.
    Some,
}

/// A piece of an entry's text that was scored by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Passage {
    /// Which passage of the entry, from 0.
    pub ordinal: u32,
    /// Where it starts in `raw_text`, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// Its text.
    pub text: String,
}

impl Passage {
    /// The passage in a range of bytes of `raw_text`.
    pub fn new(ordinal: u32, range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            ordinal,
            start: range.start,
            end: range.end,
            text: text.into(),
        }
    }
}

/// A piece of the text, as plain text, with the places that matched. Whoever
/// renders it escapes the text first and marks the ranges then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Highlight {
    /// Plain text, not escaped.
    pub text: String,
    /// Byte ranges within `text`, in order, not overlapping.
    pub ranges: Vec<(usize, usize)>,
    /// Where the piece is when it is not of the entry's own text: the name of
    /// an attachment, with the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

setters!(Highlight {
    with_source(source: impl Into<Option<String>>),
});

impl Highlight {
    /// A piece of text with the places in it that matched.
    pub fn new(text: impl Into<String>, ranges: Vec<(usize, usize)>) -> Self {
        Self {
            text: text.into(),
            ranges,
            source: None,
        }
    }
}

/// One module's opinion of a hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// The module, by the name that it has in the configuration.
    pub module: String,
    /// Its rank there, from 1.
    pub rank: u32,
    /// Its score there.
    pub score: f64,
    /// What sort of number that score is.
    pub score_kind: ScoreKind,
}

impl Provenance {
    /// What a module thinks of a hit.
    pub fn new(module: impl Into<String>, rank: u32, score: f64, score_kind: ScoreKind) -> Self {
        Self {
            module: module.into(),
            rank,
            score,
            score_kind,
        }
    }
}

/// Puts hits into the one total order: complete matches before partial ones,
/// score descending (NaN last), then kind, then entry id.
pub fn sort_hits(hits: &mut [Hit]) {
    hits.sort_by(|a, b| {
        a.matched
            .cmp(&b.matched)
            .then_with(|| compare_scores(b.score, a.score))
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| a.entry_id.cmp(&b.entry_id))
    });
}

/// Compares two scores ascending, with NaN below every number.
fn compare_scores(a: f64, b: f64) -> std::cmp::Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}
