//! Assemble: entries into one text of limited length, for a model to read.
//!
//! The limit holds at every value from 0 up and includes separators and
//! markers; a character is never split. Retrieved text is data: before it
//! goes in, it is made [neutral](neutral), and a pipeline puts the whole into
//! a [`fence`].

mod block;
mod fence;
mod measure;
mod neutral;
mod prompt_budget;
mod proportional;
mod sequential;
#[cfg(test)]
mod tests;
mod tokens;

use gannet_plugin::prelude::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use block::{Block, entry_block};
pub use fence::{fence, fence_mark};
pub use measure::Unit;
pub use neutral::{neutral, neutral_line};
pub use prompt_budget::{PromptBudgets, PromptParts, prompt_budgets};
pub use proportional::{even_shares, fair_shares, truncate_bytes};

/// Who gets how much room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// In order, each whole or cut at its own limit, until the room is used.
    #[default]
    Sequential,
    /// As `sequential`, but only the first few entries.
    TopN,
    /// All at once, in even shares; what a short entry leaves over goes to
    /// the others.
    Proportional,
}

/// How much text there may be, and how it is shared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AssembleSettings {
    /// What is counted.
    pub unit: Unit,
    /// Who gets how much room.
    pub policy: Policy,
    /// The limit of the whole text, separators and markers included.
    pub max_total: usize,
    /// How much of one entry's own text is used at most; then `...` follows.
    /// Not used by `proportional`.
    pub max_per_entry: usize,
    /// How many entries `top_n` takes.
    pub top_n: usize,
}

impl Default for AssembleSettings {
    /// ARIEL's: 12,000 characters in all, 2,000 an entry.
    fn default() -> Self {
        Self {
            unit: Unit::Chars,
            policy: Policy::Sequential,
            max_total: 12_000,
            max_per_entry: 2_000,
            top_n: 5,
        }
    }
}

impl AssembleSettings {
    /// The byte budget of a proportional prompt: 32,000 in even shares.
    pub fn proportional() -> Self {
        Self {
            unit: Unit::Bytes,
            policy: Policy::Proportional,
            max_total: 32_000,
            ..Self::default()
        }
    }
}

/// The text that was assembled, and what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The text.
    pub text: String,
    /// Ids of the entries in it, in order.
    pub included: Vec<String>,
    /// Whether the limit of the whole left something out.
    pub truncated: bool,
    /// Entries that are in it only in part, for whichever limit.
    pub cut: Vec<String>,
}

/// Puts entries into one text, in the order given. Times are shown in
/// `timezone`, an IANA name; one that is not known reads as UTC.
///
/// ```
/// use gannet_plugin::prelude::Entry;
/// use gannet_stages::{AssembleSettings, assemble};
///
/// let mut entry = Entry::new("42", "log", "2024-03-15T10:30:00Z".parse()?, "Cavity tripped.");
/// entry.author = "jsmith".to_owned();
///
/// let context = assemble(&[entry], &AssembleSettings::default(), "UTC");
/// assert_eq!(
///     context.text,
///     "ENTRY #42 | 2024-03-15T10:30:00+00:00 | Author: jsmith\nCavity tripped.\n",
/// );
/// assert_eq!(context.included, ["42"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assemble(entries: &[Entry], settings: &AssembleSettings, timezone: &str) -> Assembled {
    let taken = match settings.policy {
        Policy::TopN => entries.len().min(settings.top_n),
        Policy::Sequential | Policy::Proportional => entries.len(),
    };
    let blocks: Vec<Block> = entries
        .iter()
        .take(taken)
        .map(|entry| entry_block(entry, timezone))
        .collect();
    let mut assembled = match settings.policy {
        Policy::Proportional => proportional::assemble(&blocks, settings),
        Policy::Sequential | Policy::TopN => sequential::assemble(&blocks, settings),
    };
    assembled.truncated |= taken < entries.len();
    assembled
}
