//! What a page needs to know of unified search: which domains there are, and
//! whether a chat model may phrase its answers.

use std::collections::BTreeMap;

use gannet_core::api::FilterField;
use gannet_core::config::Config;
use gannet_core::{Gannet, HostError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The pipeline of unified search.
const PIPELINE: &str = "unified";
/// Domains that are named at most; of more, those with the most entries.
const MOST: usize = 20;

/// Unified search on this installation.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "UnifiedSite")]
pub(crate) struct UnifiedSite {
    /// The domains, sorted by name.
    domains: Vec<SiteDomain>,
    /// Whether a page searches every domain unless it is told otherwise: there
    /// are several, and the configuration names no other mode.
    is_default: bool,
    /// Whether a chat model can phrase an answer for this caller.
    can_synthesize: bool,
}

/// A domain.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteDomain")]
pub(crate) struct SiteDomain {
    /// Its name in `scope`.
    name: String,
    /// Its name for people.
    label: String,
}

/// The settings of the pipeline that matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PipelineSettings {
    domains: BTreeMap<String, DomainLabel>,
    domain_field: FilterName,
    synthesis: Synthesis,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DomainLabel {
    label: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FilterName {
    #[default]
    Kind,
    SourceSystem,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Synthesis {
    enabled: bool,
}

impl Default for Synthesis {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// Unified search as this tenant sees it; `None` where the pipeline is off.
///
/// # Errors
/// [`HostError::Store`] when the values of the entries cannot be read.
pub(super) async fn unified_site(
    gannet: &Gannet,
    tenant: &str,
    may_ask: bool,
) -> Result<Option<UnifiedSite>, HostError> {
    let Some(pipeline) = gannet.config().pipelines.get(PIPELINE) else {
        return Ok(None);
    };
    if gannet.mode(PIPELINE).is_err() {
        return Ok(None);
    }
    let settings = Value::Object(pipeline.settings.clone());
    // The host checked the settings against the pipeline's schema.
    let settings: PipelineSettings = serde_json::from_value(settings).unwrap_or_default();
    let domains = match settings.domains.is_empty() {
        true => of_entries(gannet, tenant, &settings.domain_field).await?,
        false => settings.domains.into_iter().map(of_settings).collect(),
    };
    let by_model = Map::from_iter([("answer".to_owned(), Value::from("model"))]);
    let has_model = gannet.may_ask_chat_model(PIPELINE, &by_model);
    let names_no_mode = gannet.default_mode() == Config::default().default_search_mode;
    Ok(Some(UnifiedSite {
        is_default: domains.len() > 1 && names_no_mode,
        can_synthesize: settings.synthesis.enabled && has_model && may_ask,
        domains,
    }))
}

fn of_settings((name, domain): (String, DomainLabel)) -> SiteDomain {
    let label = domain.label.filter(|label| !label.is_empty());
    SiteDomain {
        label: label.unwrap_or_else(|| name.clone()),
        name,
    }
}

/// Without configured domains, each value of a field is one.
async fn of_entries(
    gannet: &Gannet,
    tenant: &str,
    field: &FilterName,
) -> Result<Vec<SiteDomain>, HostError> {
    let field = match field {
        FilterName::Kind => FilterField::Kind,
        FilterName::SourceSystem => FilterField::SourceSystem,
    };
    let names = gannet.frequent_values(tenant, &field, MOST).await?;
    let domains = names.into_iter().map(|name| SiteDomain {
        label: name.clone(),
        name,
    });
    Ok(domains.collect())
}
