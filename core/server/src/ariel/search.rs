//! `POST /api/search`.

use axum::Json;
use gannet_core::api::{ChatMessage, ChatRole, Diagnostic};
use gannet_core::registry::did_you_mean;
use gannet_core::{EntryOrder, SearchInput, SearchResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EntryReply, Presenter};
use crate::extract::JsonBody;
use crate::filters;
use crate::problem::Problem;
use crate::state::App;
use crate::text_range::TextRange;

/// Results at most, as in ARIEL.
const MOST_RESULTS: usize = 100;
/// The parameters that every mode has, and that are no parameters of a module.
const SHARED: [&str; 5] = [
    "max_results",
    "start_date",
    "end_date",
    "author",
    "source_system",
];

/// A search.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SearchRequest")]
pub(crate) struct SearchBody {
    /// The question.
    #[schemars(length(min = 1))]
    pub query: String,
    /// An enabled search module or pipeline; the configured default when
    /// missing.
    #[serde(default)]
    pub mode: Option<String>,
    /// Maximum number of entries; 10 when missing.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub max_results: Option<usize>,
    /// Only entries on or after this day or time.
    #[serde(default)]
    pub start_date: Option<String>,
    /// Only entries on or before this day or time.
    #[serde(default)]
    pub end_date: Option<String>,
    /// Only entries whose author contains this text.
    #[serde(default)]
    pub author: Option<String>,
    /// Only entries of this source system.
    #[serde(default)]
    pub source_system: Option<String>,
    /// Only entries with these values: author, source, logbook, tag, shift or a
    /// metadata key.
    #[serde(default)]
    pub filters: Map<String, Value>,
    /// Parameters of the mode, and the filters above, which they replace.
    #[serde(default)]
    pub advanced_params: Map<String, Value>,
    /// Whether the same entries are given newest first.
    #[serde(default)]
    pub sort_by_time: bool,
    /// Fields whose values are counted over all entries that match.
    #[serde(default)]
    pub facets: Vec<String>,
    /// Whether `matches` and `facets` count entries with any word that says
    /// what a question asks about, rather than those with all of its words.
    #[serde(default)]
    pub count_any_word: bool,
    /// Words of the question, as they stand in it, that are not read as a
    /// time, a name or what is asked for. A set of entries is counted without
    /// them.
    #[serde(default)]
    pub ignored_words: Vec<String>,
    /// What was said before, oldest first, for pipelines that take follow-up
    /// questions.
    #[serde(default)]
    pub history: Vec<Turn>,
}

/// Something that was said before.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Turn {
    /// Who said it.
    role: TurnRole,
    /// What was said.
    content: String,
}

/// Who said something.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TurnRole {
    /// The one who asks.
    User,
    /// The one who answers.
    Assistant,
}

/// What a search found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SearchResponse")]
pub(crate) struct SearchReply {
    /// The entries, best first.
    pub entries: Vec<EntryReply>,
    /// The answer, where the mode gives one.
    pub answer: Option<String>,
    /// Ids of the entries that the answer cites; without an answer those that
    /// it was made from.
    pub sources: Vec<String>,
    /// Search modules that contributed.
    pub search_modes_used: Vec<String>,
    /// How the result came about.
    pub reasoning: String,
    /// How many entries there are here.
    pub total_results: usize,
    /// Milliseconds of the search.
    pub execution_time_ms: u64,
    /// What went wrong, or was read in a particular way.
    #[schemars(with = "Vec<Value>")]
    pub diagnostics: Vec<Diagnostic>,
    /// Statistics and steps of a pipeline.
    pub pipeline_details: Option<Value>,
    /// The mode that answered.
    pub mode: String,
    /// How far the answer can be trusted.
    pub answer_status: Option<Value>,
    /// The probability that the answer is right, 0 to 1; null where the mode
    /// does not know it.
    pub answer_confidence: Option<f64>,
    /// The words of the answer that answer the question, in order.
    pub answer_highlights: Vec<TextRange>,
    /// Ids of the entries that the answer cites, in order of first mention.
    pub citations: Vec<String>,
    /// Whether a part failed, so that the result is partial.
    pub degraded: bool,
    /// How many entries match, where that was asked.
    pub matches: Option<Value>,
    /// The values of the fields that were asked for.
    pub facets: Vec<Value>,
    /// What was read in the question: times, names, intent.
    pub plan: Value,
    /// The same for every run of the same search on the same index.
    pub stability_hash: String,
    /// What a pipeline gives beyond the other fields, by key: `cards`,
    /// `coverage`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
}

/// `POST /api/search`.
pub(crate) async fn search(
    app: App,
    JsonBody(body): JsonBody<SearchBody>,
) -> Result<Json<SearchReply>, Problem> {
    let (input, notes) = body.into_input(&app)?;
    let result = app.search(input).await?;
    Ok(Json(SearchReply::new(&app, result, notes)))
}

