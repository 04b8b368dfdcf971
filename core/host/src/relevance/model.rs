//! The weights of relevance, which are compiled in.

use std::sync::OnceLock;

use gannet_api::{ModelCard, Result};
use gannet_model::Model;
use serde::Deserialize;

use super::features::RelevanceFeatures;
use crate::compiled_models::{bound, checked_card, parsed, read_once};

/// What the weights are of.
const OF: &str = "relevance";
const FILE: &str = include_str!("../../model/relevance.json");

/// The models for questions that were encoded, and for others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Models {
    /// Where they come from.
    card: ModelCard,
    pub(super) with_vectors: Model,
    pub(super) without_vectors: Model,
}

/// The compiled weights, read once.
///
/// # Errors
/// [`Internal`](gannet_api::Error::Internal), only where the file and the code disagree; a test
/// reads them.
pub(super) fn models() -> Result<&'static Models> {
    static MODELS: OnceLock<Models> = OnceLock::new();
    read_once(&MODELS, || Models::read(FILE))
}

/// Where they come from.
///
/// # Errors
/// Those of [`models`].
pub(crate) fn card() -> Result<ModelCard> {
    Ok(models()?.card.clone())
}

impl Models {
    fn read(text: &str) -> Result<Self> {
        let models: Self = parsed(OF, text)?;
        let bind = |model| bound(OF, model, RelevanceFeatures::NAMES);
        Ok(Self {
            card: checked_card(OF, models.card, RelevanceFeatures::VERSION, text)?,
            with_vectors: bind(models.with_vectors)?,
            without_vectors: bind(models.without_vectors)?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_weights_fit_the_features() {
        models().unwrap();
    }

    #[test]
    fn weights_of_another_version_are_refused() {
        let text = FILE.replacen("\"features_version\":1", "\"features_version\":99", 1);
        let error = Models::read(&text).unwrap_err();
        assert!(error.to_string().contains("99"), "{error}");
    }

    #[test]
    fn weights_of_an_unknown_feature_are_refused() {
        let text = FILE.replacen("\"coverage\"", "\"colour\"", 1);
        let error = Models::read(&text).unwrap_err();
        assert!(error.to_string().contains("colour"), "{error}");
    }
}
