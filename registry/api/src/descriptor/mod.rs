//! Descriptors: what a plugin is, as data. Surfaces, agents and the
//! configuration's checks all read the same one.

mod declared;
mod instance;
mod model_card;
mod parameter;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::readable::{known, known_or_default, known_or_none};
use crate::{Example, NoSettings, Writing};

pub use instance::InstanceDescription;
pub use model_card::{ModelCard, TrainingData};
pub use parameter::{Exposure, ParameterDescriptor, ParameterOption, ParameterType};

/// What a plugin is. Of search modules this is ARIEL's
/// `SearchToolDescriptor`, of pipelines its `PipelineDescriptor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// Whether it needs a chat model to do its work. One that is younger than
    /// the reader is as if it needed none.
    #[serde(default, deserialize_with = "known_or_default")]
    pub category: Category,
    /// Whether the same question gives the same result.
    pub deterministic: bool,
    /// How a search module finds what it finds; see
    /// [`retrieval`](Self::retrieval).
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    pub retrieval: Option<Retrieval>,
    /// What it needs of the host.
    #[serde(default)]
    pub needs: Needs,
    /// Of an instance of an adapter that writes entries: how.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    pub writing: Option<Writing>,
    /// Where it stands among the enhancers; smaller runs first.
    pub execution_order: i32,
    /// JSON Schema of its settings, taken from the author's type.
    pub settings_schema: Value,
    /// JSON Schema of the arguments that an agent passes.
    pub arguments_schema: Value,
    /// What a caller can set per call. One of a type that is younger than the
    /// reader is left out.
    #[serde(default, deserialize_with = "known")]
    pub parameters: Vec<ParameterDescriptor>,
    /// Uses of the plugin that its docs show and its conformance test runs.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known"
    )]
    pub examples: Vec<Example>,
    /// The models that it comes with, with where they come from. Since contract
    /// 2.1.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known"
    )]
    pub models: Vec<ModelCard>,
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
    /// Finds the words of entries that answer a question. Since contract 2.1.
    Reader,
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
            Self::Reader => "reader",
            Self::ChatModel => "chat model",
        }
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

/// How a search module finds entries. A pipeline that is asked for one sort of
/// retrieval asks the modules of that sort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Retrieval {
    /// By the words of the question.
    #[default]
    Lexical,
    /// By vectors.
    Dense,
    /// By both.
    Hybrid,
}

/// What a plugin needs of the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Needs {
    /// A provider of vectors.
    #[serde(default)]
    pub embedder: bool,
    /// A chat model.
    #[serde(default)]
    pub chat: bool,
}

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

    /// An adapter's descriptor.
    pub fn adapter(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::Adapter, name, label, description)
    }

    /// An enhancer's descriptor.
    pub fn enhancer(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::Enhancer, name, label, description)
    }

    /// An embedder's descriptor.
    pub fn embedder(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::Embedder, name, label, description)
    }

    /// A reranker's descriptor.
    pub fn reranker(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::Reranker, name, label, description)
    }

    /// A reader's descriptor.
    pub fn reader(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::Reader, name, label, description)
    }

    /// A chat model's descriptor.
    pub fn chat_model(name: &str, label: &str, description: &str) -> Self {
        Self::new(PluginKind::ChatModel, name, label, description)
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
            retrieval: None,
            writing: None,
            execution_order: 50,
            settings_schema: schema_of::<NoSettings>(),
            arguments_schema: schema_of::<QueryArguments>(),
            parameters: Vec::new(),
            examples: Vec::new(),
            models: Vec::new(),
        }
    }

    /// How it finds what it finds: as it says, or else by vectors when it needs
    /// an embedder, and by words when not.
    pub fn retrieval(&self) -> Retrieval {
        self.retrieval.unwrap_or(match self.needs.embedder {
            true => Retrieval::Dense,
            false => Retrieval::Lexical,
        })
    }

    /// Finding in this way.
    #[must_use]
    pub fn with_retrieval(mut self, retrieval: Retrieval) -> Self {
        self.retrieval = Some(retrieval);
        self
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

    /// With a model that it comes with.
    #[must_use]
    pub fn with_model(mut self, model: ModelCard) -> Self {
        self.models.push(model);
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

    /// What an agent reads of the question that it passes: what to write, and
    /// what a query can hold.
    #[must_use]
    pub fn with_query(mut self, description: &str) -> Self {
        self.arguments_schema["properties"]["query"]["description"] = description.into();
        self
    }

    /// With the arguments of this type for agents.
    #[must_use]
    pub fn with_arguments<A: JsonSchema>(mut self) -> Self {
        self.arguments_schema = schema_of::<A>();
        self
    }

    /// With the settings of this type, and with those of them that a call can
    /// set as its parameters, unless it has one of that name already.
    /// Registration does this for you.
    #[must_use]
    pub fn with_settings<S: JsonSchema>(mut self) -> Self {
        self.settings_schema = schema_of::<S>();
        let mut parameters = declared::take_parameters(&mut self.settings_schema);
        parameters.retain(|declared| self.parameter(&declared.name).is_none());
        parameters.append(&mut self.parameters);
        self.parameters = parameters;
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
