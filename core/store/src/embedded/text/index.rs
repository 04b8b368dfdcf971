//! The index in its folder: opening, and telling how far it got.

use std::path::Path;

use tantivy::directory::MmapDirectory;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy};

use super::filter::Filters;
use super::schema::{Fields, register_analysers, schema};
use crate::error::{StoreError, TextContext};
use crate::options::FieldWeights;

/// Which database an index follows, and how far it got. It is part of every
/// commit, as its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    /// The database's name.
    pub(crate) origin: String,
    /// The last change that is in the index.
    pub(crate) applied: i64,
    /// The mark of that change in the records; an older program kept none.
    pub(crate) mark: Option<i64>,
}

impl Position {
    pub(super) fn write(&self) -> String {
        let mark = self.mark.map_or(String::new(), |mark| format!(" {mark}"));
        format!("{} {}{mark}", self.origin, self.applied)
    }

    fn read(payload: &str) -> Option<Self> {
        let mut parts = payload.split(' ');
        Some(Self {
            origin: parts.next()?.to_owned(),
            applied: parts.next()?.parse().ok()?,
            mark: parts.find_map(|part| part.parse().ok()),
        })
    }
}

/// The text index as it is searched.
pub(crate) struct TextIndex {
    pub(super) index: Index,
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    pub(super) filters: Filters,
    pub(super) weights: FieldWeights,
}

impl TextIndex {
    /// Opens what is there. An index with another schema, or a damaged one,
    /// is an error.
    pub(crate) fn open(folder: &Path, weights: FieldWeights) -> Result<Self, StoreError> {
        let directory = MmapDirectory::open(folder)
            .map_err(tantivy::TantivyError::from)
            .doing("open the folder")?;
        let index = Index::open(directory).doing("open it")?;
        let (wanted, fields) = schema();
        if index.schema() != wanted {
            return Err(tantivy::TantivyError::SchemaError(
                "its fields are those of another version".to_owned(),
            ))
            .doing("use what is");
        }
        Self::over(index, fields, weights)
    }

    /// Makes an empty index; whatever is in the folder goes away.
    pub(crate) fn create(folder: &Path, weights: FieldWeights) -> Result<Self, StoreError> {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io("clear", folder, error));
            }
            _ => {}
        }
        std::fs::create_dir_all(folder).map_err(|error| StoreError::io("make", folder, error))?;
        let directory = MmapDirectory::open(folder)
            .map_err(tantivy::TantivyError::from)
            .doing("open the folder")?;
        let (schema, fields) = schema();
        let settings = IndexSettings {
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let index = Index::create(directory, schema, settings).doing("make it")?;
        Self::over(index, fields, weights)
    }

    /// An index in memory that finds nothing, until there is one on disk.
    pub(crate) fn nothing(weights: FieldWeights) -> Result<Self, StoreError> {
        let (schema, fields) = schema();
        Self::over(Index::create_in_ram(schema), fields, weights)
    }

    fn over(index: Index, fields: Fields, weights: FieldWeights) -> Result<Self, StoreError> {
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
        })
    }

    /// How far the last commit got, whoever made it; `None` before the first.
    pub(crate) fn position(&self) -> Result<Option<Position>, StoreError> {
        let metas = self.index.load_metas().doing("read how far it got")?;
        Ok(metas.payload.as_deref().and_then(Position::read))
    }

    /// Shows searches what the last commit brought.
    pub(crate) fn reload(&self) -> Result<(), StoreError> {
        self.reader.reload().doing("reload it")
    }

    /// Entries that can be found.
    pub(crate) fn entries(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Rises with every reload that showed something new.
    pub(crate) fn generation(&self) -> u64 {
        self.reader.searcher().generation().generation_id()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_position_survives_the_way_through_a_payload() {
        for mark in [None, Some(-5)] {
            let position = Position {
                origin: "00ff".to_owned(),
                applied: 17,
                mark,
            };
            assert_eq!(Position::read(&position.write()), Some(position));
        }
        assert_eq!(Position::read("17"), None);
    }
}
