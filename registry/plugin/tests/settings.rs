//! `#[settings]`: what the configuration and a call can set, declared once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::descriptor::{Exposure, ParameterDescriptor, ParameterType};
use gannet_plugin::prelude::{Descriptor, settings};
use gannet_plugin::setup::Settings;
use gannet_plugin::testing;
use serde_json::{Map, Value, json};

/// How a place is measured.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    serde::Deserialize,
    serde::Serialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// In metres.
    #[default]
    Metres,
    /// In cells of the lattice.
    #[schemars(title = "Lattice cells")]
    Cells,
}

/// What the configuration and a call can set.
#[settings]
#[derive(PartialEq)]
struct Nearby {
    /// The address of the service.
    #[setting(required)]
    url: String,
    /// How many records are asked
    /// for.
    #[setting(default = 50, min = 1, max = 500, parameter, step = 10)]
    records: usize,
    /// The least score.
    #[setting(
        default = 0.25,
        min = 0.0,
        max = 1.0,
        agent,
        label = "Cut",
        section = "Ranking"
    )]
    cut: f64,
    /// The most distance; the configuration may go beyond.
    #[setting(parameter, call_min = 1, call_max = 100)]
    distance: Option<u32>,
    /// The unit of `distance`.
    #[setting(parameter)]
    unit: Unit,
    /// Names that are left out.
    #[setting(default = ["CO2", "SF6"])]
    ignored: Vec<String>,
    /// From which day on.
    #[setting(parameter, input = "date", placeholder = "2024-01-31")]
    since: Option<String>,
    /// What a header says.
    #[setting(default = "gannet")]
    agent: String,
}

fn parameters() -> Vec<ParameterDescriptor> {
    let descriptor = Descriptor::search_module("nearby", "Nearby", "Finds what is near.");
    descriptor.with_settings::<Nearby>().parameters
}

fn parameter(name: &str) -> ParameterDescriptor {
    let all = parameters().into_iter();
    all.into_iter().find(|one| one.name == name).unwrap()
}

fn read(settings: Value) -> gannet_plugin::prelude::Result<Nearby> {
    testing::settings(settings)
}

fn params(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn what_is_not_set_has_its_default() {
    let settings = read(json!({"url": "http://127.0.0.1"})).unwrap();
    let expected = Nearby {
        url: "http://127.0.0.1".to_owned(),
        records: 50,
        cut: 0.25,
        distance: None,
        unit: Unit::Metres,
        ignored: vec!["CO2".to_owned(), "SF6".to_owned()],
        since: None,
        agent: "gannet".to_owned(),
    };
    assert_eq!(settings, expected);
}

#[test]
fn what_is_required_wrong_unknown_or_out_of_bounds_is_refused() {
    for (settings, reason) in [
        (json!({}), "missing field `url`"),
        (json!({"url": 5}), "invalid type"),
        (json!({"url": "x", "recrods": 5}), "unknown field `recrods`"),
        (
            json!({"url": "x", "records": 501}),
            "setting `records`: must be between 1 and 500, found 501",
        ),
        (
            json!({"url": "x", "cut": -0.5}),
            "setting `cut`: must be between 0 and 1, found -0.5",
        ),
    ] {
        let refused = read(settings).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn the_parameters_are_those_that_are_declared_in_their_order() {
    let names: Vec<String> = parameters().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["records", "cut", "distance", "unit", "since"]);
    let records = parameter("records");
    let expected = ParameterDescriptor::new(
        "records",
        "Records",
        "How many records are asked for.",
        ParameterType::Int,
        50,
    );
    assert_eq!(records, expected.range(1.0, 500.0, 10.0));
    let cut = parameter("cut");
    assert_eq!(
        (cut.label.as_str(), cut.section.as_str()),
        ("Cut", "Ranking")
    );
    assert_eq!(
        (cut.parameter_type, cut.exposure),
        (ParameterType::Float, Exposure::Agent)
    );
    assert_eq!(cut.default, 0.25);
}

#[test]
fn the_type_of_a_field_is_that_of_the_value_or_the_one_that_is_named() {
    let distance = parameter("distance");
    assert_eq!(distance.parameter_type, ParameterType::Int);
    assert_eq!(
        (distance.min_value, distance.max_value),
        (Some(1.0), Some(100.0))
    );
    assert_eq!(distance.default, Value::Null);
    let since = parameter("since");
    assert_eq!(since.parameter_type, ParameterType::Date);
    assert_eq!(since.placeholder.as_deref(), Some("2024-01-31"));
    let unit = parameter("unit");
    assert_eq!(unit.parameter_type, ParameterType::Select);
    let options: Vec<(&str, &str)> = unit
        .options
        .iter()
        .map(|option| (option.value.as_str(), option.label.as_str()))
        .collect();
    assert_eq!(options, [("metres", "Metres"), ("cells", "Lattice cells")]);
    assert_eq!(unit.default, "metres");
}

#[test]
fn the_schema_has_the_bounds_of_the_configuration_and_nothing_of_forms() {
    let descriptor = Descriptor::search_module("nearby", "Nearby", "").with_settings::<Nearby>();
    let schema = descriptor.settings_schema;
    assert_eq!(schema["properties"]["records"]["maximum"], 500);
    assert!(schema["properties"]["distance"].get("maximum").is_none());
    assert_eq!(schema["required"], json!(["url"]));
    assert_eq!(schema["additionalProperties"], false);
    assert!(!schema.to_string().contains("x-parameter"), "{schema}");
}

#[test]
fn a_call_sets_parameters_and_nothing_else() {
    let settings = read(json!({"url": "x", "records": 20})).unwrap();
    let call = params(json!({"cut": 0.5, "unit": "cells", "url": "elsewhere", "since": null}));
    let for_call = settings.for_call(&call).unwrap();
    let expected = Nearby {
        cut: 0.5,
        unit: Unit::Cells,
        ..settings.clone()
    };
    assert_eq!(for_call, expected);

    for (wrong, reason) in [
        (
            json!({"cut": 2}),
            "parameter `cut`: must be between 0 and 1, found 2",
        ),
        (
            json!({"records": "many"}),
            "parameter `records`: invalid type",
        ),
    ] {
        let refused = settings.for_call(&params(wrong)).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
}
