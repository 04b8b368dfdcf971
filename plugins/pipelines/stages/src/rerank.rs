//! Rerank: the head of a list, put in order by a model that reads question
//! and text together.

use gannet_plugin::prelude::{Context, Diagnostic, Hit, Result};
use gannet_plugin::provider::{RerankRequest, RerankScore};
use gannet_plugin::search::{ScoreKind, sort_hits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which reranker reads how many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RerankSettings {
    /// The provider; the configured default when missing.
    pub provider: Option<String>,
    /// How many of the first hits it reads. Those after them stay behind.
    #[schemars(range(min = 1, max = 1000))]
    pub candidate_k: usize,
    /// How many are kept at most; as many as the request asks for when
    /// missing.
    pub final_k: Option<usize>,
}

impl Default for RerankSettings {
    fn default() -> Self {
        Self {
            provider: None,
            candidate_k: 50,
            final_k: None,
        }
    }
}

/// A list after the reranker, or as it was when it failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Reranked {
    /// The hits in order.
    pub hits: Vec<Hit>,
    /// Whether the order is the reranker's.
    pub applied: bool,
}

/// Puts the first hits in the reranker's order, its score in place of theirs.
/// `text_of` gives the text of a hit; one without a text is read as empty.
///
/// Whatever the reranker fails at (an error, too late, scores that are no
/// numbers, too few or too many of them), the hits come back bit for bit as
/// they were, with one warning named `source`.
pub async fn rerank(
    query: &str,
    hits: Vec<Hit>,
    text_of: impl Fn(&Hit) -> String,
    settings: &RerankSettings,
    source: &str,
    context: &Context,
) -> Reranked {
    if hits.is_empty() {
        return Reranked {
            hits,
            applied: false,
        };
    }
    let window = hits.len().min(settings.candidate_k.max(1));
    let request = RerankRequest::new(query, hits.iter().take(window).map(text_of).collect())
        .with_provider(settings.provider.clone());
    let own = context.with_deadline(context.call.deadline.for_part());
    match scores_in_order(own.rerank(request).await, window) {
        Ok(scores) => Reranked {
            hits: reordered(hits, &scores),
            applied: true,
        },
        Err((category, reason)) => {
            let message = format!("reranking failed, the previous order is kept: {reason}");
            context.diagnose(Diagnostic::warning(source, message).category(category));
            Reranked {
                hits,
                applied: false,
            }
        }
    }
}

/// One finite score a document, in the documents' order.
fn scores_in_order(
    reply: Result<Vec<RerankScore>>,
    documents: usize,
) -> std::result::Result<Vec<f64>, (&'static str, String)> {
    let scores = reply.map_err(|error| (error.category(), error.to_string()))?;
    let invalid = |reason: String| ("invalid_result", reason);
    if scores.len() != documents {
        let count = scores.len();
        return Err(invalid(format!("{count} scores for {documents} texts")));
    }
    let mut in_order = vec![f64::NAN; documents];
    for RerankScore { index, score, .. } in scores {
        match in_order.get_mut(index) {
            Some(slot) if slot.is_nan() && score.is_finite() => *slot = score,
            _ => return Err(invalid(format!("score {score} for text {index}"))),
        }
    }
    Ok(in_order)
}

/// The hits that were read, by their scores, and behind them the others in the
/// order that they had, with scores below.
fn reordered(mut hits: Vec<Hit>, scores: &[f64]) -> Vec<Hit> {
    let mut unread = hits.split_off(scores.len());
    for (hit, &score) in hits.iter_mut().zip(scores) {
        hit.score = score;
        hit.score_kind = ScoreKind::Rerank;
    }
    sort_hits(&mut hits);
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    for (place, hit) in (1_u32..).zip(&mut unread) {
        hit.score = least - f64::from(place);
        hit.score_kind = ScoreKind::Other;
    }
    hits.append(&mut unread);
    hits
}
