//! Settings of the providers.

use std::collections::BTreeMap;

use gannet_plugin::prelude::settings;
use gannet_plugin::setup::Secret;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::secrets;

/// Settings of the provider `openai`: of its chat model and of its embedder.
#[settings]
#[derive(PartialEq)]
pub struct OpenAiSettings {
    /// A known server, which sets the address and the variable of the key. The
    /// default is `openai`, unless `base_url` is set.
    pub preset: Option<Preset>,
    /// The address up to `/v1`, instead of that of the preset.
    pub base_url: Option<String>,
    /// The key, instead of that of the preset: { env: NAME } or { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// The default chat model.
    pub model: Option<String>,
    /// Timeout for the first token and between tokens, in seconds.
    #[setting(default = TIMEOUT_SECONDS, min = 1)]
    pub timeout_seconds: u64,
    /// Whether the host name may stand for an address of a private network or
    /// of this machine. An IP address and `localhost` need no permission.
    pub allow_private_addresses: bool,
    /// Number of retries for a server that is busy or unreachable.
    #[setting(default = MAX_RETRIES, max = 20)]
    pub max_retries: u32,
    /// Headers of every request; each value is a reference, like the key.
    #[serde(deserialize_with = "secrets::headers")]
    #[setting(default = BTreeMap::new())]
    pub headers: BTreeMap<String, Secret>,
    /// The embedding model.
    pub embedding: EmbeddingSettings,
}

/// Known servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// <https://api.openai.com/v1>, key in `OPENAI_API_KEY`.
    Openai,
    /// <https://api.cborg.lbl.gov/v1>, key in `CBORG_API_KEY`.
    Cborg,
    /// <http://127.0.0.1:8000/v1>, without a key.
    Vllm,
    /// <http://127.0.0.1:8080/v1>, without a key.
    LlamaServer,
    /// <http://127.0.0.1:1234/v1>, without a key.
    LmStudio,
}

/// Settings of the provider `ollama`: of its chat model and of its embedder.
#[settings]
#[derive(PartialEq)]
pub struct OllamaSettings {
    /// The address.
    #[setting(default = "http://127.0.0.1:11434".to_owned())]
    pub base_url: String,
    /// The key of a proxy in front of Ollama: { env: NAME } or { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// The default chat model.
    pub model: Option<String>,
    /// Context window in tokens. The default of the server is small, and it
    /// truncates longer prompts silently.
    #[setting(min = 1)]
    pub context_tokens: Option<u32>,
    /// Timeout for the first token and between tokens, in seconds. The first
    /// includes loading the model.
    #[setting(default = TIMEOUT_SECONDS, min = 1)]
    pub timeout_seconds: u64,
    /// Whether the host name may stand for an address of a private network or
    /// of this machine. An IP address and `localhost` need no permission.
    pub allow_private_addresses: bool,
    /// Number of retries for a server that is busy or unreachable.
    #[setting(default = MAX_RETRIES, max = 20)]
    pub max_retries: u32,
    /// The embedding model; default: nomic-embed-text.
    pub embedding: EmbeddingSettings,
}

/// An embedding model.
#[settings]
#[derive(PartialEq, Eq)]
pub struct EmbeddingSettings {
    /// Name of the model.
    pub model: Option<String>,
    /// Dimensions of a vector; known for common models.
    #[setting(min = 1)]
    pub dimension: Option<usize>,
    /// Maximum tokens of a text; known for common models, otherwise 512.
    #[setting(min = 1)]
    pub max_tokens: Option<usize>,
    /// Maximum texts per request.
    #[setting(default = BATCH, min = 1)]
    pub batch: usize,
    /// The variant of the model, if a server has several (`q8_0`). Vectors of
    /// different variants are kept in separate indexes.
    pub variant: String,
    /// Prefix of a question (`search_query: ` for nomic, `query: ` for e5).
    pub query_prefix: String,
    /// Prefix of an indexed text (`search_document: ` for nomic, `passage: ` for
    /// e5).
    pub document_prefix: String,
}

