//! What a caller can set per call, as data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something that a caller can set per call. Web form, command line help,
/// agent tools and REST are all drawn from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParameterDescriptor {
    /// Its name in `params`.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// What it does.
    pub description: String,
    /// What sort of value it takes.
    #[serde(rename = "type")]
    pub parameter_type: ParameterType,
    /// The value when it is not set.
    pub default: Value,
    /// The least number.
    #[serde(rename = "min", default, skip_serializing_if = "Option::is_none")]
    pub min_value: Option<f64>,
    /// The greatest number.
    #[serde(rename = "max", default, skip_serializing_if = "Option::is_none")]
    pub max_value: Option<f64>,
    /// By how much a form steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The values of a `select`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ParameterOption>,
    /// The heading that a form puts it under.
    pub section: String,
    /// What an empty text field shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Where the values of a `dynamic_select` come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options_endpoint: Option<String>,
    /// Who may set it.
    #[serde(default)]
    pub exposure: Exposure,
}

/// What sort of value a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// A number.
    Float,
    /// A whole number.
    Int,
    /// Yes or no.
    Bool,
    /// One of a few values.
    Select,
    /// A day.
    Date,
    /// Any text.
    Text,
    /// One of the values that an endpoint lists.
    DynamicSelect,
}

impl ParameterType {
    /// Whether a value is of this type.
    pub fn takes(self, value: &Value) -> bool {
        match self {
            Self::Float => value.is_number(),
            Self::Int => value.is_u64() || value.is_i64(),
            Self::Bool => value.is_boolean(),
            Self::Select | Self::Date | Self::Text | Self::DynamicSelect => value.is_string(),
        }
    }
}

/// One value of a `select`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParameterOption {
    /// The value.
    pub value: String,
    /// What people see.
    pub label: String,
}

impl ParameterOption {
    /// A value, and what people see.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
        }
    }
}

/// Who may set a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// Agents and everybody below.
    Agent,
    /// Callers of an API, of the command line and of the web form.
    #[default]
    Api,
    /// Only the configuration.
    Host,
}

impl ParameterDescriptor {
    /// A parameter in section `General`, that callers of an API may set.
    pub fn new(
        name: &str,
        label: &str,
        description: &str,
        parameter_type: ParameterType,
        default: impl Into<Value>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            label: label.to_owned(),
            description: description.to_owned(),
            parameter_type,
            default: default.into(),
            min_value: None,
            max_value: None,
            step: None,
            options: Vec::new(),
            section: "General".to_owned(),
            placeholder: None,
            options_endpoint: None,
            exposure: Exposure::Api,
        }
    }

    /// With bounds and a step.
    #[must_use]
    pub fn range(mut self, min_value: f64, max_value: f64, step: f64) -> Self {
        self.min_value = Some(min_value);
        self.max_value = Some(max_value);
        self.step = Some(step);
        self
    }

    /// Under this heading.
    #[must_use]
    pub fn section(mut self, section: &str) -> Self {
        self.section = section.to_owned();
        self
    }

    /// Settable by these.
    #[must_use]
    pub fn exposed_to(mut self, exposure: Exposure) -> Self {
        self.exposure = exposure;
        self
    }
}
