//! The model: a weighted sum of the features, on a logistic curve.

use std::sync::OnceLock;

use gannet_api::{Error, Result};
use serde::Deserialize;

use super::features::RelevanceFeatures;

const FILE: &str = include_str!("../../model/relevance.json");
/// How many standard deviations from its mean a feature counts at most.
const CLIP: f32 = 4.0;

/// The weights with and without token vectors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Models {
    /// What the weights were made from, by which command.
    #[serde(rename = "made")]
    _made: serde_json::Value,
    pub(super) with_vectors: Model,
    pub(super) without_vectors: Model,
}

/// A logistic regression.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    intercept: f32,
    /// For each input its name, weight, mean and inverse deviation. An input is
    /// a feature, or a product as `coverage*terms`.
    inputs: Vec<(String, f32, f32, f32)>,
    #[serde(skip)]
    places: Vec<(usize, Option<usize>)>,
}

/// The compiled weights, read once.
///
/// # Errors
/// [`Error::Internal`], only where the file and the code disagree; a test
/// reads them.
pub(super) fn models() -> Result<&'static Models> {
    static MODELS: OnceLock<Models> = OnceLock::new();
    if let Some(models) = MODELS.get() {
        return Ok(models);
    }
    let read = Models::read(FILE)?;
    Ok(MODELS.get_or_init(|| read))
}

impl Models {
    fn read(text: &str) -> Result<Self> {
        let models: Self = serde_json::from_str(text)
            .map_err(|error| Error::internal(format!("the weights of relevance: {error}")))?;
        Ok(Self {
            with_vectors: models.with_vectors.bind()?,
            without_vectors: models.without_vectors.bind()?,
            ..models
        })
    }
}

impl Model {
    fn bind(mut self) -> Result<Self> {
        let place = |name: &str| {
            let mut names = RelevanceFeatures::NAMES.iter();
            let found = names.position(|known| *known == name);
            found.ok_or_else(|| {
                Error::internal(format!("the weights of relevance have no feature `{name}`"))
            })
        };
        let input = |(name, ..): &(String, f32, f32, f32)| match name.split_once('*') {
            Some((one, other)) => Ok((place(one)?, Some(place(other)?))),
            None => Ok((place(name)?, None)),
        };
        self.places = self.inputs.iter().map(input).collect::<Result<_>>()?;
        Ok(self)
    }

    /// The probability for these [values](RelevanceFeatures::values).
    pub(super) fn probability(&self, values: &[f32]) -> f64 {
        let mut sum = self.intercept;
        for ((_, weight, mean, scale), (place, other)) in self.inputs.iter().zip(&self.places) {
            let value = values[*place] * other.map_or(1.0, |other| values[other]);
            sum += weight * ((value - mean) * scale).clamp(-CLIP, CLIP);
        }
        // To a thousandth: the exponential differs in its last bits from one
        // processor to another.
        let probability = 1.0 / (1.0 + f64::from(-sum).exp());
        (probability * 1000.0).round() / 1000.0
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
    fn weights_of_an_unknown_feature_are_refused() {
        let text = FILE.replacen("\"coverage\"", "\"colour\"", 1);
        let error = Models::read(&text).unwrap_err();
        assert!(error.to_string().contains("colour"), "{error}");
    }
}
