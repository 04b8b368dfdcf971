//! `GET /api/status/details`: parts of the store, ingestion, enhancement, and
//! how long searches took. Names no file and no folder. Figures of the whole
//! process are for administrators; others see those of their tenant.

use std::collections::BTreeMap;

use axum::Json;
use gannet_core::store::IngestionRun;
use gannet_core::{SourceReport, Status};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::ariel::{Contents, Presenter};
use crate::auth::Scope;
use crate::deliveries::troubles;
use crate::problem::Problem;
use crate::recent::sum;
use crate::schedule::Schedule;
use crate::state::App;

/// Ingestion runs that are looked at; the last one of each source is shown.
const RUNS: usize = 100;

/// Parts of the store, ingestion, enhancement and times.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusDetails {
    /// Whether the figures are those of the whole process. Otherwise the store
    /// has what belongs to the caller's tenant, and the rest is empty.
    whole: bool,
    /// The records and the indexes over them.
    store: Vec<StorePart>,
    /// The last ingestion of each source, the latest first.
    ingestion: Vec<SourceRun>,
    /// The progress of each enhancement module.
    enhancement: BTreeMap<String, Progress>,
    /// The sources that this process follows, by name.
    sources: BTreeMap<String, SourceReply>,
    /// What the service does by itself, beside requests and sources.
    background: Vec<TaskReply>,
    /// What is wrong and needs somebody.
    errors: Vec<String>,
    /// Searches of the last hour.
    latency: Latency,
}

/// The records, or an index over them.
#[derive(Debug, Serialize, JsonSchema)]
struct StorePart {
    /// `records`, `text` or `vectors`.
    part: &'static str,
    /// `sqlite`, `postgres` or `ariel` of records; `postgres` or the engine of
    /// an index.
    engine: String,
    /// The model of vectors.
    model: Option<String>,
    /// Entries; passages of vectors, or where the figures are not whole,
    /// entries that have some.
    count: u64,
    /// Bytes on disk, where they are known.
    bytes: Option<u64>,
    /// The last change of the records, or the last one that the index has
    /// taken over. Null where the figures are not whole.
    position: Option<i64>,
    /// Changes of the records that the index has not taken over.
    lag: i64,
    /// What is wrong with it.
    trouble: Option<String>,
}

/// The last ingestion of a source.
#[derive(Debug, Serialize, JsonSchema)]
struct SourceRun {
    /// The source system.
    source_system: String,
    /// When it began.
    started_at: String,
    /// When it ended.
    finished_at: Option<String>,
    /// `running`, `success`, `failed` or `stopped`.
    status: Value,
    /// Entries that were new.
    added: u64,
    /// Entries that had changed.
    updated: u64,
    /// Entries that were there already.
    unchanged: u64,
    /// Records that could not become entries.
    rejected: u64,
}

/// The progress of an enhancement module.
#[derive(Debug, Serialize, JsonSchema)]
struct Progress {
    /// Entries that are done.
    complete: u64,
    /// Entries that were tried and failed.
    failed: u64,
    /// Entries that are to be done.
    pending: u64,
}

/// A source that is followed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FollowedSource")]
struct SourceReply {
    /// `waiting`, `polling`, `elsewhere`, `not_ingested`, `given_up`,
    /// `once` or `stopped`.
    state: Value,
    /// Failed polls in a row; the log has the reasons.
    consecutive_failures: u32,
    /// When it was last read to its end, since the service started.
    last_success_at: Option<String>,
    /// When it is polled next.
    next_at: Option<String>,
}

/// What the service does by itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackgroundTask")]
struct TaskReply {
    /// `enhancement` of entries that were written here, or `retention`.
    task: &'static str,
    /// Whether it runs now.
    running: bool,
    /// When it ended last, since the service started.
    last_finished_at: Option<String>,
    /// Whether it failed then; the log has the reason.
    failed: bool,
    /// When it runs next. Null while it runs, and for enhancement, which runs
    /// when an entry is written.
    next_at: Option<String>,
}

/// Searches of the last hour.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Latency {
    /// How many there were.
    searches: u64,
    /// Milliseconds that half of them did not exceed, to within 20 %.
    p50_ms: Option<f64>,
    /// Milliseconds that 95 % of them did not exceed, to within 20 %.
    p95_ms: Option<f64>,
    /// The minutes with searches, oldest first.
    minutes: Vec<MinuteReply>,
}

/// The searches of a minute.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LatencyMinute")]
struct MinuteReply {
    /// Its start.
    start: String,
    /// How many there were.
    searches: u64,
    /// Milliseconds that half of them did not exceed.
    p50_ms: Option<f64>,
    /// Milliseconds that 95 % of them did not exceed.
    p95_ms: Option<f64>,
}

/// `GET /api/status/details`.
pub(crate) async fn show(app: App) -> Result<Json<StatusDetails>, Problem> {
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let whole = app.caller().may(Scope::Admin);
    let work = async move {
        let status = gannet.status().await?;
        let runs = gannet.store().runs(RUNS).await?;
        let contents = Contents::of(&gannet, &tenant, &status).await?;
        Ok::<_, gannet_core::HostError>((status, runs, contents))
    };
    let (status, runs, contents) = app.compute(work).await?;
    let presenter = Presenter::new(&app.gannet);
    let mut errors = app.gannet.unavailable_plugins();
    errors.extend(
        status
            .store
            .read_only
            .as_ref()
            .map(|_| "the store is read-only".to_owned()),
    );
    errors.extend(troubles(&status));
    if !whole {
        return Ok(Json(StatusDetails {
            whole,
            store: own_parts(parts(&status), &contents),
            ingestion: Vec::new(),
            enhancement: BTreeMap::new(),
            sources: BTreeMap::new(),
            background: Vec::new(),
            errors,
            latency: Latency::default(),
        }));
    }
    Ok(Json(StatusDetails {
        whole,
        store: parts(&status),
        ingestion: last_runs(runs, &presenter),
        enhancement: progress(&status),
        sources: sources(&app, &presenter),
        background: background(&app, &presenter),
        errors,
        latency: latency(&app, &presenter),
    }))
}

