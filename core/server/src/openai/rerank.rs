//! `POST /v1/rerank`, in the form that rerank servers have.

use axum::Json;
use gannet_core::HostError;
use gannet_core::api::{Error, RerankRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::of_model;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// Documents at most.
const MOST: usize = 1000;

/// Documents to score.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RerankRequest")]
pub(crate) struct RerankBody {
    /// The question.
    query: String,
    /// The documents, 1000 at most.
    documents: Vec<String>,
    /// A provider of `providers`; the first reranker when missing.
    #[serde(default)]
    model: Option<String>,
    /// How many results at most; all when missing.
    #[serde(default)]
    top_n: Option<usize>,
}

/// The documents, best first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RerankResponse")]
pub(crate) struct RerankReply {
    /// The best documents.
    results: Vec<Scored>,
}

/// A document and its score.
#[derive(Debug, Serialize, JsonSchema)]
struct Scored {
    /// Which document, from 0.
    index: usize,
    /// Its score, on the scale of the reranker.
    relevance_score: f64,
}

/// `POST /v1/rerank`.
pub(crate) async fn rerank(
    app: App,
    JsonBody(body): JsonBody<RerankBody>,
) -> Result<Json<RerankReply>, Problem> {
    if !(1..=MOST).contains(&body.documents.len()) {
        let detail = format!(
            "documents: must have 1 to {MOST} texts, has {}",
            body.documents.len()
        );
        return Err(Problem::invalid(detail).param("documents"));
    }
    let request = RerankRequest::new(body.query, body.documents).with_provider(body.model);
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let scores = app
        .infer(async move { gannet.rerank(&tenant, request).await.map_err(problem_of) })
        .await?;
    let mut results: Vec<Scored> = scores
        .into_iter()
        .map(|score| Scored {
            index: score.index,
            relevance_score: score.score,
        })
        .collect();
    // Stable: equal scores stay in the order of the request.
    results.sort_by(|a, b| {
        b.relevance_score
            .total_cmp(&a.relevance_score)
            .then(a.index.cmp(&b.index))
    });
    results.truncate(body.top_n.unwrap_or(usize::MAX));
    Ok(Json(RerankReply { results }))
}

/// Without a reranker there is nothing to wait for.
fn problem_of(error: HostError) -> Problem {
    match error {
        HostError::Plugin(Error::Unavailable { message }) => {
            Problem::bad_request("not_configured", message).param("model")
        }
        error => of_model(error),
    }
}
