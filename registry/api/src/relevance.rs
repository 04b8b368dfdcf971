//! How probable it is that an entry is about what a question asks.

use serde::{Deserialize, Serialize};

use crate::{Context, Error, Result, limits};

/// What the host service [`RelevanceRequest::SERVICE`] is asked, as JSON. It
/// answers with a probability for each entry, or `null` where it cannot tell.
/// Plugins use it through [`Context::relevance`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RelevanceRequest {
    /// The question.
    pub query: String,
    /// Which entries.
    pub entry_ids: Vec<String>,
}

impl RelevanceRequest {
    /// The name of the service for [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "relevance";

    /// A request for the relevance of entries to a question.
    pub fn new(query: impl Into<String>, entry_ids: Vec<String>) -> Self {
        Self {
            query: query.into(),
            entry_ids,
        }
    }
}

impl Context {
    /// The probability, 0 to 1, that an entry is about what a question asks,
    /// for each entry in the order asked. It depends on question and entry
    /// alone, not on what else was found, and is calibrated over collections
    /// with judged questions. `None` for an entry that the store does not hold,
    /// and for all on a host that is older than this service.
    ///
    /// At most [`limits::SCORED_ENTRIES`] entries are possible.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for more entries, [`Error::Store`],
    /// [`Error::Timeout`]; [`Error::Internal`] for another number of
    /// probabilities than asked.
    pub async fn relevance(&self, request: &RelevanceRequest) -> Result<Vec<Option<f64>>> {
        let wanted = request.entry_ids.len();
        if wanted > limits::SCORED_ENTRIES {
            return Err(Error::invalid_input(format!(
                "the relevance of {wanted} entries; at most {} are possible",
                limits::SCORED_ENTRIES
            )));
        }
        let service = RelevanceRequest::SERVICE;
        let found: Vec<Option<f64>> = match self.ask(service, request).await {
            Err(error) if error.is_missing_service() => return Ok(vec![None; wanted]),
            found => found?,
        };
        match found.len() == wanted {
            true => Ok(found),
            false => Err(Error::internal(format!(
                "the service `{service}` gave {} probabilities for {wanted} entries",
                found.len()
            ))),
        }
    }
}
