//! The JSON Schema of a tool's arguments.

use serde_json::{Map, Value, json};

use crate::{Descriptor, Exposure, ParameterDescriptor, ParameterType};

/// The question, which every tool takes.
pub(super) const QUERY: &str = "query";
pub(super) const MAX_RESULTS: &str = "max_results";
pub(super) const START_DATE: &str = "start_date";
pub(super) const END_DATE: &str = "end_date";
pub(super) const AUTHOR: &str = "author";
pub(super) const SOURCE_SYSTEM: &str = "source_system";

/// How many entries a call gets that does not say, and how many it can have.
const DEFAULT_RESULTS: usize = 10;
const MOST_RESULTS: usize = 50;
/// How many entries a pipeline gives as a tool that does not say.
const RESULTS_OF_PIPELINE: usize = 5;
/// The parameter of a pipeline that says it.
const FINAL_K: &str = "final_k";

pub(super) fn default_results() -> usize {
    DEFAULT_RESULTS
}

/// How many entries a pipeline gives as a tool.
pub(super) fn results_of_pipeline(descriptor: &Descriptor) -> usize {
    let own = descriptor.parameter(FINAL_K);
    own.and_then(|parameter| parameter.default.as_u64())
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| *number > 0)
        .unwrap_or(RESULTS_OF_PIPELINE)
}

pub(super) fn of_pipeline(descriptor: &Descriptor) -> Value {
    let mut properties = Map::from_iter([(QUERY.to_owned(), query())]);
    add_parameters(&mut properties, descriptor);
    object(properties, vec![QUERY.into()], None)
}

pub(super) fn of_search_module(descriptor: &Descriptor) -> Value {
    let declared = &descriptor.arguments_schema;
    let properties = declared.get("properties").and_then(Value::as_object);
    let mut properties = properties.cloned().unwrap_or_default();
    add_parameters(&mut properties, descriptor);
    for (name, schema) in shared() {
        properties.entry(name).or_insert(schema);
    }

    let required = declared.get("required").and_then(Value::as_array);
    let mut required = required.cloned().unwrap_or_default();
    if required.iter().all(|name| name != QUERY) {
        required.insert(0, QUERY.into());
    }
    object(properties, required, declared.get("$defs"))
}

/// Adds the parameters that agents set.
fn add_parameters(properties: &mut Map<String, Value>, descriptor: &Descriptor) {
    let is_for_agents = |one: &&ParameterDescriptor| one.exposure == Exposure::Agent;
    for parameter in descriptor.parameters.iter().filter(is_for_agents) {
        let name = parameter.name.clone();
        properties.entry(name).or_insert_with(|| schema(parameter));
    }
}

fn object(properties: Map<String, Value>, required: Vec<Value>, defs: Option<&Value>) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let Some(defs) = defs {
        schema["$defs"] = defs.clone();
    }
    schema
}

fn query() -> Value {
    json!({ "type": "string", "description": "What to search for." })
}

/// What every search module takes, by name.
fn shared() -> [(String, Value); 6] {
    let text = |description: &str| json!({ "type": ["string", "null"], "description": description, "default": null });
    let max_results = json!({
        "type": "integer",
        "description": "Maximum number of entries.",
        "minimum": 1,
        "maximum": MOST_RESULTS,
        "default": DEFAULT_RESULTS,
    });
    [
        (QUERY, query()),
        (MAX_RESULTS, max_results),
        (
            START_DATE,
            text("Only entries on or after this date or time, RFC 3339 or YYYY-MM-DD."),
        ),
        (
            END_DATE,
            text("Only entries on or before this date or time."),
        ),
        (
            AUTHOR,
            text("Only entries whose author contains this text."),
        ),
        (SOURCE_SYSTEM, text("Only entries of this source system.")),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
}

/// The schema of one parameter. Models write `null` for what they leave out.
fn schema(parameter: &ParameterDescriptor) -> Value {
    let kind = match parameter.parameter_type {
        ParameterType::Float => "number",
        ParameterType::Int => "integer",
        ParameterType::Bool => "boolean",
        ParameterType::Select
        | ParameterType::Date
        | ParameterType::Text
        | ParameterType::DynamicSelect => "string",
    };
    let mut schema = json!({ "type": [kind, "null"], "description": parameter.description });
    let bounds = [
        ("minimum", parameter.min_value),
        ("maximum", parameter.max_value),
    ];
    for (key, bound) in bounds {
        if let Some(bound) = bound {
            schema[key] = bound.into();
        }
    }
    if !parameter.options.is_empty() {
        let values = parameter.options.iter().map(|option| &option.value);
        let values = values.cloned().map(Value::String);
        schema["enum"] = values.chain([Value::Null]).collect();
    }
    if !parameter.default.is_null() {
        schema["default"] = parameter.default.clone();
    }
    schema
}
