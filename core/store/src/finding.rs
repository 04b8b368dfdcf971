//! What an examination of a store finds.

use serde::{Deserialize, Serialize};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at, in a word or two.
    pub check: String,
    /// How it is.
    pub health: Health,
    /// What was found.
    pub message: String,
    /// What to do about it: a sentence, or a statement of SQL.
    pub advice: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Ok,
    /// It works, and could be better.
    Warn,
    /// It does not work.
    Fail,
}

impl Finding {
    /// Something that is as it should be.
    pub fn ok(check: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            check: check.into(),
            health: Health::Ok,
            message: message.into(),
            advice: None,
        }
    }

    /// Something that works and could be better.
    pub fn warn(
        check: impl Into<String>,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            health: Health::Warn,
            advice: Some(advice.into()),
            ..Self::ok(check, message)
        }
    }

    /// Something that does not work.
    pub fn fail(
        check: impl Into<String>,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            health: Health::Fail,
            ..Self::warn(check, message, advice)
        }
    }
}

/// A number with its noun: `1 entry`, `2 entries`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
