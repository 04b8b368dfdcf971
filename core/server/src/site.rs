//! What a page needs to know of this installation.

mod domains;

use axum::Json;
use gannet_core::api::{Descriptor, ParameterDescriptor};
use gannet_core::store::ListRequest;
use gannet_core::{Gannet, HostError, InstanceReport, LifecycleState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::ariel::Presenter;
use crate::auth::Scope;
use crate::problem::Problem;
use crate::routes::Routes;
use crate::state::App;
use crate::status_details;
use crate::{feeds, related, thread, timeline};
use domains::{UnifiedSite, unified_site};

/// Adds the routes that the web interface uses beside those of ARIEL.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Web interface";
    let about = (
        TAG,
        "What a page needs to know of this installation",
        &[503][..],
    );
    routes.get::<(), Site, _, _>("/api/site", about, show);
    let about = (
        TAG,
        "Matching entries counted by time",
        &[400, 415, 422, 503][..],
    );
    routes.post::<timeline::TimelineBody, timeline::TimelineReply, _, _>(
        "/api/timeline",
        about,
        timeline::show,
    );
    let about = (TAG, "Entries that belong to an entry", &[404, 503][..]);
    routes.get::<(), related::RelatedReply, _, _>(
        "/api/entries/{entry_id}/related",
        about,
        related::show,
    );
    let about = (
        TAG,
        "What belongs to an entry, in the order of time",
        &[400, 404, 503][..],
    );
    routes.get::<(), thread::ThreadReply, _, _>(
        "/api/entries/{entry_id}/thread",
        about,
        thread::show,
    );
    let about = (
        TAG,
        "Parts of the store, ingestion, enhancement and times",
        &[503][..],
    );
    routes.get::<(), status_details::StatusDetails, _, _>(
        "/api/status/details",
        about,
        status_details::show,
    );
    let about = (
        TAG,
        "What is enabled, with its parameters and its state",
        &[503][..],
    );
    routes.get::<(), Vec<PluginReply>, _, _>("/api/plugins", about, plugins);
    let about = (
        "Deliveries",
        "The Atom feed of a delivery of the configuration",
        &[404, 503][..],
    );
    routes.get_file("/api/feeds/{name}", about, feeds::ATOM, feeds::show);
}

/// What a page needs to know of this installation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Site {
    /// The version of the program.
    version: &'static str,
    /// The name of the facility's time zone; times of entries are in it.
    timezone: String,
    /// How many entries the caller can see.
    entries: u64,
    /// When the first of them was logged.
    first: Option<String>,
    /// When the last of them was logged.
    last: Option<String>,
    /// Fields that are worth counting, for `facets` of `/api/search`.
    facet_fields: Vec<String>,
    /// Whether the caller may write entries here.
    can_write: bool,
    /// Whether the caller may have a chat model asked.
    can_ask: bool,
    /// The modes that ask a chat model, by the configuration.
    chat_modes: Vec<String>,
    /// Whether what users say of answers and entries is kept.
    keeps_feedback: bool,
    /// Unified search, where it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    unified: Option<UnifiedSite>,
}

/// `GET /api/site`.
async fn show(app: App) -> Result<Json<Site>, Problem> {
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let can_ask = app.caller().may(Scope::Ask);
    let contents = app
        .compute(async move { contents(&gannet, &tenant, can_ask).await })
        .await?;
    let presenter = Presenter::new(&app.gannet);
    let time = |time: Option<_>| time.map(|time| presenter.time(time));
    Ok(Json(Site {
        version: env!("CARGO_PKG_VERSION"),
        timezone: app.gannet.config().timezone.clone(),
        entries: contents.entries,
        first: time(contents.first),
        last: time(contents.last),
        facet_fields: contents.facet_fields,
        can_write: contents.is_writable && app.caller().may(Scope::Ingest),
        can_ask,
        chat_modes: chat_modes(&app.gannet),
        keeps_feedback: app.gannet.config().feedback.enabled,
        unified: contents.unified,
    }))
}

fn chat_modes(gannet: &Gannet) -> Vec<String> {
    let names = gannet.modes().into_iter().map(|mode| mode.name);
    names
        .filter(|name| gannet.may_ask_chat_model(name, &Map::new()))
        .collect()
}

struct Contents {
    entries: u64,
    first: Option<jiff::Timestamp>,
    last: Option<jiff::Timestamp>,
    facet_fields: Vec<String>,
    is_writable: bool,
    unified: Option<UnifiedSite>,
}

async fn contents(gannet: &Gannet, tenant: &str, may_ask: bool) -> Result<Contents, HostError> {
    let store = gannet.store();
    let newest = store.list(tenant, ListRequest::newest(1)).await?;
    let oldest = ListRequest {
        newest_first: false,
        ..ListRequest::newest(1)
    };
    let oldest = store.list(tenant, oldest).await?;
    Ok(Contents {
        entries: store.count(tenant).await?,
        first: oldest.entries.first().map(|entry| entry.timestamp),
        last: newest.entries.first().map(|entry| entry.timestamp),
        facet_fields: gannet.facet_fields(tenant).await?,
        is_writable: store.read_only().is_none(),
        unified: unified_site(gannet, tenant, may_ask).await?,
    })
}

/// A plugin that is enabled.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Plugin")]
pub(crate) struct PluginReply {
    /// What sort of plugin: `search_module`, `pipeline`, `adapter`, `enhancer`,
    /// `embedder`, `reranker`, `reader` or `chat_model`.
    kind: Value,
    /// Its name in the configuration.
    name: String,
    /// Its name for people.
    label: String,
    /// What it does and when to use it.
    description: String,
    /// Whether the same question gives the same result.
    deterministic: bool,
    /// What can be set, per call (`api`, `agent`) or in the configuration
    /// (`host`).
    #[schemars(with = "Vec<Value>")]
    parameters: Vec<ParameterDescriptor>,
    /// `created`: not called yet. `started`: called, and well. `degraded`: it
    /// could not start, or says that something is wrong. `quarantined`: it
    /// panicked too often and is asked no more.
    #[schemars(with = "String")]
    state: LifecycleState,
    /// What is wrong, where something is. Callers who are no administrators
    /// are told nothing of the servers behind it.
    reason: Option<String>,
    /// Whether its state is `quarantined`.
    quarantined: bool,
}

/// `GET /api/plugins`.
async fn plugins(app: App) -> Result<Json<Vec<PluginReply>>, Problem> {
    let gannet = app.gannet.clone();
    let work = async move { Ok::<_, Problem>(gannet.instances().await) };
    let reports = app.compute(work).await?;
    let plugins = app.gannet.plugins().into_iter().map(|plugin| {
        let mut reports = reports.iter();
        let report = reports.find(|one| one.kind == plugin.kind && one.name == plugin.name);
        reply(&app, plugin, report)
    });
    Ok(Json(plugins.collect()))
}

fn reply(app: &App, plugin: Descriptor, report: Option<&InstanceReport>) -> PluginReply {
    let state = report.map_or(LifecycleState::Created, |report| report.state);
    let reason = report.and_then(|report| app.backend.reason_for_caller(app.caller(), report));
    PluginReply {
        kind: serde_json::to_value(plugin.kind).unwrap_or_default(),
        name: plugin.name,
        label: plugin.label,
        description: plugin.description,
        deterministic: plugin.deterministic,
        parameters: plugin.parameters,
        state,
        reason,
        quarantined: state == LifecycleState::Quarantined,
    }
}