fn parts(status: &Status) -> Vec<StorePart> {
    let store = &status.store;
    // A store that is all in a database tells no sizes.
    let bytes = |bytes: u64| (bytes > 0).then_some(bytes);
    let records = StorePart {
        part: "records",
        engine: status.parts.records.to_string(),
        model: None,
        count: store.entries,
        bytes: bytes(store.record_bytes),
        position: Some(store.sequence),
        lag: 0,
        trouble: None,
    };
    let trouble = store.text_trouble.as_ref();
    let text = StorePart {
        part: "text",
        engine: status.parts.text.clone(),
        model: None,
        count: store.entries,
        bytes: bytes(store.text_bytes),
        position: Some(store.text_sequence),
        lag: store.lag(store.text_sequence),
        trouble: trouble.map(|_| "the text index does not follow the records".to_owned()),
    };
    let vectors = store.vectors.iter().map(|(model, count)| StorePart {
        part: "vectors",
        engine: status.parts.vectors.clone(),
        model: Some(model.clone()),
        count: *count,
        bytes: bytes(store.vector_bytes).filter(|_| store.vectors.len() == 1),
        position: store.vector_sequences.get(model).copied(),
        lag: store
            .vector_sequences
            .get(model)
            .map_or(0, |applied| store.lag(*applied)),
        trouble: store
            .vector_failures
            .get(model)
            .map(|_| "the vectors cannot be searched".to_owned()),
    });
    [records, text].into_iter().chain(vectors).collect()
}

/// The parts with what a tenant has in them.
fn own_parts(parts: Vec<StorePart>, contents: &Contents) -> Vec<StorePart> {
    let parts = parts.into_iter().filter_map(|part| {
        let count = match &part.model {
            None => contents.entries,
            Some(model) => {
                let mut counts = contents.with_vectors.iter();
                let (_, count) = counts.find(|(name, _)| name == model)?;
                Some(*count).filter(|count| *count > 0)?
            }
        };
        Some(StorePart {
            count,
            bytes: None,
            position: None,
            lag: 0,
            ..part
        })
    });
    parts.collect()
}

fn last_runs(runs: Vec<IngestionRun>, presenter: &Presenter) -> Vec<SourceRun> {
    let mut last: Vec<SourceRun> = Vec::new();
    for run in runs {
        if last
            .iter()
            .any(|one| one.source_system == run.source_system)
        {
            continue;
        }
        last.push(SourceRun {
            source_system: run.source_system,
            started_at: presenter.time(run.started_at),
            finished_at: run.finished_at.map(|time| presenter.time(time)),
            status: serde_json::to_value(run.outcome.status).unwrap_or_default(),
            added: run.outcome.added,
            updated: run.outcome.updated,
            unchanged: run.outcome.unchanged,
            rejected: run.outcome.rejected,
        });
    }
    last
}

fn progress(status: &Status) -> BTreeMap<String, Progress> {
    let modules = status.enhancement.iter().map(|(name, counts)| {
        let progress = Progress {
            complete: counts.complete,
            failed: counts.failed,
            pending: counts.pending,
        };
        (name.clone(), progress)
    });
    modules.collect()
}

fn sources(app: &App, presenter: &Presenter) -> BTreeMap<String, SourceReply> {
    let reply = |report: SourceReport| SourceReply {
        state: serde_json::to_value(report.state).unwrap_or_default(),
        consecutive_failures: report.consecutive_failures,
        last_success_at: report.last_success.map(|time| presenter.time(time)),
        next_at: report.next_poll.map(|time| presenter.time(time)),
    };
    let reports = app.lasting.watching.reports().into_iter();
    reports
        .map(|(name, report)| (name, reply(report)))
        .collect()
}

fn background(app: &App, presenter: &Presenter) -> Vec<TaskReply> {
    let reply = |task, schedule: &Schedule| {
        let times = schedule.times();
        TaskReply {
            task,
            running: times.is_running,
            last_finished_at: times.last.map(|time| presenter.time(time)),
            failed: times.has_failed,
            next_at: times.next.map(|time| presenter.time(time)),
        }
    };
    let enhancement = reply("enhancement", &app.backend.background.schedule);
    let retention = app.gannet.config().retention.is_set();
    let retention = retention.then(|| reply("retention", &app.lasting.retention));
    [enhancement].into_iter().chain(retention).collect()
}

fn latency(app: &App, presenter: &Presenter) -> Latency {
    let minutes = app.lasting.metrics.recent.minutes(Timestamp::now());
    let all = sum(&minutes);
    Latency {
        searches: all.count(),
        p50_ms: all.quantile(0.5),
        p95_ms: all.quantile(0.95),
        minutes: minutes
            .into_iter()
            .map(|(start, durations)| MinuteReply {
                start: presenter.time(start),
                searches: durations.count(),
                p50_ms: durations.quantile(0.5),
                p95_ms: durations.quantile(0.95),
            })
            .collect(),
    }
}
