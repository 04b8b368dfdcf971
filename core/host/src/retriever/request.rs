//! What the Retriever is asked.

use gannet_api::{Condition, Error, Filter, FilterClause, FilterField};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::refused;

/// Characters of a query at most.
const QUERY_AT_MOST: usize = 500;
/// Results at most.
const LIMIT_AT_MOST: usize = 100;

/// What the Retriever is asked.
///
/// ```
/// use gannet_core::RetrieverRequest;
///
/// let request: RetrieverRequest = serde_json::from_str(
///     r#"{"query": "RF trips", "method": "keyword", "filters": {"shift": ["Owl", "Day"]}}"#,
/// )?;
/// assert_eq!(request.limit, 10);
/// assert!(request.check().is_ok());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetrieverRequest {
    /// The question.
    #[schemars(length(min = 1, max = 500))]
    pub query: String,
    /// Which search modules are asked.
    #[serde(default)]
    pub method: RetrieverMethod,
    /// How many results at most.
    #[serde(default = "default_limit", alias = "max_results", alias = "top_k")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// What a result must be: a value, a list of which any will do, a
    /// comparison (`">= 9.0"`); `date_from`, `published_after` and their like
    /// are bounds of the time.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub filters: Map<String, Value>,
    /// The least score, where scores are of a kind on which it says something;
    /// elsewhere it is left out, with a note.
    #[serde(default = "default_min_relevance_score", alias = "min_score")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_relevance_score: f64,
    /// Whether `citations` lists the sources of the results.
    #[serde(default = "yes")]
    pub include_citations: bool,
    /// Whether there is a synthesis.
    #[serde(default = "yes")]
    pub synthesize: bool,
    /// Whether results are reranked; as configured when missing.
    #[serde(default)]
    pub rerank: Option<bool>,
}

/// Which search modules are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RetrieverMethod {
    /// Those that search by vectors.
    Vector,
    /// Those of keyword search.
    Keyword,
    /// All of them.
    #[default]
    Hybrid,
}

impl RetrieverRequest {
    /// A request with nothing but a question.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            method: RetrieverMethod::default(),
            limit: default_limit(),
            filters: Map::new(),
            min_relevance_score: default_min_relevance_score(),
            include_citations: true,
            synthesize: true,
            rerank: None,
        }
    }

    /// Whether it is within its limits.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] that names the field and its limits.
    pub fn check(&self) -> Result<(), Error> {
        let length = self.query.chars().count();
        if length > QUERY_AT_MOST || self.query.trim().is_empty() {
            return Err(refused(format!(
                "query: must have 1 to {QUERY_AT_MOST} characters, has {length}"
            )));
        }
        if !(1..=LIMIT_AT_MOST).contains(&self.limit) {
            return Err(refused(format!(
                "limit: {} is not between 1 and {LIMIT_AT_MOST}",
                self.limit
            )));
        }
        if !(0.0..=1.0).contains(&self.min_relevance_score) {
            return Err(refused(format!(
                "min_relevance_score: {} is not between 0 and 1",
                self.min_relevance_score
            )));
        }
        Ok(())
    }

    /// What a result must be. A list is any of its members; a text is read as
    /// on the command line, but for a `|`, which is a letter here.
    pub(super) fn filter(
        &self,
        read: impl Fn(&str, &str) -> Result<FilterClause, Error>,
    ) -> Result<Filter, Error> {
        let clause = |(name, value): (&String, &Value)| {
            let condition = match value {
                Value::Array(members) if !members.is_empty() => {
                    let members = members.iter().map(|member| text_of(name, member));
                    Condition::AnyOf(members.collect::<Result<_, Error>>()?)
                }
                value => {
                    let text = text_of(name, value)?;
                    if !text.contains('|') {
                        return read(name, &text);
                    }
                    Condition::Equals(text)
                }
            };
            Ok(FilterClause {
                field: FilterField::from_name(name),
                condition,
            })
        };
        let clauses: Result<Vec<FilterClause>, Error> = self.filters.iter().map(clause).collect();
        Ok(Filter { clauses: clauses? })
    }
}

fn text_of(name: &str, member: &Value) -> Result<String, Error> {
    match member {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(member.to_string()),
        _ => Err(not_a_filter(name)),
    }
}

fn not_a_filter(name: &str) -> Error {
    refused(format!(
        "filters.{name}: must be a string, a number, a boolean, or an array of these"
    ))
}

fn null_is_empty<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn default_limit() -> usize {
    10
}

fn default_min_relevance_score() -> f64 {
    0.5
}

fn yes() -> bool {
    true
}
