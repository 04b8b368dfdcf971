//! What a search gives to a surface.

use std::ops::Range;

use gannet_api::{
    ATTACHMENT_TEXT, AnswerStatus, Diagnostic, Entry, Highlight, Hit, Matched, Passage, Provenance,
    QueryPlan, ScoreKind,
};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::matches::{Facet, Matches};

/// The one result of every mode and surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// The question, as it was searched.
    pub query: String,
    /// The search module or pipeline that answered.
    pub mode: String,
    /// The entries, best first.
    pub entries: Vec<SearchHit>,
    /// How many entries match, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Matches>,
    /// The values of the fields that were asked for, over the matching entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
    /// The answer in words, where the mode gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// How far the answer can be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_status: Option<AnswerStatus>,
    /// The probability that the answer is right, 0 to 1, where the mode knows
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_confidence: Option<f64>,
    /// The words of the answer that answer the question: byte ranges of
    /// `answer`, in order and apart from each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answer_highlights: Vec<Range<usize>>,
    /// Ids of the entries that the answer cites, in order of first mention.
    pub citations: Vec<String>,
    /// Ids of the entries that the answer was made from.
    pub sources: Vec<String>,
    /// Search modules that contributed.
    pub search_modes_used: Vec<String>,
    /// How the result came about, in a sentence.
    pub reasoning: String,
    /// What the host read in the question before it was searched.
    pub plan: QueryPlan,
    /// What went wrong, or was read in a particular way.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a part failed and the rest stands for the whole.
    pub degraded: bool,
    /// Statistics and traces of a pipeline; `plan` in it is what the pipeline
    /// decided before it searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline_details: Option<Value>,
    /// Room for what surfaces and later versions add.
    pub extensions: Map<String, Value>,
    /// Milliseconds from the question to the result.
    pub took_ms: f64,
    /// The same for every run of the same query on the same index.
    pub stability_hash: String,
}

/// One entry of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// The entry itself.
    pub entry: Entry,
    /// The score that made the order.
    pub score: f64,
    /// What sort of number it is.
    pub score_kind: ScoreKind,
    /// The probability that the entry is about what is asked, 0 to 1. It
    /// depends on question and entry alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// The place in the list, from 1.
    pub rank: usize,
    /// Pieces of the text with the places that matched.
    pub highlights: Vec<Highlight>,
    /// Whether the whole query was met.
    pub matched: Matched,
    /// Which modules found it.
    pub provenance: Vec<Provenance>,
    /// The passage that scored best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<Passage>,
    /// How the score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Value>,
}

impl SearchHit {
    /// The texts of the attachments stay behind: the highlights have what was
    /// found of them.
    pub(crate) fn new(hit: Hit, mut entry: Entry, rank: usize) -> Self {
        entry.metadata.shift_remove(ATTACHMENT_TEXT);
        Self {
            entry,
            score: hit.score,
            score_kind: hit.score_kind,
            relevance: None,
            rank,
            highlights: hit.highlights,
            matched: hit.matched,
            provenance: hit.provenance,
            passage: hit.passage,
            explain: hit.explain,
        }
    }
}

impl SearchResult {
    /// The first 16 hexadecimal digits of the SHA-256 over mode, query, ids,
    /// scores to the bit, answer and citations. Times and diagnostics are left
    /// out: they may differ.
    pub(crate) fn set_stability_hash(&mut self) {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(self.mode.as_bytes());
        add(self.query.as_bytes());
        for hit in &self.entries {
            add(hit.entry.entry_id.as_bytes());
            add(&hit.score.to_bits().to_le_bytes());
        }
        add(self.answer.as_deref().unwrap_or_default().as_bytes());
        for id in &self.citations {
            add(id.as_bytes());
        }
        let digest = hash.finalize();
        self.stability_hash = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
    }
}
