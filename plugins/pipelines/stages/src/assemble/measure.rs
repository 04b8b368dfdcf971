//! What a limit counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters that one token stands for, on average of English text.
const CHARS_PER_TOKEN: usize = 4;

/// What a limit counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Unicode characters.
    #[default]
    Chars,
    /// Bytes of UTF-8.
    Bytes,
    /// Tokens of a model, taken as four characters each.
    Tokens,
}

impl Unit {
    /// What it counts, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chars => "characters",
            Self::Bytes => "bytes",
            Self::Tokens => "tokens",
        }
    }

    /// The size of a text; of tokens, each one that is begun.
    pub fn size(self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Bytes => text.len(),
            Self::Tokens => text.chars().count().div_ceil(CHARS_PER_TOKEN),
        }
    }

    /// The unit and the limit in which room is counted: tokens are counted as
    /// characters, so that rounding never adds up.
    pub(super) fn exact(self, limit: usize) -> (Self, usize) {
        match self {
            Self::Tokens => (Self::Chars, limit.saturating_mul(CHARS_PER_TOKEN)),
            other => (other, limit),
        }
    }

    /// The longest beginning of the text that has at most this size.
    pub fn prefix(self, text: &str, limit: usize) -> &str {
        let end = match self.exact(limit) {
            (Self::Bytes, bytes) => text.floor_char_boundary(bytes),
            (_, chars) => text
                .char_indices()
                .nth(chars)
                .map_or(text.len(), |(at, _)| at),
        };
        text.get(..end).unwrap_or(text)
    }
}