impl SearchBody {
    /// The search of the host, and notes for its result.
    ///
    /// # Errors
    /// 422 for values out of their limits, 400 for an unknown mode, filter or
    /// date.
    pub fn into_input(self, app: &App) -> Result<(SearchInput, Vec<Diagnostic>), Problem> {
        if self.query.is_empty() {
            return Err(Problem::invalid("query: must have at least 1 character"));
        }
        let mode = mode_of(app, self.mode.as_deref())?;
        let mut advanced = self.advanced_params;
        let max_results = self.max_results.map(Value::from);
        let max_results = max_results.or_else(|| advanced.get("max_results").cloned());
        let mut named = [
            ("start_date", self.start_date),
            ("end_date", self.end_date),
            ("author", self.author),
            ("source_system", self.source_system),
        ];
        for (name, value) in &mut named {
            if let Some(given) = advanced.get(*name).filter(|given| !given.is_null()) {
                *value = Some(filter_text("advanced_params", name, given)?);
            }
        }
        advanced.retain(|name, value| !SHARED.contains(&name.as_str()) && !value.is_null());
        let (params, notes) = of_mode(app, &mode, advanced)?;
        let mut pairs = filters::given(named);
        pairs.extend(named_filters(&self.filters)?);
        let mut input = SearchInput::new(self.query);
        input.filter = app.gannet.filter(&pairs)?;
        input.mode = Some(mode);
        input.max_results = Some(limit_of(max_results)?);
        input.params = params;
        input.ignored_words = self.ignored_words;
        input.history = self.history.into_iter().map(ChatMessage::from).collect();
        input.counting.facets = self.facets;
        input.counting.matches = !input.counting.facets.is_empty();
        input.counting.any_word = self.count_any_word;
        if self.sort_by_time {
            input.order = EntryOrder::Time;
        }
        app.tenant().clone_into(&mut input.tenant);
        Ok((input, notes))
    }
}

/// The filters of a request as names and values.
///
/// # Errors
/// 422 for a value that is neither a string nor a number.
pub(crate) fn named_filters(
    filters: &Map<String, Value>,
) -> Result<Vec<(String, String)>, Problem> {
    let pairs = filters
        .iter()
        .map(|(name, value)| Ok((name.clone(), filter_text("filters", name, value)?)));
    pairs.collect()
}

impl From<Turn> for ChatMessage {
    fn from(turn: Turn) -> Self {
        let role = match turn.role {
            TurnRole::User => ChatRole::User,
            TurnRole::Assistant => ChatRole::Assistant,
        };
        Self::new(role, turn.content)
    }
}

fn mode_of(app: &App, mode: Option<&str>) -> Result<String, Problem> {
    let mode = mode.unwrap_or(app.gannet.default_mode());
    if mode.trim().is_empty() {
        return Err(Problem::bad_request(
            "unknown_mode",
            "search mode cannot be empty",
        ));
    }
    Ok(app.gannet.mode(mode)?.descriptor.name.clone())
}

fn limit_of(requested: Option<Value>) -> Result<usize, Problem> {
    let Some(requested) = requested.filter(|requested| !requested.is_null()) else {
        return Ok(10);
    };
    let limit = requested
        .as_u64()
        .and_then(|limit| usize::try_from(limit).ok());
    limit
        .filter(|limit| (1..=MOST_RESULTS).contains(limit))
        .ok_or_else(|| {
            Problem::invalid(format!(
                "max_results: {requested} is not between 1 and {MOST_RESULTS}"
            ))
        })
}

/// The parameters that the mode has. Others may be left from the form of
/// another mode: they are named in a note.
fn of_mode(
    app: &App,
    mode: &str,
    params: Map<String, Value>,
) -> Result<(Map<String, Value>, Vec<Diagnostic>), Problem> {
    let descriptor = &app.gannet.mode(mode)?.descriptor;
    let is_known = |(name, _): &(String, Value)| descriptor.parameter(name).is_some();
    let (known, unknown): (Vec<_>, Vec<_>) = params.into_iter().partition(is_known);
    let own = descriptor.parameters.iter().map(|one| one.name.as_str());
    let names: Vec<&str> = own.chain(SHARED).collect();
    let notes = unknown.into_iter().map(|(name, _)| {
        let hint = did_you_mean(&name, names.iter().copied());
        let message = format!("the mode `{mode}` has no parameter `{name}`; it was ignored{hint}");
        Diagnostic::warning("service.parameters", message).category("invalid_input")
    });
    Ok((known.into_iter().collect(), notes.collect()))
}

/// The value of a filter, which stands in this object of the body.
fn filter_text(object: &str, name: &str, value: &Value) -> Result<String, Problem> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err(Problem::invalid(format!(
            "{object}.{name}: must be a string or a number"
        ))),
    }
}

impl SearchReply {
    pub fn new(app: &App, result: SearchResult, notes: Vec<Diagnostic>) -> Self {
        let presenter = Presenter::new(&app.gannet);
        let entries: Vec<EntryReply> = result
            .entries
            .into_iter()
            .map(|hit| presenter.hit(hit))
            .collect();
        let value = |serialized: serde_json::Result<Value>| serialized.unwrap_or_default();
        let sources = match result.citations.is_empty() {
            true => result.sources,
            false => result.citations.clone(),
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a duration in milliseconds"
        )]
        let execution_time_ms = result.took_ms as u64;
        Self {
            total_results: entries.len(),
            entries,
            answer: result.answer,
            sources,
            search_modes_used: result.search_modes_used,
            reasoning: result.reasoning,
            execution_time_ms,
            diagnostics: notes.into_iter().chain(result.diagnostics).collect(),
            pipeline_details: result.pipeline_details,
            mode: result.mode,
            answer_status: result
                .answer_status
                .map(|status| value(serde_json::to_value(status))),
            answer_confidence: result.answer_confidence,
            answer_highlights: TextRange::of(result.answer_highlights),
            citations: result.citations,
            degraded: result.degraded,
            matches: result
                .matches
                .map(|matches| value(serde_json::to_value(matches))),
            facets: result
                .facets
                .iter()
                .map(|facet| value(serde_json::to_value(facet)))
                .collect(),
            plan: value(serde_json::to_value(&result.plan)),
            stability_hash: result.stability_hash,
            extensions: result.extensions,
        }
    }
}
