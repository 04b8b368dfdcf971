//! What the model sees of a tool's result.
//!
//! Texts of entries are sanitized here and stand in a fence, so that a
//! model can tell them from its instructions.

use std::collections::HashMap;

use gannet_plugin::prelude::{Entry, Hit};
use gannet_plugin::search::ScoreKind;
use gannet_stages::{entry_block, fence, neutral_line};

/// Characters of one entry's text in a list of results.
const SNIPPET_CHARS: usize = 500;
/// Characters of a message that a model reads about its own mistake.
const MESSAGE_CHARS: usize = 400;

/// What the model sees of a tool's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Observation {
    /// Words of the host.
    Said(String),
    /// Texts of entries.
    Data(String),
}

impl Observation {
    /// A call that gave nothing, and why.
    pub(crate) fn error(message: &str) -> Self {
        let message: String = neutral_line(message).chars().take(MESSAGE_CHARS).collect();
        Self::Said(format!("Error: {message}"))
    }

    /// A numbered list: of each hit the entry's id, time, author and title,
    /// its score, and at most 500 characters of its best passage or its text.
    /// Hits without an entry are left out.
    pub(crate) fn results(hits: &[Hit], entries: &HashMap<String, Entry>, timezone: &str) -> Self {
        let known = hits
            .iter()
            .filter_map(|hit| Some((hit, entries.get(&hit.entry_id)?)));
        let lines: Vec<String> = (1..)
            .zip(known)
            .map(|(place, (hit, entry))| result(place, hit, entry, timezone))
            .collect();
        if lines.is_empty() {
            return Self::Said("No matches found in the indexed corpus.".to_owned());
        }
        Self::Data(lines.join("\n"))
    }

    /// One whole entry, cut where it is longer than this many characters.
    pub(crate) fn entry(entry: &Entry, max_chars: usize, timezone: &str) -> Self {
        let block = entry_block(entry, timezone);
        let shown: String = block.body.chars().take(max_chars).collect();
        let cut = match shown.len() < block.body.len() {
            true => "...\n(cut here)",
            false => "",
        };
        Self::Data(format!("{}{shown}{cut}", block.header))
    }

    /// The text, without a fence.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Said(text) | Self::Data(text) => text,
        }
    }

    /// The text as the model gets it.
    pub(crate) fn message(&self, nonce: &str) -> String {
        match self {
            Self::Said(text) => text.clone(),
            Self::Data(text) => fence(text, nonce),
        }
    }
}

fn result(place: usize, hit: &Hit, entry: &Entry, timezone: &str) -> String {
    let header = entry_block(entry, timezone).header;
    let score = match hit.score_kind {
        ScoreKind::None => String::new(),
        kind => format!(" | score {:.3} ({})", hit.score, kind.name()),
    };
    let text = match &hit.passage {
        Some(passage) => &passage.text,
        None => &entry.raw_text,
    };
    let snippet: String = neutral_line(text).chars().take(SNIPPET_CHARS).collect();
    format!(
        "{place}. {}{score}\n   {}",
        header.trim_end(),
        snippet.trim()
    )
}
