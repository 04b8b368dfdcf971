//! `GET /api/entries/{entry_id}/thread`: what belongs to an entry, in the order
//! of time.

use axum::Json;
use gannet_core::SearchInput;
use gannet_core::api::Diagnostic;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ariel::Presenter;
use crate::extract::PathOf;
use crate::problem::Problem;
use crate::state::App;

/// The pipeline that is asked.
const MODE: &str = "thread";
/// Entries of a thread at most.
const MOST_STEPS: usize = 20;

/// What belongs to an entry.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ThreadResponse")]
pub(crate) struct ThreadReply {
    /// The entry.
    entry_id: String,
    /// The entries of its thread and itself in the order of time, 20 at most.
    steps: Vec<StepReply>,
    /// The groups of events of the same kind, as the pipeline `recurrence` gives
    /// them, with times in UTC.
    groups: Vec<Value>,
    /// What went wrong, or was left out.
    #[schemars(with = "Vec<Value>")]
    diagnostics: Vec<Diagnostic>,
}

/// An entry of a thread.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ThreadStep")]
struct StepReply {
    /// When it was logged, in the time zone of the facility.
    timestamp: String,
    #[serde(flatten)]
    step: Step,
}

/// What the pipeline says of an entry, beside its time.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Step {
    /// The entry.
    entry_id: String,
    /// Its title, or its first line.
    title: String,
    /// Who wrote it.
    author: String,
    /// What it is in the thread: `this_entry`, `first_seen`, `seen_again`,
    /// `repaired`, `same_device`, `similar_event`, `replied_to`, `reply`,
    /// `referred_to` or `refers_to`.
    kinds: Vec<String>,
    /// Why it is in the thread.
    why: Vec<String>,
    /// The sentence that says what was repaired.
    sentence: Option<String>,
    /// The probability that it is about the same event or fault, 0 to 1, where
    /// that is why it is there.
    probability: Option<f64>,
}

/// A step as the pipeline gives it.
#[derive(Deserialize)]
struct GivenStep {
    timestamp: Timestamp,
    #[serde(flatten)]
    step: Step,
}

/// The extension of the pipeline.
#[derive(Default, Deserialize)]
struct GivenThread {
    entry_id: Option<String>,
    steps: Vec<GivenStep>,
    #[serde(default)]
    groups: Vec<Value>,
}

/// `GET /api/entries/{entry_id}/thread`.
pub(crate) async fn show(
    app: App,
    PathOf(entry_id): PathOf<String>,
) -> Result<Json<ThreadReply>, Problem> {
    let mut input = SearchInput::new(format!("id:\"{entry_id}\""));
    input.mode = Some(MODE.to_owned());
    input.max_results = Some(MOST_STEPS);
    app.tenant().clone_into(&mut input.tenant);
    let mut result = app.search(input).await?;
    let given = result.extensions.remove(MODE).unwrap_or_default();
    let thread: GivenThread = serde_json::from_value(given).unwrap_or_default();
    if thread.entry_id.is_none() {
        return Err(Problem::not_found(format!("Entry {entry_id} not found")));
    }
    let presenter = Presenter::new(&app.gannet);
    let steps = thread.steps.into_iter().map(|one| StepReply {
        timestamp: presenter.time(one.timestamp),
        step: one.step,
    });
    Ok(Json(ThreadReply {
        entry_id,
        steps: steps.collect(),
        groups: thread.groups,
        diagnostics: result.diagnostics,
    }))
}
