//! `capabilities` and `status`: what the server can do, and how it is.

use std::collections::BTreeMap;

use gannet_core::Status;
use gannet_core::api::{DEFAULT_TENANT, Descriptor, Exposure, PluginKind, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::failure::ToolFailure;
use super::server::Call;
use crate::auth::Scope;

pub(super) const CAPABILITIES: &str = "capabilities";
pub(super) const CAPABILITIES_DESCRIPTION: &str = "\
Lists the search modules and pipelines with their tools and parameters, and the conventions of \
this server.";

pub(super) const STATUS: &str = "status";
pub(super) const STATUS_DESCRIPTION: &str = "\
Shows how many entries there are, when the last ones came in, and whether searches are complete.";

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// Some programs that call tools do not take a schema without `properties`.
#[schemars(extend("properties" = {}))]
pub(super) struct NoArguments {}

/// What the server can do.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CapabilitiesReply {
    /// The mode that people get without choosing one.
    default_mode: String,
    /// The facility's time zone; dates without an offset are in it.
    timezone: String,
    /// Whether this caller can store entries.
    can_write: bool,
    /// The enabled search modules and pipelines.
    modes: Vec<Mode>,
}

/// A search module or a pipeline.
#[derive(Debug, Serialize, JsonSchema)]
struct Mode {
    /// Its name in the configuration.
    name: String,
    /// Its tool.
    tool: String,
    /// `search_module` or `pipeline`.
    kind: &'static str,
    /// Its name for people.
    label: String,
    /// What it does and when to use it.
    description: String,
    /// What can be set per call.
    parameters: Vec<Value>,
}

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatusReply {
    /// Whether nothing below is a problem.
    healthy: bool,
    /// Number of entries.
    entries: u64,
    /// The model of semantic searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding_model: Option<String>,
    /// Enabled search modules.
    search_modules: Vec<String>,
    /// Enabled pipelines.
    pipelines: Vec<String>,
    /// Progress of each enhancement module, for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    enhancement: Option<BTreeMap<String, Value>>,
    /// The last ingestion, for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_ingestion: Option<Value>,
    /// What makes searches incomplete.
    problems: Vec<String>,
}

/// What the server can do for this caller.
pub(super) fn capabilities(call: &Call<'_>) -> CapabilitiesReply {
    let modes = call.gannet.modes();
    let zone = call.gannet.time_zone();
    CapabilitiesReply {
        default_mode: call.gannet.default_mode().to_owned(),
        timezone: zone.iana_name().unwrap_or("UTC").to_owned(),
        can_write: call.can_write(),
        modes: modes.iter().filter_map(mode).collect(),
    }
}

fn mode(descriptor: &Descriptor) -> Option<Mode> {
    let tool = Tool::of(descriptor)?;
    let settable = descriptor.parameters.iter();
    let settable = settable.filter(|parameter| parameter.exposure == Exposure::Agent);
    Some(Mode {
        name: descriptor.name.clone(),
        tool: tool.name,
        kind: match descriptor.kind {
            PluginKind::Pipeline => "pipeline",
            _ => "search_module",
        },
        label: descriptor.label.clone(),
        description: descriptor.description.clone(),
        parameters: settable.map(|parameter| json!(parameter)).collect(),
    })
}

/// How the server is. Paths and addresses are left out: clients may be
/// elsewhere.
///
/// # Errors
/// A [`ToolFailure`] for a store that cannot be read.
pub(super) async fn status(call: &Call<'_>) -> Result<StatusReply, ToolFailure> {
    let status = call.gannet.status().await?;
    let tenant = &call.caller.tenant;
    let entries = call.gannet.store().count(tenant).await?;
    // Runs and progress are counted over all tenants.
    let is_whole = call.caller.may(Scope::Admin);
    let problems = problems(&status, tenant == DEFAULT_TENANT);
    let counts = status.enhancement.iter();
    let counts = counts.map(|(module, counts)| (module.clone(), json!(counts)));
    let last = status.last_run.as_ref().map(|run| {
        json!({
            "source_system": run.source_system,
            "status": run.outcome.status,
            "started_at": call.views.time(run.started_at),
            "finished_at": run.finished_at.map(|time| call.views.time(time)),
            "added": run.outcome.added,
            "updated": run.outcome.updated,
        })
    });
    Ok(StatusReply {
        healthy: problems.is_empty(),
        entries,
        embedding_model: status.embedder.as_ref().map(|model| model.model.clone()),
        enhancement: is_whole.then(|| counts.collect()),
        last_ingestion: last.filter(|_| is_whole),
        search_modules: status.search_modules,
        pipelines: status.pipelines,
        problems,
    })
}

/// `is_default`: whether the caller is of the tenant whose embeddings are
/// counted.
fn problems(status: &Status, is_default: bool) -> Vec<String> {
    let mut problems = Vec::new();
    let mut add = |is_so: bool, problem: &str| {
        if is_so {
            problems.push(problem.to_owned());
        }
    };
    let store = &status.store;
    add(
        store.text_trouble.is_some(),
        "the text index does not follow the entries",
    );
    add(
        !store.vector_failures.is_empty(),
        "some embeddings cannot be searched",
    );
    add(
        !status.left_out.is_empty(),
        "some configured plugins are not enabled",
    );
    add(
        !status.quarantined.is_empty(),
        "some plugins failed too often and are not used",
    );
    let missing = status.embedder.as_ref();
    let missing = missing.map_or(0, |model| model.entries_without_vectors);
    if is_default && missing > 0 {
        problems.push(format!("{missing} entries have no embedding yet"));
    }
    problems
}
