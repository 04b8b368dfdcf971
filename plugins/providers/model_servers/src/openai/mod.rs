//! OpenAI-compatible servers.

mod answer;
mod request;

pub(crate) use request::tools;

use gannet_plugin::prelude::{Context, Descriptor, Error, Result, Setup};
use gannet_plugin::provider::{
    ChatModel, ChatRequest, ChatStream, EmbedPurpose, Embedder, EmbeddingModel,
};
use gannet_plugin::setup::Secret;
use serde_json::{Value, json};

use crate::embedding::{EmbeddingOf, Indexed};
use crate::response::ChatResponse;
use crate::server::{Access, Server};
use crate::settings::{EmbeddingSettings, OpenAiSettings, Preset};
use crate::turn::chunks;

const NAME: &str = "openai";

/// The default embedding model of OpenAI.
const EMBEDDING_MODEL: &str = "text-embedding-3-small";

/// An OpenAI-compatible server, as a chat model and as an embedder.
pub struct OpenAi {
    server: Server,
    preset: Option<Preset>,
    model: Option<String>,
    embedding: EmbeddingOf,
}

impl OpenAi {
    fn make(settings: OpenAiSettings, setup: &Setup) -> Result<Self> {
        let preset = settings.preset();
        let address = preset.map(|preset| preset.base_url().to_owned());
        let variable = preset.and_then(Preset::key_variable);
        let access = Access {
            base_url: settings.base_url.or(address).unwrap_or_default(),
            key: settings.api_key.or_else(|| variable.map(Secret::variable)),
            headers: settings.headers,
            timeout_seconds: settings.timeout_seconds,
            allow_private_addresses: settings.allow_private_addresses,
            max_retries: settings.max_retries,
        };
        Ok(Self {
            server: Server::new(&setup.instance, access)?,
            preset,
            model: settings.model,
            embedding: EmbeddingOf::new(with_default(settings.embedding, preset)),
        })
    }

    /// The model of a request. Local servers often have a single one; others require
    /// a name.
    fn chat_model(&self, request: &ChatRequest) -> Result<Option<String>> {
        let named = request.model.clone().or_else(|| self.model.clone());
        let must_be_named = matches!(
            self.preset,
            Some(Preset::Openai | Preset::Cborg | Preset::Vllm)
        );
        match named {
            None if must_be_named => {
                Err(self.server.misconfigured("model", "no chat model is set"))
            }
            named => Ok(named),
        }
    }

    async fn embed_batch(&self, model: &str, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let count = texts.len();
        let body = json!({"model": model, "input": texts});
        let answer = self.server.post("embeddings", &body).await?;
        let endpoint = answer.endpoint().clone();
        let body = answer.json(self.embedding.max_bytes(count)).await?;
        let vectors = indexed(&body).and_then(|vectors| self.embedding.in_order(vectors, count));
        vectors.map_err(|why| endpoint.unreadable(why, &body.to_string()))
    }
}

/// The default model of OpenAI, if nothing else is set; other servers differ.
fn with_default(mut settings: EmbeddingSettings, preset: Option<Preset>) -> EmbeddingSettings {
    if settings.model.is_none() && preset == Some(Preset::Openai) {
        settings.model = Some(EMBEDDING_MODEL.to_owned());
    }
    settings
}

/// The vectors of a response with their indexes.
fn indexed(body: &Value) -> std::result::Result<Vec<Indexed>, String> {
    let data = body["data"].as_array().ok_or("has no `data`")?;
    data.iter()
        .enumerate()
        .map(|(place, one)| Indexed::read(&one["embedding"], one["index"].as_u64(), place))
        .collect()
}

impl ChatModel for OpenAi {
    const NAME: &'static str = NAME;

    type Settings = OpenAiSettings;

    fn descriptor() -> Descriptor {
        Descriptor::chat_model(
            <Self as ChatModel>::NAME,
            "OpenAI-compatible chat",
            "Calls a chat model on an OpenAI-compatible server: OpenAI, cborg, vLLM, llama-server, LM Studio.",
        )
    }

    fn new(settings: OpenAiSettings, setup: &Setup) -> Result<Self> {
        Self::make(settings, setup)
    }

    async fn chat(&self, request: ChatRequest, _context: &Context) -> Result<ChatStream> {
        let model = self.chat_model(&request)?;
        let body = request::body(&request, model.as_deref(), self.preset);
        let answer: ChatResponse = self.server.post("chat/completions", &body).await?;
        let calls_before = request
            .messages
            .iter()
            .map(|message| message.tool_calls.len())
            .sum();
        Ok(chunks(answer, answer::OpenAiTurn::new(calls_before)))
    }
}

impl Embedder for OpenAi {
    const NAME: &'static str = NAME;

    type Settings = OpenAiSettings;

    fn descriptor() -> Descriptor {
        Descriptor::embedder(
            <Self as Embedder>::NAME,
            "OpenAI-compatible vectors",
            "Computes embeddings with a model on an OpenAI-compatible server.",
        )
    }

    fn new(mut settings: OpenAiSettings, setup: &Setup) -> Result<Self> {
        settings.embedding = settings.embedding.of_model(setup.model.as_deref());
        Self::make(settings, setup)
    }

    fn model(&self) -> EmbeddingModel {
        self.embedding.model()
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        let model = self.embedding.known(&self.server)?;
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in self.embedding.batches(texts, purpose) {
            vectors.extend(self.embed_batch(model, batch).await?);
        }
        Ok::<_, Error>(vectors)
    }
}
