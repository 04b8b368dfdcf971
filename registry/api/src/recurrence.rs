//! Entries that tell of an event of the same kind.

use serde::{Deserialize, Serialize};

use crate::{Context, Error, Filter, Result, limits};

/// What the host service [`RecurrenceRequest::SERVICE`] is asked, as JSON. It
/// answers with a [`Recurrence`]. Plugins use it through
/// [`Context::recurrence`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecurrenceRequest {
    /// An entry, by its id, or what happened, as text.
    pub event: String,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// How many entries at most.
    pub limit: usize,
}

impl RecurrenceRequest {
    /// The name of the service for [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "recurrence";

    /// A request for entries like an entry or a text.
    pub fn new(event: impl Into<String>, limit: usize) -> Self {
        Self {
            event: event.into(),
            filter: Filter::none(),
            limit,
        }
    }

    /// With what an entry must be to be found at all.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }
}

/// Entries that tell of an event like the one that was asked about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Recurrence {
    /// The entry that was asked about; `None` for a text.
    pub asked: Option<String>,
    /// The entries, most probable first, without the asked one.
    pub events: Vec<SimilarEvent>,
}

impl Recurrence {
    /// What was found for an entry, or for a text.
    pub fn new(asked: Option<String>, events: Vec<SimilarEvent>) -> Self {
        Self { asked, events }
    }
}

/// An entry that tells of a similar event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SimilarEvent {
    /// The entry.
    pub entry_id: String,
    /// The probability that it is about the same event or fault, 0 to 1,
    /// calibrated on entries that refer to each other.
    pub probability: f64,
    /// The same without a look at the time: an event of years ago may be of the
    /// same kind.
    pub same_kind: f64,
    /// What both have in common, the most telling first, each in a few words.
    pub why: Vec<String>,
    /// The place, system or device that both name in a field, or a device that
    /// both texts name; empty where there is none.
    pub device: String,
    /// The rarest words that both have, as the asked one writes them.
    pub words: Vec<String>,
}

impl SimilarEvent {
    /// An entry with both probabilities.
    pub fn new(entry_id: impl Into<String>, probability: f64, same_kind: f64) -> Self {
        Self {
            entry_id: entry_id.into(),
            probability,
            same_kind,
            ..Self::default()
        }
    }
}

impl Context {
    /// The entries that tell of an event like that of an entry or a text.
    /// References of entries to each other do not count.
    ///
    /// At most [`limits::SCORED_ENTRIES`] entries are possible; the host
    /// compares fewer.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for more entries, [`Error::Store`],
    /// [`Error::Timeout`]; [`Error::NotFound`] on a host that is older than this
    /// service.
    pub async fn recurrence(&self, request: &RecurrenceRequest) -> Result<Recurrence> {
        if request.limit > limits::SCORED_ENTRIES {
            return Err(Error::invalid_input(format!(
                "{} similar entries; at most {} are possible",
                request.limit,
                limits::SCORED_ENTRIES
            )));
        }
        self.ask(RecurrenceRequest::SERVICE, request).await
    }
}
