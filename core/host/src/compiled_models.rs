//! Learned models whose weights are compiled in.

use std::sync::OnceLock;

use gannet_api::{Error, ModelCard, Result};
use gannet_model::{Model, ModelError, check_version};
use serde::de::DeserializeOwned;

/// The models of a cell, read once.
///
/// # Errors
/// Those of reading.
pub(crate) fn read_once<M>(cell: &OnceLock<M>, read: impl FnOnce() -> Result<M>) -> Result<&M> {
    if let Some(models) = cell.get() {
        return Ok(models);
    }
    let models = read()?;
    Ok(cell.get_or_init(|| models))
}

/// The models of a file of weights. `of` names them, as their folder under
/// `training` does.
///
/// # Errors
/// [`Error::Internal`] for a file of another form.
pub(crate) fn parsed<M: DeserializeOwned>(of: &str, text: &str) -> Result<M> {
    let models = serde_json::from_str(text);
    models.map_err(|error| Error::internal(format!("the weights of {of}: {error}")))
}

/// The card of a file of weights, with the size of the file.
///
/// # Errors
/// [`Error::Internal`] for weights of another version of the features.
pub(crate) fn checked_card(
    of: &str,
    card: ModelCard,
    version: u32,
    text: &str,
) -> Result<ModelCard> {
    check_version(card.features_version, version).map_err(|error| unfit(of, &error))?;
    Ok(card.with_bytes(text.len() as u64))
}

/// A model over the features that the code computes.
///
/// # Errors
/// [`Error::Internal`] for a feature that the code does not have.
pub(crate) fn bound(of: &str, model: Model, features: &[&str]) -> Result<Model> {
    model.bind(features).map_err(|error| unfit(of, &error))
}

fn unfit(of: &str, error: &ModelError) -> Error {
    Error::internal(format!(
        "the weights of {of}, see training/{of}/README.md: {error}"
    ))
}
