//! The interface of the Retriever: `POST /search` and `GET /capabilities`.
//! `GET /health` and `/metrics` are with the [probes](crate::probes).

use axum::Json;
use gannet_core::{RetrieverMetadata, RetrieverMethod, RetrieverRequest, RetrieverResponse};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::routes::Routes;
use crate::state::App;
use crate::work::Work;

/// The pipeline that answers.
const PIPELINE: &str = "rag";

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Retriever";
    let about = (
        TAG,
        "Retrieve, with a synthesis",
        &[400, 415, 422, 503, 504][..],
    );
    routes.post::<RetrieverRequest, ResponseSchema, _, _>("/search", about, search);
    let about = (TAG, "What the Retriever can do", &[][..]);
    routes.get::<(), Abilities, _, _>("/capabilities", about, capabilities);
}

/// What the Retriever can do.
#[derive(Debug, Serialize, JsonSchema)]
struct Abilities {
    /// By the names of its documentation.
    capabilities: Vec<&'static str>,
}

/// The fields of [`RetrieverResponse`].
#[derive(JsonSchema)]
#[schemars(rename = "RetrieverResponse")]
#[allow(dead_code, reason = "only its schema is used")]
struct ResponseSchema {
    /// Best first.
    results: Vec<ResultSchema>,
    /// The question, as it was searched.
    query: String,
    /// Which search modules were asked.
    #[schemars(with = "String")]
    method_used: RetrieverMethod,
    /// How many results there are.
    total_results: usize,
    /// An answer with `[n]` marks, n counted in `results`.
    synthesis: Option<String>,
    /// The source of each result.
    citations: Vec<String>,
    /// Times, models, notes.
    metadata: RetrieverMetadata,
}

/// The fields of [`gannet_core::RetrieverResult`].
#[derive(JsonSchema)]
#[schemars(rename = "RetrieverResult")]
#[allow(dead_code, reason = "only its schema is used")]
struct ResultSchema {
    /// The text.
    content: String,
    /// Which entry it is.
    source: String,
    /// The probability that it is about the query, 0 to 1.
    relevance_score: f64,
    /// The place, from 1.
    rank: usize,
    /// What the entry's source knows of it.
    metadata: Map<String, Value>,
}

/// `POST /search`.
async fn search(
    app: App,
    JsonBody(request): JsonBody<RetrieverRequest>,
) -> Result<Json<RetrieverResponse>, Problem> {
    let mut params = Map::new();
    if !request.synthesize {
        params.insert("answer".to_owned(), "none".into());
    }
    let permit = app.backend.admit(app.caller(), Some(PIPELINE), &params);
    let permit = permit.await?;
    let begun = app.backend.begin(app.caller(), PIPELINE, &request.query);
    let record = begun.await;
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let work = async move { gannet.retrieve(request, &tenant).await };
    let response: Result<RetrieverResponse, Problem> =
        match Work::start(permit, work).answer().await {
            Ok(answer) => answer.map_err(Problem::from),
            Err(problem) => Err(problem),
        };
    record.end_retrieval(response.as_ref().ok());
    let response = response?;
    let backend = &app.backend;
    Ok(Json(backend.retrieval_for_caller(app.caller(), response)))
}

/// `GET /capabilities`.
async fn capabilities(app: App) -> Json<Abilities> {
    let has_vectors = app.gannet.needs_vectors(PIPELINE);
    let mut capabilities = vec!["keyword_search", "result_synthesis"];
    if has_vectors {
        capabilities.extend(["vector_search", "hybrid_search"]);
    }
    capabilities.sort_unstable();
    Json(Abilities { capabilities })
}
