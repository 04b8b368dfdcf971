//! What a plugin says of itself.

use std::collections::BTreeSet;

use serde_json::Value;

use super::report::{Report, Verdict, quoted};
use gannet_api::{Descriptor, Exposure, ParameterDescriptor, ParameterType};

/// A label is a few words, a description a few sentences.
const LABEL_CHARS: usize = 60;
const DESCRIPTION_CHARS: std::ops::RangeInclusive<usize> = 10..=2_000;

pub(super) fn examine(descriptor: &Descriptor, report: &mut Report) {
    report.add("name", name(descriptor));
    report.add("texts", texts(descriptor));
    report.add("schemas", schemas(descriptor));
    report.add("parameters", parameters(descriptor));
}

fn name(descriptor: &Descriptor) -> Verdict {
    let name = &descriptor.name;
    if Descriptor::is_name(name) {
        return Ok(());
    }
    Err(format!(
        "{} is not a valid name of a plugin: use lower-case letters, digits and single \
         underscores, starting with a letter",
        quoted(name)
    )
    .into())
}

fn texts(descriptor: &Descriptor) -> Verdict {
    let label = descriptor.label.trim();
    if label.is_empty() || label.chars().count() > LABEL_CHARS || label.contains('\n') {
        return Err(format!(
            "the label {} is not one line of 1 to {LABEL_CHARS} characters",
            quoted(label)
        )
        .into());
    }
    let length = descriptor.description.trim().chars().count();
    if !DESCRIPTION_CHARS.contains(&length) {
        return Err(format!(
            "the description has {length} characters, not {} to {}; agents decide by it",
            DESCRIPTION_CHARS.start(),
            DESCRIPTION_CHARS.end()
        )
        .into());
    }
    Ok(())
}

fn schemas(descriptor: &Descriptor) -> Verdict {
    for (what, schema) in [
        ("settings", &descriptor.settings_schema),
        ("arguments", &descriptor.arguments_schema),
    ] {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(format!(
                "the schema of the {what} does not say `\"type\": \"object\"`: derive it from a \
                 struct with named fields"
            )
            .into());
        }
    }
    Ok(())
}

fn parameters(descriptor: &Descriptor) -> Verdict {
    let mut names = BTreeSet::new();
    for parameter in &descriptor.parameters {
        let wrong = |what: String| format!("parameter {}: {what}", quoted(&parameter.name));
        if !Descriptor::is_name(&parameter.name) {
            return Err(wrong("its name is not made as a plugin's name is".to_owned()).into());
        }
        if !names.insert(&parameter.name) {
            return Err(wrong("there are two of this name".to_owned()).into());
        }
        if parameter.label.trim().is_empty() || parameter.description.trim().is_empty() {
            return Err(wrong("its label or description is empty".to_owned()).into());
        }
        if let (Some(least), Some(greatest)) = (parameter.min_value, parameter.max_value)
            && least > greatest
        {
            return Err(wrong(format!("min {least} is above max {greatest}")).into());
        }
        default_of(parameter).map_err(wrong)?;
    }
    Ok(())
}

/// Whether the default is a value that a caller could set. A parameter may
/// have none.
fn default_of(parameter: &ParameterDescriptor) -> Result<(), String> {
    let default = &parameter.default;
    let is_of_type = parameter.parameter_type.takes(default);
    if !is_of_type && !default.is_null() {
        return Err(format!(
            "the default {default} is not of the type {:?}",
            parameter.parameter_type
        ));
    }
    if let Some(number) = default.as_f64() {
        let is_below = parameter.min_value.is_some_and(|least| number < least);
        let is_above = parameter.max_value.is_some_and(|most| number > most);
        if is_below || is_above {
            return Err(format!("the default {default} is outside of min and max"));
        }
    }
    if parameter.parameter_type == ParameterType::Select {
        let is_option = |value: &str| parameter.options.iter().any(|one| one.value == value);
        if !default.is_null() && !default.as_str().is_some_and(is_option) {
            return Err(format!("the default {default} is not among the options"));
        }
    }
    Ok(())
}

/// The parameters that a call can set.
pub(super) fn settable(descriptor: &Descriptor) -> impl Iterator<Item = &ParameterDescriptor> {
    let parameters = descriptor.parameters.iter();
    parameters.filter(|parameter| parameter.exposure != Exposure::Host)
}
