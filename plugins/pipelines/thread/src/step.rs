//! A step of a thread.

use gannet_plugin::prelude::Entry;
use jiff::Timestamp;
use serde::Serialize;

/// Characters of a title at most.
const LONGEST_TITLE: usize = 200;

/// What an entry is in the thread of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The entry whose thread it is.
    ThisEntry,
    /// The first of several events of the same kind.
    FirstSeen,
    /// A later one.
    SeenAgain,
    /// It says that the fault was repaired.
    Repaired,
    /// An event of the same kind on the same device, of which no more is known.
    SameDevice,
    /// An event of the same kind, without a device in common.
    SimilarEvent,
    /// The entry, or one of its thread, is a reply to it.
    RepliedTo,
    /// A reply.
    Reply,
    /// The entry refers to it.
    ReferredTo,
    /// It refers to the entry.
    RefersTo,
}

impl Kind {
    /// The kind in words.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::ThisEntry => "this entry",
            Self::FirstSeen => "first seen",
            Self::SeenAgain => "seen again",
            Self::Repaired => "repaired",
            Self::SameDevice => "same device",
            Self::SimilarEvent => "similar event",
            Self::RepliedTo => "replied to",
            Self::Reply => "reply",
            Self::ReferredTo => "referred to",
            Self::RefersTo => "refers to this entry",
        }
    }

    /// Whether it is a part of the history of a fault.
    pub(crate) fn is_of_history(self) -> bool {
        matches!(self, Self::FirstSeen | Self::SeenAgain | Self::Repaired)
    }
}

/// An entry of a thread.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Step {
    pub(crate) entry_id: String,
    pub(crate) timestamp: Timestamp,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) kinds: Vec<Kind>,
    /// Why it is in the thread.
    pub(crate) why: Vec<String>,
    /// The sentence that says what was repaired.
    pub(crate) sentence: Option<String>,
    /// The probability that it is about the same event or fault, of an event
    /// that was compared.
    pub(crate) probability: Option<f64>,
}

/// A title, cut where it is long.
fn clipped(title: &str) -> String {
    match title.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => format!("{} …", &title[..end]),
        None => title.to_owned(),
    }
}

impl Step {
    pub(crate) fn new(entry: &Entry, kind: Kind) -> Self {
        let first_line = entry.raw_text.lines().next().unwrap_or_default();
        let title = entry.title().unwrap_or(first_line);
        Self {
            entry_id: entry.entry_id.clone(),
            timestamp: entry.timestamp,
            title: clipped(title),
            author: entry.author.clone(),
            kinds: vec![kind],
            why: Vec::new(),
            sentence: None,
            probability: None,
        }
    }

    pub(crate) fn because(mut self, why: impl Into<String>) -> Self {
        self.why.push(why.into());
        self
    }

    /// Takes what another step says of the same entry. That it is on the same
    /// device is no news beside another kind.
    pub(crate) fn merge(&mut self, other: Self) {
        let neutral = [Kind::SameDevice, Kind::SimilarEvent];
        let more = other
            .kinds
            .into_iter()
            .filter(|kind| !neutral.contains(kind));
        for kind in more {
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
        }
        self.why.extend(other.why);
        self.sentence = self.sentence.take().or(other.sentence);
        self.probability = self.probability.or(other.probability);
    }
}

/// Adds a step, or what it says to the one of its entry.
pub(crate) fn add(steps: &mut Vec<Step>, step: Step) {
    let mut known = steps.iter_mut();
    match known.find(|known| known.entry_id == step.entry_id) {
        Some(known) => known.merge(step),
        None => steps.push(step),
    }
}
