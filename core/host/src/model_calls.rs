//! Calls of models by surfaces, beside searches: embeddings and reranking as
//! services of their own.

use gannet_api::{
    Call, Category, Deadline, EmbedPurpose, EmbedRequest, Embeddings, PluginKind, RerankRequest,
    RerankScore,
};
use serde_json::{Map, Value};

use crate::config::mode_name;
use crate::{Gannet, HostError};

/// Values of the parameter `answer` with which no model is asked.
const WITHOUT_MODEL: [&str; 2] = ["entries", "none"];

impl Gannet {
    /// Embeds texts by a provider, named by its name or by that of its model;
    /// the configured one when none is named. Texts and questions are embedded
    /// by the same model, whichever answers searches at the moment.
    ///
    /// # Errors
    /// [`HostError::Plugin`] for an unknown provider and one that failed.
    pub async fn embed(
        &self,
        tenant: &str,
        provider: Option<String>,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> Result<Embeddings, HostError> {
        let services = self.services();
        let provider = provider.map(|name| services.embedder_named(name));
        let request = EmbedRequest::new(texts, purpose).with_provider(provider);
        let call = self.call_of(tenant);
        Ok(services.embed_by(&call, request).await?)
    }

    /// Scores documents against a question by a reranker; the first that is
    /// configured when none is named.
    ///
    /// # Errors
    /// [`HostError::Plugin`] where no reranker is configured, for an unknown
    /// one and for one that failed.
    pub async fn rerank(
        &self,
        tenant: &str,
        request: RerankRequest,
    ) -> Result<Vec<RerankScore>, HostError> {
        let call = self.call_of(tenant);
        Ok(self.services().rerank_texts(&call, request).await?)
    }

    /// Whether a search in this mode may ask a chat model, by the
    /// configuration and these parameters. Such a search waits for a server
    /// more than it computes.
    pub fn may_ask_chat_model(&self, mode: &str, params: &Map<String, Value>) -> bool {
        let config = self.config();
        let Some(pipeline) = config.pipelines.get(&mode_name(mode)) else {
            return false;
        };
        let has_model = pipeline.provider.is_some() || config.reasoning.provider.is_some();
        let answer = params.get("answer");
        let answer = answer.or_else(|| pipeline.settings.get("answer"));
        let answer = answer.and_then(Value::as_str);
        let is_asked = !answer.is_some_and(|answer| WITHOUT_MODEL.contains(&answer));
        has_model && is_asked && self.asks_a_model(mode)
    }

    /// Whether the pipeline of a mode asks chat models at all.
    fn asks_a_model(&self, mode: &str) -> bool {
        let name = mode_name(mode);
        let mut instances = self.services().catalog().iter();
        instances.any(|one| {
            let descriptor = &one.descriptor;
            let is_asking = descriptor.category == Category::Llm || descriptor.needs.chat;
            descriptor.kind == PluginKind::Pipeline && descriptor.name == name && is_asking
        })
    }

    fn call_of(&self, tenant: &str) -> Call {
        let deadline = Deadline::after(self.request_timeout());
        Call::new(self.next_request_id(), tenant, deadline)
    }
}
