//! Which engines are linked into the program.
//!
//! An engine registers itself where it is defined:
//!
//! ```ignore
//! gannet_api::inventory::submit! { gannet_index::Registration::Text(&MyEngine) }
//! ```

use std::path::Path;
use std::sync::Arc;

use gannet_api::inventory;
use serde_json::{Map, Value};

use crate::error::IndexError;
use crate::text::TextEngine;
use crate::vectors::{Access, VectorEngine, VectorIndex, VectorSpec};

/// An engine that is linked into the program.
#[derive(Clone, Copy)]
pub enum Registration {
    /// Searches texts.
    Text(&'static dyn TextEngine),
    /// Searches vectors.
    Vectors(&'static dyn VectorEngine),
}

inventory::collect!(Registration);

/// The text engine of this name.
///
/// # Errors
/// [`IndexError::UnknownEngine`].
pub fn text_engine(name: &str) -> Result<&'static dyn TextEngine, IndexError> {
    let engines = linked(|engine| match engine {
        Registration::Text(engine) => Some((engine.name(), *engine)),
        Registration::Vectors(_) => None,
    });
    find("text", name, engines)
}

/// The vector engine of this name.
///
/// # Errors
/// [`IndexError::UnknownEngine`].
pub fn vector_engine(name: &str) -> Result<&'static dyn VectorEngine, IndexError> {
    let engines = linked(|engine| match engine {
        Registration::Vectors(engine) => Some((engine.name(), *engine)),
        Registration::Text(_) => None,
    });
    find("vector", name, engines)
}

/// The vector engine of this name with its settings.
///
/// # Errors
/// [`IndexError::UnknownEngine`], [`IndexError::InvalidSettings`].
pub fn configured_vector_engine(
    name: &str,
    settings: &Map<String, Value>,
) -> Result<Arc<dyn VectorEngine>, IndexError> {
    let linked = vector_engine(name)?;
    let configured = linked.with_settings(settings)?;
    Ok(configured.unwrap_or_else(|| Arc::new(linked)))
}

/// An engine that is used as it is linked.
impl VectorEngine for &'static dyn VectorEngine {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn open(
        &self,
        folder: &Path,
        spec: &VectorSpec,
        access: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        (**self).open(folder, spec, access)
    }

    fn create(&self, folder: &Path, spec: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError> {
        (**self).create(folder, spec)
    }
}

fn linked<E>(engine: impl Fn(&Registration) -> Option<E>) -> Vec<E> {
    let all = inventory::iter::<Registration>.into_iter();
    all.filter_map(engine).collect()
}

fn find<E>(
    index: &'static str,
    name: &str,
    engines: Vec<(&'static str, E)>,
) -> Result<E, IndexError> {
    let mut known: Vec<&str> = engines.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    let known = match known.is_empty() {
        true => "none".to_owned(),
        false => known.join(", "),
    };
    let mut engines = engines.into_iter();
    let found = engines.find(|(engine, _)| *engine == name);
    found
        .map(|(_, engine)| engine)
        .ok_or_else(|| IndexError::UnknownEngine {
            index,
            name: name.to_owned(),
            known,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_not_linked_is_an_error_that_names_those_that_are() {
        let found = find("text", "b", vec![("c", 3), ("b", 2)]);
        assert!(matches!(found, Ok(2)));
        let missing = find("text", "d", vec![("c", 3), ("b", 2)]);
        let message = missing.err().map(|error| error.to_string());
        assert!(message.is_some_and(|message| message.contains("which has: b, c")));
        assert!(text_engine("d").is_err() && vector_engine("d").is_err());
    }
}
