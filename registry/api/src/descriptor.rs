//! Descriptors: what a plugin is, as data. Surfaces, agents and the
//! configuration's checks all read the same one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Example;

/// What a plugin is. Of search modules this is ARIEL's
/// `SearchToolDescriptor`, of pipelines its `PipelineDescriptor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Descriptor {
    /// What sort of plugin.
    pub kind: PluginKind,
    /// Its name in the configuration: lower case, digits and underscores.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// What it does and when to use it; an agent decides by this text.
    pub description: String,
    /// What an agent reads in place of `description`, where the two differ: an
    /// agent sees the entries that a pipeline finds and not its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_description: Option<String>,
    /// Whether it needs a chat model to do its work.
    pub category: Category,
    /// Whether the same question gives the same result.
    pub deterministic: bool,
    /// What it needs of the host.
    #[serde(default)]
    pub needs: Needs,
    /// Where it stands among the enhancers; smaller runs first.
    pub execution_order: i32,
    /// JSON Schema of its settings, taken from the author's type.
    pub settings_schema: Value,
    /// JSON Schema of the arguments that an agent passes.
    pub arguments_schema: Value,
    /// What a caller can set per call.
    #[serde(default)]
    pub parameters: Vec<ParameterDescriptor>,
    /// Uses of the plugin that its docs show and its conformance test runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// The sorts of plugins, in the order in which they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginKind {
    /// Finds entries.
    SearchModule,
    /// Answers questions.
    Pipeline,
    /// Brings entries in.
    Adapter,
    /// Adds to entries.
    Enhancer,
    /// Makes vectors.
    Embedder,
    /// Scores texts against a question.
    Reranker,
    /// Completes conversations.
    ChatModel,
}

impl PluginKind {
    /// The kind's name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::SearchModule => "search module",
            Self::Pipeline => "pipeline",
            Self::Adapter => "adapter",
            Self::Enhancer => "enhancer",
            Self::Embedder => "embedder",
            Self::Reranker => "reranker",
            Self::ChatModel => "chat model",
        }
    }

    /// Whether dylibs bring plugins of this kind; others are compiled in.
    pub fn is_exported(self) -> bool {
        matches!(
            self,
            Self::SearchModule | Self::Pipeline | Self::Adapter | Self::Enhancer
        )
    }
}

/// Whether a plugin needs a chat model to do its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// It works without one.
    #[default]
    Direct,
    /// It works with one.
    Llm,
}

/// What a plugin needs of the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// A provider of vectors.
    #[serde(default)]
    pub embedder: bool,
    /// A chat model.
    #[serde(default)]
    pub chat: bool,
}

/// Something that a caller can set per call. Web form, command line help,
/// agent tools and REST are all drawn from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
pub struct ParameterOption {
    /// The value.
    pub value: String,
    /// What people see.
    pub label: String,
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

/// The settings of a plugin that has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl Descriptor {
    /// A search module's descriptor. Agents pass `query` unless
    /// [`with_arguments`](Self::with_arguments) says otherwise.
    pub fn search_module(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::SearchModule, name, label, description)
    }

    /// A pipeline's descriptor.
    pub fn pipeline(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::Pipeline, name, label, description)
    }

    /// A descriptor of any kind.
    pub fn new(kind: PluginKind, name: &str, label: &str, description: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            label: label.to_owned(),
            description: description.to_owned(),
            tool_description: None,
            category: Category::Direct,
            deterministic: true,
            needs: Needs::default(),
            execution_order: 50,
            settings_schema: schema_of::<NoSettings>(),
            arguments_schema: schema_of::<QueryArguments>(),
            parameters: Vec::new(),
            examples: Vec::new(),
        }
    }

    /// The parameter of this name, whoever may set it.
    pub fn parameter(&self, name: &str) -> Option<&ParameterDescriptor> {
        let mut parameters = self.parameters.iter();
        parameters.find(|parameter| parameter.name == name)
    }

    /// Whether this can be the name of a plugin:
    /// `[a-z][a-z0-9]*(_[a-z0-9]+)*`.
    pub fn is_name(name: &str) -> bool {
        let is_part = |part: &str| {
            let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            !part.is_empty() && part.chars().all(is_allowed)
        };
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(is_part)
    }

    /// With a use of the plugin that its docs show and its conformance test
    /// runs.
    #[must_use]
    pub fn with_example(mut self, example: Example) -> Self {
        self.examples.push(example);
        self
    }

    /// With another text for agents.
    #[must_use]
    pub fn for_agents(mut self, description: &str) -> Self {
        self.tool_description = Some(description.to_owned());
        self
    }

    /// With these parameters.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Vec<ParameterDescriptor>) -> Self {
        self.parameters = parameters;
        self
    }

    /// With the arguments of this type for agents.
    #[must_use]
    pub fn with_arguments<A: JsonSchema>(mut self) -> Self {
        self.arguments_schema = schema_of::<A>();
        self
    }

    /// With the settings of this type. Registration does this for you.
    #[must_use]
    pub fn with_settings<S: JsonSchema>(mut self) -> Self {
        self.settings_schema = schema_of::<S>();
        self
    }

    /// In this category.
    #[must_use]
    pub fn in_category(mut self, category: Category) -> Self {
        self.category = category;
        self
    }

    /// Needing an embedder.
    #[must_use]
    pub fn needs_embedder(mut self) -> Self {
        self.needs.embedder = true;
        self
    }

    /// At this place among the enhancers.
    #[must_use]
    pub fn at_order(mut self, execution_order: i32) -> Self {
        self.execution_order = execution_order;
        self
    }
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

/// What an agent passes to a search module that says nothing else.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct QueryArguments {
    /// What to search for.
    query: String,
}

/// The JSON Schema of a type.
pub fn schema_of<T: JsonSchema>() -> Value {
    let schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
    match schema.to_value() {
        Value::Object(object) => Value::Object(object),
        other => Value::Object(Map::from_iter([("const".to_owned(), other)])),
    }
}
