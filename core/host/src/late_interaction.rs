//! The service that scores entries word by word.

use std::collections::HashSet;

use gannet_api::{
    Call, EmbedPurpose, EmbedRequest, Error, LateInteractionRequest, Result, SpanSimilarities,
    SpanSimilarityRequest, TokenValues, limits,
};
use gannet_store::{LateInteraction, SpanRequest};

use crate::replies::RequestState;
use crate::services::Services;

/// A question as an embedder gives it.
struct Question {
    model: String,
    vector: Vec<f32>,
    words: Vec<String>,
    /// All dimensions of the first word, then of the second.
    vectors: Vec<f32>,
}

impl Services {
    /// The scores of entries, see
    /// [`Context::late_interaction`](gannet_api::Context::late_interaction).
    pub(crate) async fn late_interaction(
        &self,
        call: &Call,
        request: LateInteractionRequest,
        instance: &str,
        state: &RequestState,
    ) -> Result<Vec<Option<f64>>> {
        if request.entry_ids.len() > limits::SCORED_ENTRIES {
            return Err(Error::invalid_input(format!(
                "{} entries to score word by word; at most {} are possible",
                request.entry_ids.len(),
                limits::SCORED_ENTRIES
            )));
        }
        let provider = request.provider.clone();
        let question = self.question(call, (&request.query, provider), instance, state);
        let Some(question) = question.await? else {
            return Ok(vec![None; request.entry_ids.len()]);
        };
        let asked = LateInteraction {
            words: question.words,
            vectors: question.vectors,
        };
        let (store, ids) = (self.store(), &request.entry_ids);
        let idfs = store.idfs(&call.tenant, &asked.words).await?;
        let records = state.tokens();
        let records = records.records(store, &call.tenant, &question.model, ids);
        let mut scores = asked.scores(&idfs, &records.await?)?;
        self.keep_filtered(call, &request, state, &mut scores)
            .await?;
        Ok(scores)
    }

    /// The similarity of spans, see
    /// [`Context::span_similarity`](gannet_api::Context::span_similarity).
    pub(crate) async fn span_similarity(
        &self,
        call: &Call,
        request: SpanSimilarityRequest,
        instance: &str,
        state: &RequestState,
    ) -> Result<SpanSimilarities> {
        let spans: usize = request.entries.iter().map(|entry| entry.spans.len()).sum();
        if spans > limits::SCORED_SPANS || request.entries.len() > limits::SCORED_ENTRIES {
            return Err(Error::invalid_input(format!(
                "{spans} spans of {} entries to compare; at most {} of {} are possible",
                request.entries.len(),
                limits::SCORED_SPANS,
                limits::SCORED_ENTRIES
            )));
        }
        let question = self.question(call, (&request.query, request.provider), instance, state);
        let Some(question) = question.await? else {
            return Ok(SpanSimilarities::default());
        };
        let asked = SpanRequest {
            words: question.words,
            vectors: question.vectors,
            vector: question.vector,
            entries: request.entries,
            with_words: request.words,
        };
        let store = self.store();
        let idfs = store.idfs(&call.tenant, asked.compared_words()).await?;
        let (records, ids) = (state.tokens(), asked.entry_ids());
        let records = records.records(store, &call.tenant, &question.model, &ids);
        Ok(asked.compare(idfs, &records.await?)?)
    }

    /// A question with the vectors of its words; `None` where the store keeps
    /// none or the embedder makes none.
    async fn question(
        &self,
        call: &Call,
        (text, provider): (&str, Option<String>),
        instance: &str,
        state: &RequestState,
    ) -> Result<Option<Question>> {
        let name = provider.as_deref();
        let embedder = self.embedder(name.unwrap_or(self.default_embedder()))?;
        if !self.keeps_token_vectors() || !embedder.has_token_vectors() {
            return Ok(None);
        }
        let request = EmbedRequest::new(vec![text.to_owned()], EmbedPurpose::Query)
            .with_provider(provider)
            .with_tokens(true);
        let mut made = self.embed_texts(call, request, instance, state).await?;
        let (vector, tokens) = (made.vectors.pop(), made.tokens.pop());
        let Some((vector, tokens)) = vector.zip(tokens) else {
            // Another embedder answers for now, and it has none.
            return Ok(None);
        };
        let TokenValues::Floats(vectors) = tokens.values else {
            return Ok(None);
        };
        Ok(Some(Question {
            model: made.model.name,
            vector,
            words: tokens.words,
            vectors,
        }))
    }

    /// Takes the scores of entries away that the filter leaves out.
    async fn keep_filtered(
        &self,
        call: &Call,
        request: &LateInteractionRequest,
        state: &RequestState,
        scores: &mut [Option<f64>],
    ) -> Result<()> {
        if request.filter.is_empty() {
            return Ok(());
        }
        let (store, ids) = (self.store(), &request.entry_ids);
        let entries = state.shown().entries(store, &call.tenant, ids).await?;
        let passing = entries.iter().filter(|entry| request.filter.matches(entry));
        let passing: HashSet<&str> = passing.map(|entry| entry.entry_id.as_str()).collect();
        for (id, score) in request.entry_ids.iter().zip(scores) {
            if !passing.contains(id.as_str()) {
                *score = None;
            }
        }
        Ok(())
    }
}
