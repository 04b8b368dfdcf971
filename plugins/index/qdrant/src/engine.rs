//! The engine as the contract of indexes has it.

use std::path::Path;
use std::sync::Arc;

use gannet_api::inventory;
use gannet_index::{Access, IndexError, Registration, VectorEngine, VectorIndex, VectorSpec};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::client::Client;
use super::collection::{Collection, Counts, State};
use super::error::QdrantError;
use super::index::{Place, QdrantIndex};
use super::marker::{Marker, moved, of_others};
use super::settings::Settings;

/// Vector indexes in collections of Qdrant. It does not know a server before it
/// has settings.
#[derive(Debug, Clone, Copy)]
pub struct QdrantEngine;

const NAME: &str = "qdrant";
/// How often an index is opened that another process writes meanwhile.
const TRIES: usize = 5;
/// Letters of the folder's name in that of a collection.
const LONGEST_NAME: usize = 60;

inventory::submit! { Registration::Vectors(&QdrantEngine) }

/// An engine that knows its server.
#[derive(Debug)]
struct Configured {
    client: Arc<Client>,
    settings: Arc<Settings>,
}

fn invalid(reason: String) -> IndexError {
    IndexError::InvalidSettings {
        engine: NAME,
        reason,
    }
}

fn unset() -> IndexError {
    invalid("`url` is not set".to_owned())
}

impl VectorEngine for QdrantEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn with_settings(
        &self,
        settings: &Map<String, Value>,
    ) -> Result<Option<Arc<dyn VectorEngine>>, IndexError> {
        let settings = serde_json::from_value::<Settings>(Value::Object(settings.clone()));
        let settings = settings.map_err(|error| invalid(error.to_string()))?;
        if let Some(fault) = settings.fault() {
            return Err(invalid(fault));
        }
        let client = Client::new(&settings).map_err(|error| match error {
            QdrantError::Outbound(error) => invalid(format!("`url`: {error}")),
            error => error.into(),
        })?;
        Ok(Some(Arc::new(Configured {
            client: Arc::new(client),
            settings: Arc::new(settings),
        })))
    }

    fn open(
        &self,
        _: &Path,
        _: &VectorSpec,
        _: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        Err(unset())
    }

    fn create(&self, _: &Path, _: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError> {
        Err(unset())
    }
}

impl VectorEngine for Configured {
    fn name(&self) -> &'static str {
        NAME
    }

    fn open(
        &self,
        folder: &Path,
        spec: &VectorSpec,
        _: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        let place = Place::now(folder);
        let Some(marker) = Marker::read(folder)? else {
            let collection = self.collection(folder, &spec.model);
            return Ok(Arc::new(QdrantIndex::absent(collection, place, spec)));
        };
        if !marker.is_of(spec) {
            return Err(of_others(folder).into());
        }
        let collection = self.collection(folder, &spec.model);
        if marker.collection != collection.name {
            return Err(moved(folder).into());
        }
        let (state, counts) = whole_state(&collection, spec)?;
        let index = QdrantIndex::over(collection, place, spec, &state, counts);
        Ok(Arc::new(index))
    }

    fn create(&self, folder: &Path, spec: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError> {
        // What the folder had of another model. A collection under another name
        // than the settings give it may be in use by a copy of this store.
        if let Ok(Some(before)) = Marker::read(folder) {
            let other = self.collection(folder, &before.model);
            if other.name == before.collection {
                other.remove()?;
            }
        }
        let collection = self.collection(folder, &spec.model);
        let index = QdrantIndex::absent(collection, Place::now(folder), spec);
        index.make()?;
        Ok(Arc::new(index))
    }
}

impl Configured {
    /// The collection of a folder. Its name has a digest of the model and the
    /// records, so that stores which share a server do not share a collection,
    /// and one that was left behind is found again.
    fn collection(&self, folder: &Path, model: &str) -> Collection {
        let folder = folder.file_name().unwrap_or_default().to_string_lossy();
        let digest = Sha256::digest(format!("{folder}\0{model}").as_bytes());
        let digest: String = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let plain = |letter: char| match letter.is_ascii_alphanumeric() || "-.".contains(letter) {
            true => letter,
            false => '_',
        };
        let readable: String = folder.chars().take(LONGEST_NAME).map(plain).collect();
        Collection {
            client: Arc::clone(&self.client),
            name: format!("{}-{readable}-{digest}", self.settings.collection),
            settings: Arc::clone(&self.settings),
        }
    }
}

/// How far a collection got, and what it has, while another process may be
/// writing it: as many points as it says are there before or after a commit, and
/// not between.
fn whole_state(collection: &Collection, spec: &VectorSpec) -> Result<(State, Counts), QdrantError> {
    let mut state = readable_state(collection, spec)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let counts = collection.count_all()?;
        let now = readable_state(collection, spec)?;
        if now == state || tries == TRIES {
            collection.check_counts(&now, counts)?;
            return Ok((now, counts));
        }
        state = now;
    }
}

fn readable_state(collection: &Collection, spec: &VectorSpec) -> Result<State, QdrantError> {
    let state = collection.state()?;
    match state.is_of(spec) {
        true => Ok(state),
        false => Err(collection.damaged("has vectors of another model or of other records")),
    }
}
