//! The weights of recurrence, which are compiled in.

use std::sync::OnceLock;

use gannet_api::{ModelCard, Result};
use gannet_model::Model;
use serde::Deserialize;

use super::features::PairFeatures;
use crate::compiled_models::{bound, checked_card, parsed, read_once};

/// What the weights are of.
const OF: &str = "recurrence";
const FILE: &str = include_str!("../../model/recurrence.json");

/// The models of the same event, and of the same kind of event.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Models {
    /// Where they come from.
    card: ModelCard,
    pub(super) same_event: Model,
    /// Does not see times.
    pub(super) same_kind: Model,
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
        let bind = |model| bound(OF, model, PairFeatures::NAMES);
        Ok(Self {
            card: checked_card(OF, models.card, PairFeatures::VERSION, text)?,
            same_event: bind(models.same_event)?,
            same_kind: bind(models.same_kind)?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]

    use super::*;

    /// Features of pairs, with the probabilities that the arithmetic of training
    /// in `f32` gives for them.
    #[derive(Deserialize)]
    struct Examples {
        names: Vec<String>,
        pairs: Vec<ExamplePair>,
    }

    #[derive(Deserialize)]
    struct ExamplePair {
        features: Vec<f32>,
        same_event: f32,
        same_kind: f32,
    }

    #[test]
    fn the_probabilities_are_those_of_training_bit_by_bit() {
        let examples: Examples = serde_json::from_str(include_str!("examples.json")).unwrap();
        assert_eq!(examples.names, PairFeatures::NAMES);
        let models = models().unwrap();
        for pair in examples.pairs {
            let (event, kind) = (&models.same_event, &models.same_kind);
            assert_eq!(event.probability(&pair.features), pair.same_event);
            assert_eq!(kind.probability(&pair.features), pair.same_kind);
        }
    }

    #[test]
    fn a_model_of_the_kind_sees_no_times() {
        let weights: serde_json::Value = serde_json::from_str(FILE).unwrap();
        let features = weights["same_kind"]["features"].as_array().unwrap();
        for of_time in ["days", "is_earlier"] {
            assert!(!features.iter().any(|name| name == of_time));
        }
    }

    #[test]
    fn weights_of_another_version_are_refused() {
        let text = FILE.replacen("\"features_version\":1", "\"features_version\":99", 1);
        let error = Models::read(&text).unwrap_err();
        assert!(error.to_string().contains("99"), "{error}");
    }

    #[test]
    fn weights_of_an_unknown_feature_are_refused() {
        let text = FILE.replacen("\"text_score\"", "\"colour\"", 1);
        let error = Models::read(&text).unwrap_err();
        assert!(error.to_string().contains("colour"), "{error}");
    }
}
