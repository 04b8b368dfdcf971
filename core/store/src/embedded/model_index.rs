//! The vectors of one model as a projection of the records.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::embedded::model_folder::folder_name;
use crate::embedded::records::ModelRow;
use crate::error::StoreError;
use gannet_index::{Access, VectorEngine, VectorIndex, VectorSpec};

/// As for the text: asking the records at every search would cost a part of
/// the search that is felt.
const CAUGHT_UP_FOR: Duration = Duration::from_millis(100);

/// The vectors of one model.
pub(crate) struct ModelIndex {
    /// The model, as it was in the records when this was opened.
    pub(crate) model: ModelRow,
    pub(crate) index: Arc<dyn VectorIndex>,
    /// When the records were last seen to have nothing newer.
    caught_up: Mutex<Option<Instant>>,
}

impl ModelIndex {
    /// Opens the vectors in their folder. Damaged ones, and those of another
    /// database or variant, are thrown away when this process may write.
    pub(crate) fn open(
        engine: &dyn VectorEngine,
        root: &Path,
        model: &ModelRow,
        origin: &str,
        may_write: bool,
    ) -> Result<Self, StoreError> {
        let folder = root.join(folder_name(&model.name));
        let spec = spec_of(model, origin);
        let access = match may_write {
            true => Access::Write,
            false => Access::Read,
        };
        let opened = match engine.open(&folder, &spec, access) {
            Err(error) if error.is_damage() && may_write => {
                tracing::warn!(%error, model = model.name, "vectors are rebuilt from the records");
                engine.create(&folder, &spec)
            }
            opened => opened,
        };
        Ok(Self::over(model, opened?))
    }

    /// Starts without vectors, whatever was in the folder.
    pub(crate) fn create(
        engine: &dyn VectorEngine,
        root: &Path,
        model: &ModelRow,
        origin: &str,
    ) -> Result<Self, StoreError> {
        let folder = root.join(folder_name(&model.name));
        let created = engine.create(&folder, &spec_of(model, origin));
        Ok(Self::over(model, created?))
    }

    fn over(model: &ModelRow, index: Arc<dyn VectorIndex>) -> Self {
        Self {
            model: model.clone(),
            index,
            caught_up: Mutex::default(),
        }
    }

    /// Whether these are the vectors of this model, and not of one that had
    /// its name before.
    pub(crate) fn is_of(&self, model: &ModelRow) -> bool {
        self.model.model == model.model
    }

    /// Whether the records had nothing newer a moment ago.
    pub(crate) fn was_caught_up(&self) -> bool {
        let last = self.caught_up.lock();
        let last = *last.unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|at| at.elapsed() < CAUGHT_UP_FOR)
    }

    /// Notes that the records have nothing newer.
    pub(crate) fn note_caught_up(&self) {
        let last = self.caught_up.lock();
        *last.unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// What the files of a model's vectors are signed with.
pub(crate) fn spec_of(model: &ModelRow, origin: &str) -> VectorSpec {
    VectorSpec {
        model: format!("{} {} {origin} {}", model.name, model.variant, model.model),
        dimension: usize::try_from(model.dimension).unwrap_or(0),
    }
}
