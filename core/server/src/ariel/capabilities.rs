//! `GET /api/capabilities`: modes and parameters, drawn from the descriptors
//! of what is enabled.

use std::collections::BTreeMap;

use axum::Json;
use gannet_core::api::{Category, Descriptor, Exposure, ParameterDescriptor, ParameterType};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::state::App;

/// Modes by category, and the parameters that all of them have.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Capabilities {
    /// `llm`: modes that need a chat model; `direct`: the others. A category
    /// without modes is left out.
    categories: BTreeMap<&'static str, ModeCategory>,
    /// The mode of a search that names none.
    default_mode: String,
    /// The parameters of every mode.
    #[schemars(with = "Vec<Value>")]
    shared_parameters: Vec<ParameterDescriptor>,
}

/// The modes of a category.
#[derive(Debug, Serialize, JsonSchema)]
struct ModeCategory {
    /// Its name for people.
    label: &'static str,
    /// The modes, pipelines first.
    modes: Vec<Mode>,
}

/// A search module or pipeline.
#[derive(Debug, Serialize, JsonSchema)]
struct Mode {
    /// Its name in `mode`.
    name: String,
    /// Its name for people.
    label: String,
    /// What it does and when to use it.
    description: String,
    /// What can be set per call.
    #[schemars(with = "Vec<Value>")]
    parameters: Vec<ParameterDescriptor>,
}

/// `GET /api/capabilities`.
pub(crate) async fn show(app: App) -> Json<Capabilities> {
    let mut categories: BTreeMap<&'static str, ModeCategory> = BTreeMap::new();
    for descriptor in app.gannet.modes() {
        let (name, label) = match descriptor.category {
            Category::Direct => ("direct", "Direct"),
            Category::Llm => ("llm", "LLM"),
        };
        let category = categories.entry(name).or_insert_with(|| ModeCategory {
            label,
            modes: Vec::new(),
        });
        category.modes.push(mode(descriptor));
    }
    Json(Capabilities {
        categories,
        default_mode: app.gannet.default_mode().to_owned(),
        shared_parameters: shared_parameters(),
    })
}

fn mode(descriptor: Descriptor) -> Mode {
    let parameters = descriptor.parameters.into_iter();
    Mode {
        name: descriptor.name,
        label: descriptor.label,
        description: descriptor.description,
        parameters: parameters
            .filter(|parameter| parameter.exposure != Exposure::Host)
            .collect(),
    }
}

/// Those of ARIEL.
fn shared_parameters() -> Vec<ParameterDescriptor> {
    use ParameterType::{Date, DynamicSelect, Int, Text};
    let filter = |name, label, description, kind| {
        ParameterDescriptor::new(name, label, description, kind, Value::Null).section("Filters")
    };
    let number = "Maximum number of entries to return";
    let max_results = ParameterDescriptor::new("max_results", "Max Results", number, Int, 10);
    let mut author = filter("author", "Author", "Filter entries by author name", Text);
    author.placeholder = Some("Filter by author...".to_owned());
    let mut source = filter(
        "source_system",
        "Source System",
        "Filter entries by source system",
        DynamicSelect,
    );
    source.options_endpoint = Some("/api/filter-options/source_systems".to_owned());
    vec![
        max_results.range(1.0, 100.0, 1.0),
        filter(
            "start_date",
            "Start Date",
            "Filter entries after this date",
            Date,
        ),
        filter(
            "end_date",
            "End Date",
            "Filter entries before this date",
            Date,
        ),
        author,
        source,
    ]
}
