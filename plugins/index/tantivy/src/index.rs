//! The index in its folder: opening, and telling how far it got.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tantivy::{Directory, Index, IndexReader, IndexSettings, ReloadPolicy};

use super::directory::TextDirectory;
use super::error::{TextContext, TextError, catch_panic};
use super::filter::Filters;
use super::payload::position_of;
use super::schema::{Fields, register_analysers, schema};
use gannet_index::{FieldWeights, Position};

/// The text index as it is searched.
pub struct TantivyIndex {
    pub(super) index: Index,
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    pub(super) filters: Filters,
    pub(super) weights: FieldWeights,
    /// Tells what was opened first from what was opened later.
    opened: u64,
}

static OPENED: AtomicU64 = AtomicU64::new(0);

impl TantivyIndex {
    /// Opens what is there. An index with another schema, or a damaged one,
    /// is an error.
    pub fn open(folder: &Path, weights: FieldWeights) -> Result<Self, TextError> {
        let index = Self::open_unread(folder)?;
        let (wanted, fields) = schema();
        if index.schema() != wanted {
            return Err(tantivy::TantivyError::SchemaError(
                "its fields are those of another version".to_owned(),
            ))
            .doing("use what is");
        }
        Self::over(index, fields, weights)
    }

    /// Opens the list of segments, but none of them.
    pub(super) fn open_unread(folder: &Path) -> Result<Index, TextError> {
        let directory = open_directory(folder)?;
        catch_panic("open it", || Index::open(directory).doing("open it"))
    }

    /// Makes an empty index; whatever is in the folder goes away.
    pub fn create(folder: &Path, weights: FieldWeights) -> Result<Self, TextError> {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(TextError::io("clear", folder, error));
            }
            _ => {}
        }
        std::fs::create_dir_all(folder).map_err(|error| TextError::io("make", folder, error))?;
        let directory = open_directory(folder)?;
        let (schema, fields) = schema();
        let settings = IndexSettings {
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let index = Index::create(directory, schema, settings).doing("make it")?;
        Self::over(index, fields, weights)
    }

    /// An index in memory that finds nothing, until there is one on disk.
    pub fn nothing(weights: FieldWeights) -> Result<Self, TextError> {
        let (schema, fields) = schema();
        Self::over(Index::create_in_ram(schema), fields, weights)
    }

    fn over(index: Index, fields: Fields, weights: FieldWeights) -> Result<Self, TextError> {
        register_analysers(&index);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .doing("read it")?;
        Ok(Self {
            index,
            reader,
            fields,
            filters: Filters::default(),
            weights,
            opened: OPENED.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// How far the last commit got, whoever made it; `None` before the first.
    pub fn position(&self) -> Result<Option<Position>, TextError> {
        let metas = self.index.load_metas().doing("read how far it got")?;
        Ok(metas.payload.as_deref().and_then(position_of))
    }

    /// Shows searches what the last commit brought.
    pub fn reload(&self) -> Result<(), TextError> {
        catch_panic("reload it", || self.reader.reload().doing("reload it"))
    }

    /// Entries that can be found.
    pub fn entries(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Another number after every reload that showed something new.
    pub fn generation(&self) -> u64 {
        // An index that is opened again begins to count anew.
        (self.opened << 32) | self.reader.searcher().generation().generation_id()
    }
}

fn open_directory(folder: &Path) -> Result<Box<dyn Directory>, TextError> {
    let directory = TextDirectory::open(folder)
        .map_err(tantivy::TantivyError::from)
        .doing("open the folder")?;
    #[cfg(debug_assertions)]
    let directory = super::faults::FaultyDirectory::over(directory, folder);
    Ok(Box::new(directory))
}
