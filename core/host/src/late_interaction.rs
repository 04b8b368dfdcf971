//! The service that scores entries word by word.

use std::collections::HashSet;

use gannet_api::{
    Call, EmbedPurpose, EmbedRequest, Error, LateInteractionRequest, Result, TokenValues,
    TokenVectors, limits,
};
use gannet_store::LateInteraction;

use crate::replies::RequestState;
use crate::services::Services;

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
        let name = request.provider.as_deref();
        let embedder = self.embedder(name.unwrap_or(self.default_embedder()))?;
        if !self.keeps_token_vectors() || !embedder.has_token_vectors() {
            return Ok(vec![None; request.entry_ids.len()]);
        }
        let question = EmbedRequest::new(vec![request.query.clone()], EmbedPurpose::Query)
            .with_provider(request.provider.clone())
            .with_tokens(true);
        let mut question = self.embed_texts(call, question, instance, state).await?;
        let Some(TokenVectors {
            words,
            values: TokenValues::Floats(vectors),
            ..
        }) = question.tokens.pop()
        else {
            // Another embedder answers for now, and it has none.
            return Ok(vec![None; request.entry_ids.len()]);
        };
        let asked = LateInteraction {
            model: question.model.name,
            words,
            vectors,
            entry_ids: request.entry_ids.clone(),
        };
        let mut scores = self.store().late_interaction(&call.tenant, asked).await?;
        self.keep_filtered(call, &request, state, &mut scores)
            .await?;
        Ok(scores)
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
