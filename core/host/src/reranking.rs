//! Scores of texts by a reranker, and what they must be.

use gannet_api::{Call, PluginKind, RerankRequest, RerankScore, Result};

use crate::quarantine::PluginName;
use crate::services::{Services, invalid_result, not_configured};

impl Services {
    /// The scores of texts by the reranker that is named, or the first one.
    pub(crate) async fn rerank_texts(
        &self,
        call: &Call,
        request: RerankRequest,
    ) -> Result<Vec<RerankScore>> {
        let name = self.provider_name(PluginKind::Reranker, request.provider.as_deref())?;
        let reranker = self
            .catalog()
            .reranker(&name)
            .cloned()
            .ok_or_else(|| not_configured(PluginKind::Reranker, &name))?;
        let plugin = PluginName {
            kind: PluginKind::Reranker,
            name: &name,
        };
        let texts = request.documents.len();
        let context = self.context(call.clone(), plugin);
        let work = async move {
            let reranked = reranker.rerank(request.query, request.documents, &context);
            reranked.await
        };
        let scores = self.isolate(plugin, call.deadline, work).await?;
        check_scores(&scores, texts, plugin)?;
        Ok(scores)
    }
}

/// One finite score for each text, or none of the reranker's.
fn check_scores(scores: &[RerankScore], texts: usize, plugin: PluginName<'_>) -> Result<()> {
    let invalid = |message: String| Err(invalid_result(plugin, message));
    if scores.len() != texts {
        return invalid(format!("{} scores for {texts} texts", scores.len()));
    }
    let mut is_scored = vec![false; texts];
    for RerankScore { index, score, .. } in scores {
        match is_scored.get_mut(*index) {
            Some(scored) if !*scored && score.is_finite() => *scored = true,
            _ => return invalid(format!("score {score} for text {index}")),
        }
    }
    Ok(())
}
