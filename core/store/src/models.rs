//! What a model must be for its vectors to be used.

use gannet_api::{EmbeddingModel, Enhanced, PassageEmbedding, PassageEmbeddings};

use crate::error::StoreError;
use crate::request::WorkedOn;
use gannet_vectors::{MAX_DIMENSION, are_signs_of};

/// Most bytes that a model's name can have.
pub(crate) const MAX_MODEL_NAME: usize = 255;

/// Refuses a model whose vectors no store can hold.
pub(crate) fn check_new_model(offered: &EmbeddingModel) -> Result<(), StoreError> {
    let refuse = |reason: String| {
        Err(StoreError::InvalidModel {
            name: offered.name.chars().take(60).collect(),
            reason,
        })
    };
    if offered.name.trim().is_empty() {
        return refuse("it has no name".to_owned());
    }
    if offered.name.len() > MAX_MODEL_NAME {
        let bytes = offered.name.len();
        return refuse(format!(
            "its name has {bytes} bytes, where {MAX_MODEL_NAME} are possible"
        ));
    }
    match (1..=MAX_DIMENSION).contains(&offered.dimension) {
        true => Ok(()),
        false => refuse(format!(
            "its vectors have {} dimensions, where 1 to {MAX_DIMENSION} are possible",
            offered.dimension
        )),
    }
}

/// Refuses a stored model whose vectors no index can hold: an older program
/// took it.
pub(crate) fn check_stored_model(name: &str, dimension: i64) -> Result<(), StoreError> {
    let is_usable = usize::try_from(dimension).is_ok_and(|it| (1..=MAX_DIMENSION).contains(&it));
    match is_usable {
        true => Ok(()),
        false => Err(StoreError::InvalidModel {
            name: name.to_owned(),
            reason: format!(
                "its vectors have {dimension} dimensions, where 1 to {MAX_DIMENSION} are \
                 possible; `gannet enhance --force` forgets it"
            ),
        }),
    }
}

/// The models, by name and dimension, whose vectors no store can hold.
pub(crate) fn unusable_models(models: impl IntoIterator<Item = (String, i64)>) -> Vec<String> {
    let is_usable = |name: &str, dimension: i64| {
        check_stored_model(name, dimension).is_ok() && name.len() <= MAX_MODEL_NAME
    };
    models
        .into_iter()
        .filter(|(name, dimension)| !is_usable(name, *dimension))
        .map(|(name, _)| name)
        .collect()
}

/// Characters that count as blank, as `char::is_whitespace` has them.
pub(crate) const WHITESPACE: &str = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\
    \u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\
    \u{202f}\u{205f}\u{3000}";

/// Refuses the vector of a question that nothing can be compared with.
pub(crate) fn check_finite(vector: &[f32]) -> Result<(), StoreError> {
    if vector.iter().all(|number| number.is_finite()) {
        return Ok(());
    }
    Err(StoreError::InvalidRequest {
        message: "the question's vector holds a number that is not finite; the embedding \
                  provider that made it is broken"
            .to_owned(),
    })
}

/// Makes a failure of every outcome with vectors that cannot be stored: those
/// that hold numbers that are not finite, and token vectors of other
/// dimensions. [`Store::save_enhanced`] does it too.
///
/// [`Store::save_enhanced`]: crate::Store::save_enhanced
pub fn fail_unusable(mut outcomes: Vec<(WorkedOn, Enhanced)>) -> Vec<(WorkedOn, Enhanced)> {
    for (_, enhanced) in &mut outcomes {
        let patch = enhanced.outcome.as_ref().ok();
        let embeddings = patch.and_then(|patch| patch.embeddings.as_ref());
        if let Some(reason) = embeddings.and_then(unusable) {
            enhanced.outcome = Err(reason);
        }
    }
    outcomes
}

/// Why the vectors of an entry cannot be stored; `None` when they can.
fn unusable(offered: &PassageEmbeddings) -> Option<String> {
    let is_broken = |vector: &[f32]| !vector.iter().all(|number| number.is_finite());
    let is_cut = |passage: &PassageEmbedding| {
        let signs = passage.token_signs.as_deref().unwrap_or_default();
        !are_signs_of(signs, passage.vector.len())
    };
    if let Some(first) = offered.passages.iter().position(is_cut) {
        return Some(format!(
            "the token vectors of passage {first} by model `{}` do not have the dimensions of its \
             vector; the enhancement module that made them is broken",
            offered.model
        ));
    }
    let mut passages = offered.passages.iter();
    let first = passages.position(|passage| is_broken(&passage.vector))?;
    Some(format!(
        "the vector of passage {first} by model `{}` holds a number that is not finite; the \
         embedding provider that made it is broken",
        offered.model
    ))
}

/// How many passages have token vectors.
pub(crate) fn with_tokens(passages: &[PassageEmbedding]) -> usize {
    let have_them = passages.iter();
    have_them
        .filter(|passage| passage.token_signs.is_some())
        .count()
}

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

#[cfg(test)]
mod tests {
    use super::WHITESPACE;

    #[test]
    fn what_counts_as_blank_is_what_rust_calls_whitespace() {
        let all: String = ('\0'..=char::MAX)
            .filter(|character| character.is_whitespace())
            .collect();
        assert_eq!(all, WHITESPACE);
    }
}