/// Settings of the provider `rerank_server`.
#[settings]
#[derive(PartialEq)]
pub struct RerankSettings {
    /// The address.
    #[setting(default = "http://127.0.0.1:8080".to_owned())]
    pub base_url: String,
    /// Path after the address; default: `/v1/rerank`, or `/rerank` for the form
    /// `tei`.
    pub path: Option<String>,
    /// The API of the server.
    pub form: RerankForm,
    /// The model, if the server has several.
    pub model: Option<String>,
    /// The key: { env: NAME } or { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// Timeout for the response, in seconds.
    #[setting(default = TIMEOUT_SECONDS, min = 1)]
    pub timeout_seconds: u64,
    /// Whether the host name may stand for an address of a private network or
    /// of this machine. An IP address and `localhost` need no permission.
    pub allow_private_addresses: bool,
    /// Number of retries for a server that is busy or unreachable.
    #[setting(default = MAX_RETRIES, max = 20)]
    pub max_retries: u32,
}

/// APIs of rerank servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RerankForm {
    /// The API of Cohere, also of llama-server, Jina and vLLM.
    #[default]
    Cohere,
    /// The API of text-embeddings-inference.
    Tei,
}

/// Settings of the provider `hf_qa`.
#[settings]
#[derive(PartialEq)]
pub struct QaSettings {
    /// The address, with the path of the model if the server has one for each.
    #[setting(default = "http://127.0.0.1:8080".to_owned())]
    pub base_url: String,
    /// Path after the address.
    pub path: String,
    /// How passages are sent.
    pub form: QaForm,
    /// The model, if the server chooses it by the request.
    pub model: Option<String>,
    /// The parameter `top_k`: number of answers from each passage; empty to
    /// leave the parameter out.
    #[setting(default = Some(TOP_K), min = 1, max = 20)]
    pub top_k: Option<u32>,
    /// The parameter `handle_impossible_answer`: whether the server says how
    /// probable it is that a passage has no answer; empty to leave the parameter
    /// out.
    #[setting(default = Some(true))]
    pub handle_impossible_answer: Option<bool>,
    /// Answers with a lower score are left out.
    #[setting(default = MIN_SCORE, min = 0.0, max = 1.0)]
    pub min_score: f64,
    /// Maximum requests at the same time.
    #[setting(default = CONCURRENCY, min = 1, max = 64)]
    pub concurrency: usize,
    /// Maximum passages per request for the form `list`.
    #[setting(default = PASSAGES, min = 1)]
    pub batch: usize,
    /// The key: { env: NAME } or { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// Timeout for each response, in seconds.
    #[setting(default = TIMEOUT_SECONDS, min = 1)]
    pub timeout_seconds: u64,
    /// Whether the host name may stand for an address of a private network or
    /// of this machine. An IP address and `localhost` need no permission.
    pub allow_private_addresses: bool,
    /// Number of retries for a server that is busy or unreachable.
    #[setting(default = MAX_RETRIES, max = 20)]
    pub max_retries: u32,
}

/// How passages are sent to a question-answering server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QaForm {
    /// One request per passage: `{"inputs": {"question": .., "context": ..}}`.
    #[default]
    Single,
    /// Several passages per request, as an array in `inputs`.
    List,
}

const TOP_K: u32 = 3;
const MIN_SCORE: f64 = 0.1;
const CONCURRENCY: usize = 4;
const PASSAGES: usize = 16;
const TIMEOUT_SECONDS: u64 = 60;
const MAX_RETRIES: u32 = 2;
const BATCH: usize = 64;

impl Preset {
    /// The address up to `/v1`.
    pub fn base_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Cborg => "https://api.cborg.lbl.gov/v1",
            Self::Vllm => "http://127.0.0.1:8000/v1",
            Self::LlamaServer => "http://127.0.0.1:8080/v1",
            Self::LmStudio => "http://127.0.0.1:1234/v1",
        }
    }

    /// The environment variable of the key, if one is needed.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Cborg => Some("CBORG_API_KEY"),
            Self::Vllm | Self::LlamaServer | Self::LmStudio => None,
        }
    }
}

impl OpenAiSettings {
    /// The effective preset; `None` if only an address is set.
    pub fn preset(&self) -> Option<Preset> {
        match (self.preset, &self.base_url) {
            (None, None) => Some(Preset::Openai),
            (preset, _) => preset,
        }
    }
}

impl EmbeddingSettings {
    /// The settings for the model that the caller names. What these say of
    /// another model, such as its dimension and its prefixes, does not hold
    /// for it.
    pub(crate) fn of_model(self, named: Option<&str>) -> Self {
        match named {
            Some(named) if self.model.as_deref() != Some(named) => Self {
                model: Some(named.to_owned()),
                batch: self.batch,
                ..Self::default()
            },
            _ => self,
        }
    }
}
