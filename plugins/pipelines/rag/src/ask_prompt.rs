//! The proportional prompt: statement, notes, sources and question share the
//! bytes of one prompt.

use gannet_plugin::prelude::Entry;
use gannet_stages::{
    PromptBudgets, PromptParts, entry_block, fair_shares, fence, prompt_budgets, truncate_bytes,
};

use crate::prompts::{AskParts, Prompt, PromptWriter};

/// A source is left out when its share is less than this and less than its
/// text: hardly more than the mark of what was cut would be in it.
const SHARE_AT_LEAST: usize = 32;
/// How often a prompt is made smaller that repeats a part, and so is longer
/// than the parts together.
const TRIES: usize = 8;

const NO_TEXT: &str = "(none)";
const NO_SOURCES: &str = "(no sources retrieved)";

/// What is put into a proportional prompt.
pub(crate) struct Ask<'a> {
    pub(crate) question: &'a str,
    /// What is pinned, then what was found.
    pub(crate) entries: &'a [Entry],
    /// How many of the entries are pinned: the first is the statement, the
    /// others are notes.
    pub(crate) pinned: usize,
    pub(crate) max_bytes: usize,
    pub(crate) timezone: &'a str,
}

/// A prompt within its bytes, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskPrompt {
    pub(crate) prompt: Prompt,
    /// How many of the entries are in it; they are the first.
    pub(crate) included: usize,
    /// Ids of the entries that are in it only in part.
    pub(crate) cut: Vec<String>,
}

/// An entry as the prompt shows it.
struct Piece {
    entry_id: String,
    header: String,
    body: String,
}

impl Ask<'_> {
    /// The prompt; system, user and question together have at most
    /// `max_bytes`. Sources are left out from the end where there is no room
    /// for them. Nothing when the prompt's own words and what is pinned do
    /// not fit: an instruction that is cut protects from nothing.
    pub(crate) fn written_by(&self, writer: &PromptWriter<'_>) -> Option<AskPrompt> {
        let pieces = self.pieces(writer);
        let mut count = pieces.len();
        loop {
            let layout = Layout {
                ask: self,
                writer,
                pieces: &pieces[..count],
            };
            if let Some(prompt) = layout.fitted() {
                return Some(prompt);
            }
            if count <= self.pinned {
                return None;
            }
            count -= layout.too_many().clamp(1, count - self.pinned);
        }
    }

    fn pieces(&self, writer: &PromptWriter<'_>) -> Vec<Piece> {
        let given: Vec<String> = self.entries.iter().map(|e| e.entry_id.clone()).collect();
        let pieces = self.entries.iter().map(|entry| {
            let block = entry_block(entry, self.timezone);
            let mark = writer.style.mark(&entry.entry_id, &given);
            Piece {
                header: format!("{mark} {}", block.header),
                body: block.body,
                entry_id: block.entry_id,
            }
        });
        pieces.collect()
    }
}

/// A prompt of these pieces.
struct Layout<'a> {
    ask: &'a Ask<'a>,
    writer: &'a PromptWriter<'a>,
    pieces: &'a [Piece],
}

impl Layout<'_> {
    /// The prompt within its bytes, or nothing when it has too many pieces.
    fn fitted(&self) -> Option<AskPrompt> {
        let max = self.ask.max_bytes;
        let overhead = self.overhead();
        let mut room = max;
        for _ in 0..TRIES {
            if overhead > room {
                return None;
            }
            let (budgets, shares) = self.shares(room, overhead);
            if self.leaves_a_source_out(&shares) {
                return None;
            }
            let prompt = self.filled(budgets.question, &shares);
            match prompt.size().checked_sub(max) {
                None | Some(0) => {
                    let cut = self.pieces.iter().zip(&shares);
                    let cut = cut.filter(|(piece, share)| piece.body.len() > **share);
                    return Some(AskPrompt {
                        prompt,
                        included: self.pieces.len(),
                        cut: cut.map(|(piece, _)| piece.entry_id.clone()).collect(),
                    });
                }
                Some(too_much) => room = room.checked_sub(too_much)?,
            }
        }
        None
    }

    /// Bytes of all that is no text of an entry and no question.
    fn overhead(&self) -> usize {
        self.filled(0, &vec![0; self.pieces.len()]).size()
    }

    /// How many pieces must go, at least, for the rest to fit.
    fn too_many(&self) -> usize {
        let excess = self.overhead().saturating_sub(self.ask.max_bytes);
        let largest = self.pieces.iter().map(|piece| piece.header.len() + 1).max();
        excess / largest.unwrap_or(1).max(1)
    }

    /// How the bytes are shared between the parts, and the bytes of each
    /// piece's text.
    fn shares(&self, room: usize, overhead: usize) -> (PromptBudgets, Vec<usize>) {
        let sizes: Vec<usize> = self.pieces.iter().map(|piece| piece.body.len()).collect();
        let (statement, notes, sources) = self.split(&sizes);
        let parts = PromptParts {
            overhead,
            question: self.ask.question.len(),
            statement: statement.iter().sum(),
            notes: notes.iter().sum(),
            sources: sources.iter().sum(),
        };
        let budgets = prompt_budgets(room, &parts);
        let mut shares = fair_shares(statement, budgets.statement);
        shares.extend(fair_shares(notes, budgets.notes));
        shares.extend(fair_shares(sources, budgets.sources));
        (budgets, shares)
    }

    fn leaves_a_source_out(&self, shares: &[usize]) -> bool {
        let mut sources = self.pieces.iter().zip(shares).skip(self.ask.pinned);
        sources.any(|(piece, &share)| share < SHARE_AT_LEAST && share < piece.body.len())
    }

    /// The prompt with each text cut to its share.
    fn filled(&self, question: usize, shares: &[usize]) -> Prompt {
        let texts: Vec<String> = self
            .pieces
            .iter()
            .zip(shares)
            .map(|(piece, &share)| {
                format!("{}{}", piece.header, truncate_bytes(&piece.body, share))
            })
            .collect();
        let (statement, notes, sources) = self.split(&texts);
        self.writer.proportional(&AskParts {
            statement: &self.section(statement, NO_TEXT),
            notes: &self.section(notes, NO_TEXT),
            sources: &self.section(sources, NO_SOURCES),
            question: &truncate_bytes(self.ask.question, question),
        })
    }

    fn section(&self, texts: &[String], empty: &str) -> String {
        match texts.is_empty() {
            true => empty.to_owned(),
            false => fence(&texts.join("\n"), self.writer.nonce),
        }
    }

    /// What belongs to the statement, to the notes and to the sources.
    fn split<'s, T>(&self, of_pieces: &'s [T]) -> (&'s [T], &'s [T], &'s [T]) {
        let pinned = self.ask.pinned.min(of_pieces.len());
        let (pinned, sources) = of_pieces.split_at(pinned);
        let (statement, notes) = pinned.split_at(pinned.len().min(1));
        (statement, notes, sources)
    }
}

#[cfg(test)]
mod tests;
