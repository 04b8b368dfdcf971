//! Rerankers on servers.

use std::collections::BTreeMap;

use gannet_plugin::prelude::{Context, Descriptor, Result, Setup};
use gannet_plugin::provider::{RerankScore, Reranker};
use serde_json::{Value, json};

use crate::response::max_of_scores;
use crate::server::{Access, Server};
use crate::settings::{RerankForm, RerankSettings};

const NAME: &str = "rerank_server";

/// A rerank server.
pub struct RerankServer {
    server: Server,
    path: String,
    form: RerankForm,
    model: Option<String>,
}

impl Reranker for RerankServer {
    const NAME: &'static str = NAME;

    type Settings = RerankSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reranker(
            Self::NAME,
            "Rerank server",
            "Scores texts with a reranker on an HTTP server: llama-server, Cohere, text-embeddings-inference.",
        )
    }

    fn new(settings: RerankSettings, setup: &Setup) -> Result<Self> {
        let access = Access {
            base_url: settings.base_url,
            key: settings.api_key,
            headers: BTreeMap::new(),
            timeout_seconds: settings.timeout_seconds,
            allow_private_addresses: settings.allow_private_addresses,
            max_retries: settings.max_retries,
        };
        let path = match settings.form {
            RerankForm::Cohere => "/v1/rerank",
            RerankForm::Tei => "/rerank",
        };
        Ok(Self {
            server: Server::new(&setup.instance, access)?,
            path: settings.path.unwrap_or_else(|| path.to_owned()),
            form: settings.form,
            model: settings.model,
        })
    }

    /// Best first. Without documents no request is sent.
    async fn rerank(
        &self,
        query: String,
        documents: Vec<String>,
        _context: &Context,
    ) -> Result<Vec<RerankScore>> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        let count = documents.len();
        let max_bytes = max_of_scores(&documents);
        let body = self.body(query, documents);
        let answer = self.server.post(&self.path, &body).await?;
        let endpoint = answer.endpoint().clone();
        let body = answer.json(max_bytes).await?;
        scores(self.form, &body, count).map_err(|why| endpoint.unreadable(why, &body.to_string()))
    }
}

impl RerankServer {
    fn body(&self, query: String, documents: Vec<String>) -> Value {
        let mut body = match self.form {
            RerankForm::Cohere => json!({"query": query, "documents": documents}),
            RerankForm::Tei => json!({"query": query, "texts": documents}),
        };
        if let Some(model) = &self.model {
            body["model"] = model.as_str().into();
        }
        body
    }
}

/// One score per document, best first.
fn scores(
    form: RerankForm,
    body: &Value,
    count: usize,
) -> std::result::Result<Vec<RerankScore>, String> {
    let (list, name) = match form {
        RerankForm::Cohere => (
            body["results"].as_array().ok_or("has no `results`")?,
            "relevance_score",
        ),
        RerankForm::Tei => (body.as_array().ok_or("is not an array")?, "score"),
    };
    let mut scores = list
        .iter()
        .map(|one| score(one, name))
        .collect::<std::result::Result<Vec<_>, String>>()?;
    scores.sort_by_key(|score| score.index);
    if !scores.iter().map(|score| score.index).eq(0..count) {
        let got = scores.len();
        return Err(format!(
            "has {got} scores for {count} texts; one per text is required"
        ));
    }
    // The sort is stable: documents with equal scores keep their order.
    scores.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(scores)
}

fn score(one: &Value, name: &str) -> std::result::Result<RerankScore, String> {
    let index = one["index"]
        .as_u64()
        .and_then(|index| usize::try_from(index).ok())
        .ok_or("has a result without `index`")?;
    let score = one[name]
        .as_f64()
        .ok_or_else(|| format!("has a result without `{name}`"))?;
    Ok(RerankScore::new(index, score))
}
