//! `POST /v1/search/suggestions/evaluate`: which suggested questions would be
//! answered here and now. They are asked as any question is, and nothing is
//! remembered, counted or logged of them.

use axum::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PIPELINE;
use super::body::{Ambient, QueryBody};
use super::reply::QueryReply;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// Questions of one request at most.
const MOST: usize = 10;

/// Questions that a page would suggest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "SuggestionsRequest")]
pub(super) struct SuggestionsBody {
    /// The questions, 1 to 10.
    #[schemars(length(min = 1, max = 10))]
    queries: Vec<String>,
    /// As in a question.
    #[serde(default)]
    filters: Map<String, Value>,
    /// As in a question.
    #[serde(default)]
    scope: Vec<String>,
    /// As in a question.
    #[serde(default)]
    ambient: Ambient,
}

/// What came of them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SuggestionsResponse")]
pub(super) struct SuggestionsReply {
    /// In the order of the request.
    suggestions: Vec<Suggestion>,
}

/// What would come of a question.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Suggestion {
    /// The question.
    query: String,
    /// Whether it should be suggested: only if it would be answered.
    viable: bool,
    /// Why or why not.
    viability_state: Viability,
    /// Whether the domains in scope have entries.
    scope_ready: bool,
    /// The code of the answer.
    code: Option<String>,
    /// The reason of the answer, for people.
    reason: Option<String>,
    /// How many cards it would give.
    cards: usize,
}

/// Whether a question would be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Viability {
    /// It would.
    Grounded,
    /// It could mean several things.
    NeedsClarification,
    /// Nothing answers it.
    NoMatch,
    /// The scope has no entries.
    ScopeUnready,
    /// There are no entries.
    CorpusUnready,
}

/// `POST /v1/search/suggestions/evaluate`.
pub(super) async fn evaluate(
    app: App,
    JsonBody(body): JsonBody<SuggestionsBody>,
) -> Result<Json<SuggestionsReply>, Problem> {
    let count = body.queries.len();
    if !(1..=MOST).contains(&count) {
        let detail = format!("queries: {count} is not between 1 and {MOST}");
        return Err(Problem::bad_request("invalid_parameter", detail));
    }
    let mut suggestions = Vec::with_capacity(count);
    for query in body.queries {
        let question = QueryBody {
            q: query.clone(),
            filters: body.filters.clone(),
            scope: body.scope.clone(),
            ambient: body.ambient.clone(),
            ..QueryBody::default()
        };
        let input = question.input(&app, &[])?;
        let gannet = app.gannet.clone();
        let result = app
            .search_without_model(PIPELINE, async move { gannet.search(input).await })
            .await?;
        let (reply, _) = QueryReply::new(&app, result, None);
        suggestions.push(Suggestion::of(query, &reply));
    }
    Ok(Json(SuggestionsReply { suggestions }))
}

impl Suggestion {
    fn of(query: String, reply: &QueryReply) -> Self {
        let is_ready = |name: &str| reply.coverage[name] != Value::Bool(false);
        let (status, code) = reply.status();
        let viability_state = match status {
            _ if !is_ready("corpusReady") => Viability::CorpusUnready,
            _ if !is_ready("scopeReady") => Viability::ScopeUnready,
            Some("grounded") => Viability::Grounded,
            Some("clarify") => Viability::NeedsClarification,
            _ => Viability::NoMatch,
        };
        let reason = reply.context_answer["reason"].as_str();
        Self {
            viable: viability_state == Viability::Grounded,
            viability_state,
            scope_ready: is_ready("scopeReady"),
            code: code.map(str::to_owned),
            reason: reason.map(str::to_owned),
            cards: reply.cards.len(),
            query,
        }
    }
}
