//! `/v1/search/index/rebuild`: the indexes again from the records, in the
//! background: the text index first, and the vectors, which lie over it, then.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::Json;
use axum::http::StatusCode;
use gannet_core::Gannet;
use gannet_core::store::{RebuildScope, StoreError, StoreStats};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ariel::Presenter;
use crate::auth::AuditEvent;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// What the rebuild does, and did.
#[derive(Default)]
pub(super) struct Rebuild(Mutex<Progress>);

#[derive(Debug, Clone, Default)]
struct Progress {
    state: State,
    phase: Option<Phase>,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
}

/// Whether a rebuild runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RebuildState")]
enum State {
    /// None ran since the service started.
    #[default]
    Idle,
    /// One runs.
    Running,
    /// The last one is complete.
    Done,
    /// The last one failed; the log says why.
    Failed,
}

/// What is rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RebuildPhase")]
enum Phase {
    /// The text index.
    Text,
    /// The vectors.
    Vectors,
}

/// Nothing needs to be said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RebuildRequest")]
pub(super) struct RebuildBody {}

/// How far a rebuild is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RebuildResponse")]
pub(super) struct RebuildReply {
    /// Whether one runs.
    state: State,
    /// What is rebuilt now, or was last.
    phase: Option<Phase>,
    /// When it began.
    started_at: Option<String>,
    /// When it ended.
    ended_at: Option<String>,
    /// The number of the last change of an entry.
    changes: i64,
    /// The last change that the text index has.
    changes_in_text: i64,
    /// The share of the changes that every index has, 0 to 1.
    progress: f64,
    /// Entries of all tenants.
    document_count: u64,
    /// Passages with a vector, over all models.
    chunk_count: u64,
}

/// `POST /v1/search/index/rebuild`.
pub(super) async fn start(
    app: App,
    JsonBody(_): JsonBody<RebuildBody>,
) -> Result<Json<RebuildReply>, Problem> {
    if !app.lasting.unified.rebuild.begin() {
        let detail = "a rebuild is running; see `GET /v1/search/index/rebuild`";
        return Err(Problem::new(StatusCode::CONFLICT, "conflict", detail));
    }
    let event = AuditEvent::IndexRebuildStarted;
    app.backend.audit.note(&app.caller().name, &event).await;
    let task = app.clone();
    tokio::spawn(async move {
        let outcome = run(&task.gannet, &task.lasting.unified.rebuild).await;
        if let Err(error) = &outcome {
            tracing::error!(%error, "a rebuild of the indexes failed");
        }
        task.lasting.unified.rebuild.end(outcome.is_err());
    });
    progress(app).await
}

/// `GET /v1/search/index/rebuild`.
pub(super) async fn progress(app: App) -> Result<Json<RebuildReply>, Problem> {
    let gannet = app.gannet.clone();
    let stats = app
        .compute(async move { gannet.store().stats().await })
        .await?;
    let progress = app.lasting.unified.rebuild.lock().clone();
    let presenter = Presenter::new(&app.gannet);
    let time = |time: Option<Timestamp>| time.map(|time| presenter.time(time));
    Ok(Json(RebuildReply {
        state: progress.state,
        phase: progress.phase,
        started_at: time(progress.started),
        ended_at: time(progress.ended),
        changes: stats.sequence,
        changes_in_text: stats.text_sequence,
        progress: share(&stats),
        document_count: stats.entries,
        chunk_count: stats.vectors.values().sum(),
    }))
}

async fn run(gannet: &Gannet, rebuild: &Rebuild) -> Result<(), StoreError> {
    for (phase, scope) in [
        (Phase::Text, RebuildScope::Text),
        (Phase::Vectors, RebuildScope::Vectors),
    ] {
        rebuild.lock().phase = Some(phase);
        gannet.store().rebuild(scope).await?;
    }
    Ok(())
}

/// The share of the changes that the index has which is furthest behind.
fn share(stats: &StoreStats) -> f64 {
    let indexes = stats.vector_sequences.values().copied();
    let last = indexes
        .chain([stats.text_sequence])
        .min()
        .unwrap_or_default();
    match stats.sequence {
        0 => 1.0,
        all => (last as f64 / all as f64).clamp(0.0, 1.0),
    }
}

impl Rebuild {
    /// Begins one, unless one runs.
    fn begin(&self) -> bool {
        let mut progress = self.lock();
        if progress.state == State::Running {
            return false;
        }
        *progress = Progress {
            state: State::Running,
            phase: None,
            started: Some(Timestamp::now()),
            ended: None,
        };
        true
    }

    fn end(&self, has_failed: bool) {
        let mut progress = self.lock();
        progress.ended = Some(Timestamp::now());
        progress.state = match has_failed {
            true => State::Failed,
            false => State::Done,
        };
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
