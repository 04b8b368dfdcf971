//! What a call can set in another form than the configuration.

use gannet_plugin::descriptor::{ParameterDescriptor, ParameterType};
use gannet_plugin::filter::FilterClause;
use gannet_plugin::prelude::{PipelineRequest, Result};
use gannet_stages::RerankSettings;
use serde_json::Value;

use crate::pinned::ids_in;
use crate::scope::clauses_in;
use crate::settings::RagSettings;

impl RagSettings {
    /// These settings with what a call sets.
    pub(crate) fn for_request(&self, request: &PipelineRequest) -> Result<Self> {
        let mut settings = request.settings(self)?;
        if let Some(ids) = request.param::<String>("pinned")? {
            settings.pinned = ids_in(&ids);
        }
        match request.param("rerank")? {
            Some(false) => {
                settings.final_k = settings.most_results();
                settings.rerank = None;
            }
            Some(true) if settings.rerank.is_none() => {
                settings.rerank = Some(RerankSettings::default());
            }
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

/// What a caller can set beside the settings that are parameters. `rerank` has
/// no default of its own: without a value the configuration's counts.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    let text = |name: &str, label: &str, description: &str, placeholder: &str| {
        let text = ParameterType::Text;
        let mut parameter = ParameterDescriptor::new(name, label, description, text, "");
        parameter.placeholder = Some(placeholder.to_owned());
        parameter.section("Retrieval")
    };
    vec![
        text(
            "scope",
            "Scope",
            "Searches only entries with these values: KEY=VALUE, separated by commas.",
            "logbook=Operations, system=rf|vacuum",
        ),
        text(
            "pinned",
            "Pinned entries",
            "Ids of entries that come first in the result, separated by commas.",
            "entry ids",
        ),
        ParameterDescriptor::new(
            "rerank",
            "Rerank",
            "Whether a reranker reorders the first hits; as configured if not set.",
            ParameterType::Bool,
            Value::Null,
        )
        .section("Ranking"),
    ]
}

#[cfg(test)]
mod tests {
    use gannet_plugin::descriptor::schema_of;
    use gannet_plugin::prelude::Pipeline;

    use super::*;
    use crate::Rag;

    #[test]
    fn every_number_but_the_least_relevance_has_its_bounds() {
        let descriptor = Rag::descriptor().with_settings::<RagSettings>();
        let numbers = descriptor.parameters.into_iter().filter(|parameter| {
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

    #[test]
    fn the_configuration_may_go_beyond_the_bounds_of_callers() {
        let schema = schema_of::<RagSettings>();
        let context = &schema["properties"]["max_context_chars"];
        assert!(context.get("maximum").is_none(), "{context}");
    }
}
