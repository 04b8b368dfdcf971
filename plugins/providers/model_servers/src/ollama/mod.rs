//! The API of Ollama.

mod answer;
mod request;

use std::collections::BTreeMap;

use gannet_plugin::prelude::{Context, Descriptor, Result, Setup};
use gannet_plugin::provider::{
    ChatModel, ChatRequest, ChatStream, EmbedPurpose, Embedder, EmbeddingModel,
};
use serde_json::{Value, json};

use crate::embedding::{EmbeddingOf, Indexed};
use crate::server::{Access, Server};
use crate::settings::OllamaSettings;
use crate::turn::chunks;

const NAME: &str = "ollama";

/// The default embedding model.
const EMBEDDING_MODEL: &str = "nomic-embed-text";

/// An Ollama server, as a chat model and as an embedder.
pub struct Ollama {
    server: Server,
    model: Option<String>,
    context_tokens: Option<u32>,
    embedding: EmbeddingOf,
}

impl Ollama {
    fn make(settings: OllamaSettings, setup: &Setup) -> Result<Self> {
        let access = Access {
            base_url: settings.base_url,
            key: settings.api_key,
            headers: BTreeMap::new(),
            timeout_seconds: settings.timeout_seconds,
            allow_private_addresses: settings.allow_private_addresses,
            max_retries: settings.max_retries,
        };
        let mut embedding = settings.embedding;
        embedding
            .model
            .get_or_insert_with(|| EMBEDDING_MODEL.to_owned());
        Ok(Self {
            server: Server::new(&setup.instance, access)?,
            model: settings.model,
            context_tokens: settings.context_tokens,
            embedding: EmbeddingOf::new(embedding),
        })
    }

    async fn embed_batch(&self, model: &str, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let count = texts.len();
        let body = json!({"model": model, "input": texts});
        let answer = self.server.post("api/embed", &body).await?;
        let endpoint = answer.endpoint().clone();
        let body = answer.json(self.embedding.max_bytes(count)).await?;
        let vectors = in_order(&body).and_then(|vectors| self.embedding.in_order(vectors, count));
        vectors.map_err(|why| endpoint.unreadable(why, &body.to_string()))
    }
}

fn in_order(body: &Value) -> std::result::Result<Vec<Indexed>, String> {
    let vectors = body["embeddings"].as_array().ok_or("has no `embeddings`")?;
    vectors
        .iter()
        .enumerate()
        .map(|(place, vector)| Indexed::read(vector, None, place))
        .collect()
}

impl ChatModel for Ollama {
    const NAME: &'static str = NAME;

    type Settings = OllamaSettings;

    fn descriptor() -> Descriptor {
        Descriptor::chat_model(
            <Self as ChatModel>::NAME,
            "Ollama chat",
            "Calls a chat model on an Ollama server.",
        )
    }

    fn new(settings: OllamaSettings, setup: &Setup) -> Result<Self> {
        Self::make(settings, setup)
    }

    async fn chat(&self, request: ChatRequest, _context: &Context) -> Result<ChatStream> {
        let named = request.model.as_ref().or(self.model.as_ref());
        let model =
            named.ok_or_else(|| self.server.misconfigured("model", "no chat model is set"))?;
        let body = request::body(&request, model, self.context_tokens);
        let answer = self.server.post("api/chat", &body).await?;
        let calls_before = request
            .messages
            .iter()
            .map(|message| message.tool_calls.len())
            .sum();
        Ok(chunks(answer, answer::OllamaTurn::new(calls_before)))
    }
}

impl Embedder for Ollama {
    const NAME: &'static str = NAME;

    type Settings = OllamaSettings;

    fn descriptor() -> Descriptor {
        Descriptor::embedder(
            <Self as Embedder>::NAME,
            "Ollama vectors",
            "Computes embeddings with a model on an Ollama server.",
        )
    }

    fn new(mut settings: OllamaSettings, setup: &Setup) -> Result<Self> {
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
        Ok(vectors)
    }
}
