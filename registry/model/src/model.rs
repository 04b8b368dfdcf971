//! Boosted trees and a linear model, read from a file.

use serde::Deserialize;

use crate::ModelError;

/// Two models of the same probability: the mean of their scores, which are
/// log-odds, is read off a curve.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The names of its inputs.
    features: Vec<String>,
    linear: Linear,
    trees: Vec<Tree>,
    /// Points of the curve from a score to a probability, by score.
    curve: Vec<(f32, f32)>,
    /// Which number of the caller's each input is.
    #[serde(skip)]
    places: Vec<usize>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Linear {
    intercept: f32,
    /// For each input its weight, its mean and its inverse deviation.
    weights: Vec<(f32, f32, f32)>,
}

/// A tree. Inner node `i` goes to `left[i]` where the input is at most the
/// threshold, else to `right[i]`; a negative number is leaf `-1 - n`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tree {
    inputs: Vec<u16>,
    thresholds: Vec<f32>,
    left: Vec<i16>,
    right: Vec<i16>,
    leaves: Vec<f32>,
}

impl Model {
    /// Finds the inputs among these names, and checks that every node leads
    /// somewhere.
    ///
    /// # Errors
    /// [`ModelError::UnknownFeature`] and [`ModelError::NotWhole`].
    pub fn bind(mut self, names: &[&str]) -> Result<Self, ModelError> {
        let place = |feature: &String| {
            let place = names.iter().position(|name| name == feature);
            place.ok_or_else(|| ModelError::UnknownFeature {
                name: feature.clone(),
            })
        };
        self.places = self.features.iter().map(place).collect::<Result<_, _>>()?;
        let inputs = self.features.len();
        let is_whole = self.linear.weights.len() == inputs
            && self.curve.len() >= 2
            && self.curve.is_sorted_by(|a, b| a.0 < b.0)
            && self.trees.iter().all(|tree| tree.is_whole(inputs));
        match is_whole {
            true => Ok(self),
            false => Err(ModelError::NotWhole),
        }
    }

    /// The probability of what it was trained for.
    pub fn probability(&self, values: &[f32]) -> f32 {
        on_curve(&self.curve, self.score(values))
    }

    fn score(&self, values: &[f32]) -> f32 {
        let inputs: Vec<f32> = self.places.iter().map(|place| values[*place]).collect();
        let weighed = inputs.iter().zip(&self.linear.weights);
        let linear = weighed.fold(
            self.linear.intercept,
            |sum, (value, (weight, mean, scale))| {
                sum + weight * ((value - mean) * scale).clamp(-4.0, 4.0)
            },
        );
        let trees = self.trees.iter().map(|tree| tree.leaf(&inputs));
        (linear + trees.fold(0.0, |sum, leaf| sum + leaf)) / 2.0
    }
}

impl Tree {
    fn is_whole(&self, inputs: usize) -> bool {
        let nodes = self.inputs.len();
        let leads_on = |at: usize, next: i16| match usize::try_from(next) {
            Ok(node) => node > at && node < nodes,
            Err(_) => self.leaves.len() > leaf_of(next),
        };
        let of_nodes = [self.thresholds.len(), self.left.len(), self.right.len()];
        let mut next = (0..nodes).flat_map(|at| [(at, self.left[at]), (at, self.right[at])]);
        of_nodes.iter().all(|length| *length == nodes)
            && !self.leaves.is_empty()
            && self.inputs.iter().all(|input| usize::from(*input) < inputs)
            && next.all(|(at, next)| leads_on(at, next))
    }

    fn leaf(&self, inputs: &[f32]) -> f32 {
        let mut at: i16 = if self.inputs.is_empty() { -1 } else { 0 };
        while let Ok(node) = usize::try_from(at) {
            let goes_left = inputs[usize::from(self.inputs[node])] <= self.thresholds[node];
            at = if goes_left {
                self.left[node]
            } else {
                self.right[node]
            };
        }
        self.leaves[leaf_of(at)]
    }
}

/// The leaf that a negative number stands for.
fn leaf_of(number: i16) -> usize {
    usize::from(number.unsigned_abs()) - 1
}

/// Between two points of a curve on the straight line; beyond it, the end.
fn on_curve(curve: &[(f32, f32)], at: f32) -> f32 {
    let after = curve.partition_point(|(score, _)| *score <= at);
    let (Some(low), Some(high)) = (
        after.checked_sub(1).and_then(|i| curve.get(i)),
        curve.get(after),
    ) else {
        let end = if after == 0 {
            curve.first()
        } else {
            curve.last()
        };
        return end.map_or(0.0, |(_, probability)| *probability);
    };
    low.1 + (high.1 - low.1) * (at - low.0) / (high.0 - low.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MODEL: &str = r#"{
        "features": ["b", "a"],
        "linear": {"intercept": 1.0, "weights": [[2.0, 0.0, 1.0], [0.0, 0.0, 1.0]]},
        "trees": [{"inputs": [1, 0], "thresholds": [0.5, 0.5], "left": [-1, -2],
                   "right": [1, -3], "leaves": [3.0, 5.0, 7.0]}],
        "curve": [[0.0, 0.0], [10.0, 1.0]]
    }"#;

    fn model(text: &str) -> Result<Model, ModelError> {
        serde_json::from_str::<Model>(text)
            .unwrap()
            .bind(&["a", "b"])
    }

    #[test]
    fn the_probability_is_of_the_mean_of_both_scores() {
        let model = model(MODEL).unwrap();
        // Linear 1, leaf 3; then linear 3, leaf 7.
        assert!((model.probability(&[0.0, 0.0]) - 0.2).abs() < 1e-6);
        assert!((model.probability(&[1.0, 1.0]) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn weights_of_other_features_are_refused() {
        let error = model(&MODEL.replace("\"b\"", "\"gone\"")).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }

    #[test]
    fn a_tree_that_leads_nowhere_is_refused() {
        for broken in [
            "\"right\": [1, -4]",
            "\"right\": [0, -3]",
            "\"right\": [2, -3]",
        ] {
            let text = MODEL.replace("\"right\": [1, -3]", broken);
            assert!(model(&text).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_curve_ends_flat() {
        let curve = [(0.0, 0.1), (1.0, 0.9)];
        assert!((on_curve(&curve, -5.0) - 0.1).abs() < 1e-6);
        assert!((on_curve(&curve, 5.0) - 0.9).abs() < 1e-6);
        assert!((on_curve(&curve, 0.5) - 0.5).abs() < 1e-6);
    }
}
