//! What the configuration can set.

use std::collections::BTreeMap;

use gannet_plugin::Secret;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::secrets;

/// Settings of the provider `openai`: of its chat model and of its embedder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpenAiSettings {
    /// Which server: gives the address, and the variable that the key is in.
    /// `openai` when neither this nor `base_url` is set.
    pub preset: Option<Preset>,
    /// The address up to `/v1`, instead of the preset's.
    pub base_url: Option<String>,
    /// The key, instead of the preset's: { env: NAME } or { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// The chat model that is asked when the caller names none.
    pub model: Option<String>,
    /// Seconds to wait for the first piece of an answer, and for each piece
    /// after it.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u64,
    /// How often a server that is busy or cannot be reached is asked again.
    #[schemars(range(max = 20))]
    pub max_retries: u32,
    /// Headers that go with every request; each value is a reference, like
    /// the key.
    #[serde(deserialize_with = "secrets::headers")]
    pub headers: BTreeMap<String, Secret>,
    /// The embedding model.
    pub embedding: EmbeddingSettings,
}

/// Servers whose address is known.
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
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OllamaSettings {
    /// The address.
    pub base_url: String,
    /// The key, where a server before Ollama wants one: { env: NAME } or
    /// { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// The chat model that is asked when the caller names none.
    pub model: Option<String>,
    /// Tokens that the model keeps in view; the server's own number when not
    /// set, which is small, and what is over is cut without a word.
    #[schemars(range(min = 1))]
    pub context_tokens: Option<u32>,
    /// Seconds to wait for the first piece of an answer, and for each piece
    /// after it. Loading a model is part of the first.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u64,
    /// How often a server that is busy or cannot be reached is asked again.
    #[schemars(range(max = 20))]
    pub max_retries: u32,
    /// The embedding model; nomic-embed-text when not set.
    pub embedding: EmbeddingSettings,
}

/// An embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Its name.
    pub model: Option<String>,
    /// Numbers a vector; known of common models.
    #[schemars(range(min = 1))]
    pub dimension: Option<usize>,
    /// Tokens a text at most; known of common models, otherwise 512.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<usize>,
    /// Texts a request at most.
    #[schemars(range(min = 1))]
    pub batch: usize,
    /// Which of several ways to make the numbers, where a server has more than
    /// one (`q8_0`). Vectors of two variants do not go into one index.
    pub variant: String,
    /// What is written before a question (`search_query: ` for nomic, `query: `
    /// for e5).
    pub query_prefix: String,
    /// What is written before a text that is to be found (`search_document: `
    /// for nomic, `passage: ` for e5).
    pub document_prefix: String,
}

/// Settings of the provider `rerank_server`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RerankSettings {
    /// The address.
    pub base_url: String,
    /// What follows the address: `/v1/rerank`, or `/rerank` of the form `tei`,
    /// when not set.
    pub path: Option<String>,
    /// How the server is spoken to.
    pub form: RerankForm,
    /// The model, where the server has more than one.
    pub model: Option<String>,
    /// The key: { env: NAME } or { file: PATH }.
    #[serde(deserialize_with = "secrets::api_key")]
    pub api_key: Option<Secret>,
    /// Seconds to wait for an answer.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u64,
    /// How often a server that is busy or cannot be reached is asked again.
    #[schemars(range(max = 20))]
    pub max_retries: u32,
}

/// How servers that score texts are spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RerankForm {
    /// Cohere's; llama-server, Jina and vLLM have it too.
    #[default]
    Cohere,
    /// That of text-embeddings-inference.
    Tei,
}

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

    /// The environment variable that the key is in, where it wants one.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Cborg => Some("CBORG_API_KEY"),
            Self::Vllm | Self::LlamaServer | Self::LmStudio => None,
        }
    }
}

impl OpenAiSettings {
    /// The preset that is meant; none when only an address is set.
    pub fn preset(&self) -> Option<Preset> {
        match (self.preset, &self.base_url) {
            (None, None) => Some(Preset::Openai),
            (preset, _) => preset,
        }
    }
}

impl Default for OpenAiSettings {
    fn default() -> Self {
        Self {
            preset: None,
            base_url: None,
            api_key: None,
            model: None,
            timeout_seconds: TIMEOUT_SECONDS,
            max_retries: MAX_RETRIES,
            headers: BTreeMap::new(),
            embedding: EmbeddingSettings::default(),
        }
    }
}

impl Default for OllamaSettings {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:11434".to_owned(),
            api_key: None,
            model: None,
            context_tokens: None,
            timeout_seconds: TIMEOUT_SECONDS,
            max_retries: MAX_RETRIES,
            embedding: EmbeddingSettings::default(),
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

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self {
            model: None,
            dimension: None,
            max_tokens: None,
            batch: BATCH,
            variant: String::new(),
            query_prefix: String::new(),
            document_prefix: String::new(),
        }
    }
}

impl Default for RerankSettings {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            path: None,
            form: RerankForm::default(),
            model: None,
            api_key: None,
            timeout_seconds: TIMEOUT_SECONDS,
            max_retries: MAX_RETRIES,
        }
    }
}
