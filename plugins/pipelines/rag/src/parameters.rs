//! What a call can set.

use gannet_plugin::{
    FilterClause, ParameterDescriptor, ParameterOption, ParameterType, PipelineRequest, Result,
};
use gannet_stages::RerankSettings;
use serde_json::Value;

use crate::pinned::ids_in;
use crate::scope::clauses_in;
use crate::settings::RagSettings;

impl RagSettings {
    /// These settings with what a call sets.
    pub(crate) fn for_call(&self, request: &PipelineRequest) -> Result<Self> {
        let mut settings = self.clone();
        let set = &mut settings;
        set_from(request, "method", &mut set.method)?;
        set_from(request, "answer", &mut set.answer)?;
        set_from(
            request,
            "similarity_threshold",
            &mut set.similarity_threshold,
        )?;
        set_from(request, "max_context_chars", &mut set.max_context_chars)?;
        set_from(request, "max_chars_per_entry", &mut set.max_chars_per_entry)?;
        set_from(request, "temperature", &mut set.temperature)?;
        if let Some(most) = request.param("final_k")? {
            set.final_k = Some(most);
        }
        if let Some(minimum) = request.param("min_relevance")? {
            set.min_relevance = Some(minimum);
        }
        if let Some(ids) = request.param::<String>("pinned")? {
            set.pinned = ids_in(&ids);
        }
        match request.param("rerank")? {
            Some(false) => {
                set.final_k = set.most_results();
                set.rerank = None;
            }
            Some(true) if set.rerank.is_none() => set.rerank = Some(RerankSettings::default()),
            Some(true) | None => {}
        }
        Ok(settings)
    }
}

/// The clauses by which a call narrows the scope.
pub(crate) fn call_scope(request: &PipelineRequest, timezone: &str) -> Result<Vec<FilterClause>> {
    match request.param::<String>("scope")? {
        Some(text) => clauses_in(&text, timezone),
        None => Ok(Vec::new()),
    }
}

fn set_from<T: serde::de::DeserializeOwned>(
    request: &PipelineRequest,
    name: &str,
    setting: &mut T,
) -> Result<()> {
    if let Some(value) = request.param(name)? {
        *setting = value;
    }
    Ok(())
}

/// What a caller can set per call.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    let mut all = retrieval();
    all.extend(ranking());
    all.extend(context());
    all.extend(wording());
    all
}

fn retrieval() -> Vec<ParameterDescriptor> {
    let defaults = RagSettings::default();
    let mut scope = text(
        "scope",
        "Scope",
        "Searches only entries with these values: KEY=VALUE, separated by commas.",
    );
    scope.placeholder = Some("logbook=Operations, system=rf|vacuum".to_owned());
    let mut pinned = text(
        "pinned",
        "Pinned entries",
        "Ids of entries that come first in the result, separated by commas.",
    );
    pinned.placeholder = Some("entry ids".to_owned());
    let all = vec![
        select(
            "method",
            "Method",
            "Which search modules are used: all, the semantic ones, or the others.",
            &[
                ("hybrid", "Hybrid"),
                ("vector", "Vector"),
                ("keyword", "Keyword"),
            ],
        ),
        ParameterDescriptor::new(
            "similarity_threshold",
            "Similarity threshold",
            "Minimum cosine similarity of semantic hits; 0 keeps all for the fusion.",
            ParameterType::Float,
            defaults.similarity_threshold,
        )
        .range(0.0, 1.0, 0.01),
        scope,
        pinned,
    ];
    in_section("Retrieval", all)
}

/// None has a default of its own: without a value the configuration's
/// counts.
fn ranking() -> Vec<ParameterDescriptor> {
    let all = vec![
        ParameterDescriptor::new(
            "rerank",
            "Rerank",
            "Whether a reranker reorders the first hits; as configured if not set.",
            ParameterType::Bool,
            Value::Null,
        ),
        ParameterDescriptor::new(
            "final_k",
            "Results at most",
            "How many entries the result has at most, reranked or not; as configured when not \
             set.",
            ParameterType::Int,
            Value::Null,
        )
        .range(1.0, 1_000.0, 1.0),
        ParameterDescriptor::new(
            "min_relevance",
            "Least relevance",
            "Minimum score of an entry, for scores of a reranker, a linear fusion or cosine \
             similarity; ignored with a diagnostic for other kinds.",
            ParameterType::Float,
            Value::Null,
        ),
    ];
    in_section("Ranking", all)
}

fn context() -> Vec<ParameterDescriptor> {
    let defaults = RagSettings::default();
    let all = vec![
        ParameterDescriptor::new(
            "max_context_chars",
            "Max context characters",
            "Maximum characters of all entries in the context.",
            ParameterType::Int,
            defaults.max_context_chars,
        )
        .range(1_000.0, 50_000.0, 1_000.0),
        ParameterDescriptor::new(
            "max_chars_per_entry",
            "Max characters per entry",
            "Maximum characters of each entry in the context.",
            ParameterType::Int,
            defaults.max_chars_per_entry,
        )
        .range(100.0, 10_000.0, 100.0),
    ];
    in_section("Context Assembly", all)
}

fn wording() -> Vec<ParameterDescriptor> {
    let defaults = RagSettings::default();
    let all = vec![
        select(
            "answer",
            "Answer",
            "Who writes the answer: a chat model if there is one, quoted sentences, or none.",
            &[
                ("model", "Chat model"),
                ("entries", "Entries alone"),
                ("none", "No answer"),
            ],
        ),
        ParameterDescriptor::new(
            "temperature",
            "Temperature",
            "Sampling temperature of the chat model.",
            ParameterType::Float,
            defaults.temperature,
        )
        .range(0.0, 2.0, 0.05),
    ];
    in_section("LLM Processing", all)
}

fn text(name: &str, label: &str, description: &str) -> ParameterDescriptor {
    ParameterDescriptor::new(name, label, description, ParameterType::Text, "")
}

/// The first of the values is the default.
fn select(
    name: &str,
    label: &str,
    description: &str,
    values: &[(&str, &str)],
) -> ParameterDescriptor {
    let default = values.first().map_or("", |(value, _)| value);
    let mut parameter =
        ParameterDescriptor::new(name, label, description, ParameterType::Select, default);
    let options = values.iter().map(|(value, label)| ParameterOption {
        value: (*value).to_owned(),
        label: (*label).to_owned(),
    });
    parameter.options = options.collect();
    parameter
}

fn in_section(section: &str, all: Vec<ParameterDescriptor>) -> Vec<ParameterDescriptor> {
    let all = all.into_iter();
    all.map(|parameter| parameter.section(section)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_bounds_but_a_relevance_on_an_open_scale() {
        let numbers = parameters().into_iter().filter(|parameter| {
            matches!(
                parameter.parameter_type,
                ParameterType::Float | ParameterType::Int
            )
        });
        let bounds: Vec<(String, Option<f64>, Option<f64>)> = numbers
            .map(|one| (one.name, one.min_value, one.max_value))
            .collect();
        let between = |name: &str, least, most| (name.to_owned(), Some(least), Some(most));
        assert_eq!(
            bounds,
            [
                between("similarity_threshold", 0.0, 1.0),
                between("final_k", 1.0, 1_000.0),
                ("min_relevance".to_owned(), None, None),
                between("max_context_chars", 1_000.0, 50_000.0),
                between("max_chars_per_entry", 100.0, 10_000.0),
                between("temperature", 0.0, 2.0),
            ]
        );
    }
}
