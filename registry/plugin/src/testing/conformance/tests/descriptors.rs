//! What a plugin says of itself, and how it takes settings.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::json;

use super::*;
use gannet_api::{
    Context, DynSearchModule, Error, Hit, ParameterDescriptor, ParameterOption, ParameterType,
    SearchRequest,
};

struct Nothing;

impl DynSearchModule for Nothing {
    fn search<'a>(
        &'a self,
        _request: SearchRequest,
        _context: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Hit>>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

fn described(change: impl FnOnce(&mut Descriptor)) -> Specimen {
    let mut descriptor = Descriptor::search_module("nothing", "Nothing", "Finds nothing at all.");
    change(&mut descriptor);
    specimen(descriptor, || Plugin::SearchModule(Arc::new(Nothing)))
}

fn parameter(parameter_type: ParameterType, default: Value) -> ParameterDescriptor {
    ParameterDescriptor::new("size", "Size", "How large.", parameter_type, default)
}

/// Why a parameter is objected to.
fn objection(parameter: ParameterDescriptor) -> String {
    reason(&described(|d| d.parameters = vec![parameter]), "parameters")
}

#[test]
fn names_are_lower_case_with_single_underscores() {
    for name in ["a", "night_shift", "bm25_v2"] {
        let good = described(|descriptor| descriptor.name = name.to_owned());
        assert!(!failed(&good).contains(&"name"), "{name}");
    }
    for name in [
        "",
        "Night",
        "night-shift",
        "_a",
        "a_",
        "a__b",
        "2d",
        "é",
        "a b",
    ] {
        let bad = described(|descriptor| descriptor.name = name.to_owned());
        assert!(failed(&bad).contains(&"name"), "{name}");
    }
}

#[test]
fn labels_and_descriptions_are_there_and_not_too_long() {
    let bad = [
        described(|descriptor| descriptor.label = " ".to_owned()),
        described(|descriptor| descriptor.label = "x".repeat(61)),
        described(|descriptor| descriptor.description = "Finds.".to_owned()),
        described(|descriptor| descriptor.description = "x".repeat(2_001)),
    ];
    for specimen in bad {
        assert!(failed(&specimen).contains(&"texts"));
    }
}

#[test]
fn schemas_are_those_of_objects() {
    let settings = described(|descriptor| descriptor.settings_schema = json!({"type": "string"}));
    let arguments = described(|descriptor| descriptor.arguments_schema = json!(true));

    assert!(reason(&settings, "schemas").contains("schema of the settings"));
    assert!(reason(&arguments, "schemas").contains("schema of the arguments"));
}

#[test]
fn parameters_have_names_of_their_own_and_defaults_that_a_caller_could_set() {
    let twice = described(|descriptor| {
        let one = parameter(ParameterType::Int, json!(1));
        descriptor.parameters = vec![one.clone(), one];
    });
    assert!(reason(&twice, "parameters").contains("two of this name"));

    let int = |default| parameter(ParameterType::Int, default);
    assert!(objection(int(json!(1.5))).contains("not of the type Int"));
    assert!(objection(int(json!(9)).range(0.0, 5.0, 1.0)).contains("outside of min and max"));
    assert!(objection(int(json!(3)).range(5.0, 1.0, 1.0)).contains("min 5 is above max 1"));

    let mut select = parameter(ParameterType::Select, json!("xl"));
    select.options = vec![ParameterOption::new("s", "Small")];
    assert!(objection(select).contains("not among the options"));
}

#[test]
fn a_parameter_may_have_no_default() {
    let open = described(|descriptor| {
        descriptor.parameters = vec![parameter(ParameterType::Date, Value::Null)];
    });

    assert!(!failed(&open).contains(&"parameters"));
}

#[test]
fn a_constructor_that_panics_is_caught() {
    let descriptor = described(|_| {}).descriptor;
    let bad = Specimen::new(descriptor, |_, _| panic!("no luck"));

    assert_eq!(failed(&bad), ["construction"]);
    assert!(reason(&bad, "construction").contains("panicked: no luck"));
}

#[test]
fn settings_of_a_wrong_kind_must_be_refused_key_by_key() {
    let lenient = Specimen::new(described(|_| {}).descriptor, |_, _| {
        Ok(Plugin::SearchModule(Arc::new(Nothing)))
    });
    let mut careless = Specimen::new(described(|_| {}).descriptor, |settings, _| match settings {
        Value::Object(_) => Ok(Plugin::SearchModule(Arc::new(Nothing))),
        _ => Err(Error::configuration("nothing", "is no map")),
    });
    careless.descriptor.settings_schema =
        json!({"type": "object", "properties": {"size": {"type": "integer"}}});

    assert!(reason(&lenient, "wrong_settings").contains("settings \"words\" are taken"));
    let reason = reason(&careless, "wrong_settings");
    assert!(
        reason.contains("settings {\"size\":\"words\"} are taken"),
        "{reason}"
    );
}
