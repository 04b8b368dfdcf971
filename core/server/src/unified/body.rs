//! A question, where it was asked and what its user did before.

use gannet_core::SearchInput;
use gannet_core::api::Events;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PIPELINE;
use crate::ariel::named_filters;
use crate::problem::Problem;
use crate::state::App;

/// Entries of a result at most.
const MOST_RESULTS: usize = 100;
/// Entries of a result where nothing is said.
const RESULTS: usize = 10;
/// Bytes of the id of a session at most.
const SESSION_BYTES: usize = 256;

/// A question over every domain.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "UnifiedQuery")]
pub(super) struct QueryBody {
    /// The question.
    #[schemars(length(min = 1))]
    pub q: String,
    /// Only entries with these values: author, source, kind, logbook, tag,
    /// shift, start_date, end_date or a metadata key.
    #[serde(default)]
    pub filters: Map<String, Value>,
    /// Domains that count more. Nothing is hidden by them.
    #[serde(default)]
    pub scope: Vec<String>,
    /// Parts of the question that are only words, as in `/api/search`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_words: Vec<String>,
    /// Where the question is asked.
    #[serde(default)]
    pub ambient: Ambient,
    /// The session, any text that the page chooses.
    #[serde(default)]
    pub session_id: Option<String>,
    /// Whether the session begins anew.
    #[serde(default)]
    pub reset_session: bool,
    /// Maximum number of entries; 10 when missing.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
}

/// Where a question is asked.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Ambient {
    /// The address of the page.
    pub route: Option<String>,
    /// Devices and places that the page shows, by name or key.
    pub visible_entities: Vec<String>,
    /// What the user did last.
    pub last_action: Option<LastAction>,
}

/// What a user did last. The domain and the entity count; the rest may be sent
/// and is not used.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct LastAction {
    /// What was done.
    pub action: Option<String>,
    /// Where it was done: a button, a list.
    pub source: Option<String>,
    /// A question that fits it.
    pub query_hint: Option<String>,
    /// The domain of what it was done to.
    pub domain: Option<String>,
    /// The entity that it was done to, by name or key: `RF-2` or
    /// `device:rf-2`.
    pub entity_key: Option<String>,
    /// The address of the page.
    pub route: Option<String>,
    /// When.
    pub occurred_at: Option<String>,
}

impl QueryBody {
    /// The id of the session, where there is one.
    ///
    /// # Errors
    /// 422 for one that is too long.
    pub fn session(&self) -> Result<Option<&str>, Problem> {
        let id = self.session_id.as_deref().map(str::trim);
        match id.filter(|id| !id.is_empty()) {
            Some(id) if id.len() > SESSION_BYTES => Err(Problem::invalid(format!(
                "sessionId: longer than {SESSION_BYTES} bytes"
            ))),
            id => Ok(id),
        }
    }

    /// The search of the host: the question with all that is known of its
    /// surroundings, answered by sentences of the entries.
    ///
    /// # Errors
    /// 422 for a blank question and a limit out of its bounds, 400 for an
    /// unknown filter.
    pub fn input(&self, app: &App, of_session: &[String]) -> Result<SearchInput, Problem> {
        if self.q.trim().is_empty() {
            return Err(Problem::invalid("q: must have at least 1 character"));
        }
        let limit = self.limit.unwrap_or(RESULTS);
        if !(1..=MOST_RESULTS).contains(&limit) {
            let detail = format!("limit: {limit} is not between 1 and {MOST_RESULTS}");
            return Err(Problem::invalid(detail));
        }
        let mut input = SearchInput::new(self.q.as_str());
        input.mode = Some(PIPELINE.to_owned());
        input.max_results = Some(limit);
        input.filter = app.gannet.filter(&named_filters(&self.filters)?)?;
        input.params = self.params(of_session);
        input.ignored_words = self.ignored_words.clone();
        input.events = Events::default();
        app.tenant().clone_into(&mut input.tenant);
        Ok(input)
    }

    fn params(&self, of_session: &[String]) -> Map<String, Value> {
        let ambient = &self.ambient;
        let last = ambient.last_action.clone().unwrap_or_default();
        let given = [
            ("scope", list(&self.scope)),
            ("route", ambient.route.clone().unwrap_or_default()),
            ("visible_entities", list(&ambient.visible_entities)),
            ("last_action_domain", last.domain.unwrap_or_default()),
            ("last_action_entity", last.entity_key.unwrap_or_default()),
            ("session_entities", list(of_session)),
            ("answer", "entries".to_owned()),
        ];
        let given = given.into_iter().filter(|(_, value)| !value.is_empty());
        given
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect()
    }
}

/// Names as the pipeline takes a list of them.
fn list(names: &[String]) -> String {
    let names = names.iter().map(|name| name.replace(',', " "));
    names.collect::<Vec<_>>().join(", ")
}
