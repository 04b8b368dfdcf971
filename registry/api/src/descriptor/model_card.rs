//! Where a model comes from, as its provider states it.

use serde::{Deserialize, Serialize};

use crate::readable::known;
use crate::setters::setters;

/// What a model is, and where it comes from: a statement for those who decide
/// whether it may be used. What is empty is not stated. Since contract 2.1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelCard {
    /// Its name.
    pub name: String,
    /// What it computes.
    pub purpose: String,
    /// Where its weights come from.
    pub source: String,
    /// Its licence, as an SPDX expression where there is one.
    pub license: String,
    /// What it was trained on.
    #[serde(deserialize_with = "known")]
    pub trained_on: Vec<TrainingData>,
    /// The languages that it is for, as codes of ISO 639-1.
    pub languages: Vec<String>,
    /// The command that makes its file.
    pub made_by: String,
    /// The day on which its weights were trained, as `2026-11-28`.
    pub trained: String,
    /// The machine that trained them, which may change their last digits.
    pub machine: String,
    /// The version of the features that it reads, where they have one.
    pub features_version: Option<u32>,
    /// Bytes of its weights; 0 where they are not known.
    pub bytes: u64,
}

impl ModelCard {
    /// A model of which nothing but its name is stated.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

setters!(ModelCard {
    with_purpose(purpose: impl Into<String>),
    with_source(source: impl Into<String>),
    with_license(license: impl Into<String>),
    with_trained_on(trained_on: Vec<TrainingData>),
    with_languages(languages: Vec<String>),
    with_made_by(made_by: impl Into<String>),
    with_trained(trained: impl Into<String>),
    with_machine(machine: impl Into<String>),
    with_features_version(features_version: impl Into<Option<u32>>),
    with_bytes(bytes: u64),
});

/// Data that a model was trained on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TrainingData {
    /// Its name.
    pub name: String,
    /// Its licence.
    pub license: String,
    /// What of it was used.
    pub what: String,
}

impl TrainingData {
    /// Data of this name under this licence, and what of it was used.
    pub fn new(
        name: impl Into<String>,
        license: impl Into<String>,
        what: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            license: license.into(),
            what: what.into(),
        }
    }
}
