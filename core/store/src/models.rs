//! What a model must be for its vectors to be used.

use gannet_api::EmbeddingModel;

use crate::error::StoreError;

/// Refuses a model that differs from the stored variant and dimension.
pub(crate) fn check_model(
    name: &str,
    (variant, dimension): (&str, i64),
    offered: &EmbeddingModel,
) -> Result<(), StoreError> {
    if variant == offered.variant
        && dimension == i64::try_from(offered.dimension).unwrap_or(i64::MAX)
    {
        return Ok(());
    }
    Err(StoreError::ModelChanged {
        name: name.to_owned(),
        stored: describe(variant, dimension),
        offered: describe(
            &offered.variant,
            i64::try_from(offered.dimension).unwrap_or(i64::MAX),
        ),
    })
}

fn describe(variant: &str, dimension: i64) -> String {
    format!("variant `{variant}` with {dimension} dimensions")
}

pub(crate) fn unknown_model(name: &str) -> StoreError {
    StoreError::UnknownModel {
        name: name.to_owned(),
    }
}
