//! What a pipeline tells while it works, for surfaces that stream.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ScoreKind;

/// Something that happened on the way to an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A stage is done.
    Stage {
        /// Which (`retrieve`, `fuse`, `assemble`, …).
        stage: String,
        /// What it has to say, as numbers.
        details: Value,
    },
    /// An entry of the result, in its place.
    Hit {
        /// Which.
        entry_id: String,
        /// Its place, from 1.
        rank: usize,
        /// The score that made the order.
        score: f64,
        /// What sort of number that is.
        score_kind: ScoreKind,
    },
    /// A whole answer: the deterministic one comes before a model's tokens.
    Answer {
        /// Its text.
        text: String,
    },
    /// A piece of a model's answer.
    Token {
        /// The piece.
        text: String,
    },
    /// An entry was cited.
    Citation {
        /// Which.
        entry_id: String,
    },
    /// Nothing more comes.
    End,
}

type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// Where events go; by default nowhere.
#[derive(Clone, Default)]
pub struct Events(Option<Listener>);

impl Events {
    /// Events go to this function. It must return at once.
    pub fn to(listener: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// Whether anybody listens.
    pub fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Tells whoever listens.
    pub fn emit(&self, event: Event) {
        if let Some(listener) = &self.0 {
            listener(event);
        }
    }
}
