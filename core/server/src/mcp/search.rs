//! Tools that search: one of each enabled search module and pipeline.

use std::collections::BTreeSet;
use std::ops::Range;

use gannet_core::api::{AnswerStatus, Diagnostic, Matched, PluginKind, Tool};
use gannet_core::{SearchHit, SearchInput, SearchResult};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::entry_view::{EntryView, EntryViews};
use super::failure::ToolFailure;
use super::server::Call;

/// Characters of the text of a hit (ARIEL's limit for its search tools).
const TEXT_CHARS: usize = 500;
/// Fragments of a hit with matches.
const FRAGMENTS: usize = 3;
/// The argument with entries that the agent has seen.
const EXCLUDE: &str = "exclude_entry_ids";
/// How many of them there can be.
const MOST_EXCLUDED: usize = 200;
/// The parameter of pipelines that says who writes the answer.
const ANSWER: &str = "answer";

/// The result of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchReply {
    /// The query, as it was searched.
    query: String,
    /// The search module or pipeline that was used.
    mode: String,
    /// Number of entries below.
    results_found: usize,
    /// How the result came about.
    reasoning: String,
    /// Quoted sentences that answer the question, with citations; only from
    /// pipelines.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// How far the answer can be trusted: `grounded`, `partial`, `clarify`,
    /// `insufficient` or `uncited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    answer_status: Option<AnswerStatus>,
    /// The probability that the answer is right, 0 to 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_confidence: Option<f64>,
    /// The words of the answer that answer the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    answer_highlights: Vec<String>,
    /// Ids of the entries that the answer was made from.
    sources: Vec<String>,
    /// Whether a part of the search failed.
    degraded: bool,
    /// What went wrong, or was read in a particular way.
    diagnostics: Vec<Note>,
    /// What the pipeline found beside the entries: `groups` of events, the `steps`
    /// of a thread, the `sections` of a digest, the `rows` and `change_points` of
    /// a trend.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
    /// The entries, best first.
    entries: Vec<Hit>,
}

/// A note beside a result.
#[derive(Debug, Serialize, JsonSchema)]
struct Note {
    /// `info`, `warning` or `error`.
    level: String,
    /// Where it comes from.
    source: String,
    /// What happened.
    message: String,
}

/// One entry of a result.
#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    #[serde(flatten)]
    entry: EntryView,
    /// The score; comparable within one result.
    score: f64,
    /// The probability that the entry is about the query, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance: Option<f64>,
    /// `all` if the entry matches the whole query, `some` if a part of it.
    #[schemars(with = "String")]
    matched: Matched,
    /// Fragments of the text with matches.
    highlights: Vec<String>,
}

/// The arguments of the tool for an agent that searches more than once.
pub(super) fn arguments(tool: &Tool) -> Value {
    let mut arguments = tool.arguments.clone();
    if let Some(properties) = arguments["properties"].as_object_mut() {
        let exclude = json!({
            "type": "array",
            "items": { "type": "string" },
            "maxItems": MOST_EXCLUDED,
            "description": "Ids of entries that were seen already; others take their places.",
            "default": [],
        });
        properties.entry(EXCLUDE).or_insert(exclude);
    }
    arguments
}

/// Searches.
///
/// # Errors
/// A [`ToolFailure`] for arguments that cannot be used and for a mode that
/// failed as a whole.
pub(super) async fn call(
    call: &Call<'_>,
    tool: &Tool,
    mut arguments: Value,
) -> Result<SearchReply, ToolFailure> {
    let excluded = take_excluded(&mut arguments);
    let request = tool.read(&arguments, &call.gannet.read_options())?;
    let limit = request.limit;
    let mut input = SearchInput::new(request.query);
    input.mode = Some(tool.mode.clone());
    // The excluded ones may all be among the best.
    input.max_results = Some(limit + excluded.len());
    input.filter = request.filter;
    input.params = with_quotes(call, tool, request.params)?;
    input.tenant.clone_from(&call.caller.tenant);
    let result = call.backend.search(&call.caller, input).await?;
    Ok(reply(result, limit, &excluded, call.views))
}

fn take_excluded(arguments: &mut Value) -> BTreeSet<String> {
    let excluded = arguments
        .as_object_mut()
        .and_then(|given| given.remove(EXCLUDE));
    let ids = excluded.as_ref().and_then(Value::as_array);
    let ids = ids.into_iter().flatten().filter_map(Value::as_str);
    ids.map(str::to_owned).collect()
}

/// The agent is a model itself: pipelines quote entries and ask no other one.
fn with_quotes(
    call: &Call<'_>,
    tool: &Tool,
    mut params: Map<String, Value>,
) -> Result<Map<String, Value>, ToolFailure> {
    if tool.kind == PluginKind::Pipeline {
        let descriptor = &call.gannet.mode(&tool.mode)?.descriptor;
        if descriptor.parameter(ANSWER).is_some() {
            params.insert(ANSWER.to_owned(), "entries".into());
        }
    }
    Ok(params)
}

fn reply(
    result: SearchResult,
    limit: usize,
    excluded: &BTreeSet<String>,
    views: &EntryViews,
) -> SearchReply {
    let is_new = |hit: &&SearchHit| !excluded.contains(&hit.entry.entry_id);
    let entries = result.entries.iter().filter(is_new).take(limit);
    let entries: Vec<Hit> = entries.map(|hit| shown(hit, views)).collect();
    // An answer from what the agent has seen already is none that it wants.
    let is_seen = result.citations.iter().any(|id| excluded.contains(id));
    let answer = result.answer.filter(|_| !is_seen);
    let highlights = highlighted(answer.as_deref(), &result.answer_highlights);
    let details = details(&result.mode, result.extensions);
    SearchReply {
        query: result.query,
        mode: result.mode,
        results_found: entries.len(),
        reasoning: result.reasoning,
        answer,
        answer_status: result.answer_status.filter(|_| !is_seen),
        answer_confidence: result.answer_confidence.filter(|_| !is_seen),
        answer_highlights: highlights,
        sources: result.sources,
        degraded: result.degraded,
        diagnostics: result.diagnostics.into_iter().map(Note::from).collect(),
        details,
        entries,
    }
}

/// The extension of a pipeline: that of its name, or the only one, where an
/// instance has another name.
fn details(mode: &str, mut extensions: Map<String, Value>) -> Option<Map<String, Value>> {
    let own = match extensions.remove(mode) {
        Some(own) => Some(own),
        None if extensions.len() == 1 => extensions.into_iter().next().map(|(_, only)| only),
        None => None,
    };
    let Some(Value::Object(mut own)) = own else {
        return None;
    };
    own.retain(|_, value| !value.is_null());
    Some(own)
}

/// The words themselves: a model does not count bytes.
fn highlighted(answer: Option<&str>, ranges: &[Range<usize>]) -> Vec<String> {
    let answer = answer.unwrap_or_default();
    let words = ranges.iter().filter_map(|range| answer.get(range.clone()));
    words.map(str::to_owned).collect()
}

fn shown(hit: &SearchHit, views: &EntryViews) -> Hit {
    let fragments = hit.highlights.iter().take(FRAGMENTS);
    Hit {
        entry: views.view(&hit.entry, TEXT_CHARS),
        score: hit.score,
        relevance: hit.relevance,
        matched: hit.matched,
        highlights: fragments.map(|fragment| fragment.text.clone()).collect(),
    }
}

impl From<Diagnostic> for Note {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            level: format!("{:?}", diagnostic.level).to_lowercase(),
            source: diagnostic.source,
            message: diagnostic.message,
        }
    }
}
