//! The engine and its index as the contract of indexes has them. tantivy panics
//! on some files that are damaged: every call catches that.

use std::path::Path;
use std::sync::Arc;

use gannet_api::{Filter, inventory};
use gannet_index::{
    Bitmap, Contents, Depth, FieldValues, FieldWeights, IndexError, MatchRequest, Matching,
    Position, RecoveredText, Registration, TextEngine, TextHits, TextIndex, TextRequest,
    TextWriter, VerifiedFiles,
};

use super::contents::contents;
use super::error::catch_panic;
use super::index::TantivyIndex;
use super::recovery::recover;
use super::verified::verify_files;
use super::writer::TantivyWriter;

/// Text indexes in tantivy.
#[derive(Debug, Clone, Copy)]
pub struct TantivyEngine;

inventory::submit! { Registration::Text(&TantivyEngine) }

impl TextEngine for TantivyEngine {
    fn name(&self) -> &'static str {
        "tantivy"
    }

    fn nothing(&self, weights: FieldWeights) -> Result<Arc<dyn TextIndex>, IndexError> {
        Ok(Arc::new(TantivyIndex::nothing(weights)?))
    }

    fn create(
        &self,
        folder: &Path,
        weights: FieldWeights,
    ) -> Result<Arc<dyn TextIndex>, IndexError> {
        Ok(Arc::new(TantivyIndex::create(folder, weights)?))
    }

    fn open(
        &self,
        folder: &Path,
        weights: FieldWeights,
        verified: &mut VerifiedFiles,
    ) -> Result<Arc<dyn TextIndex>, IndexError> {
        verify_files(verified, folder)?;
        Ok(Arc::new(TantivyIndex::open(folder, weights)?))
    }

    fn recover(
        &self,
        folder: &Path,
        weights: FieldWeights,
        verified: &mut VerifiedFiles,
    ) -> Result<RecoveredText, IndexError> {
        Ok(recover(folder, weights, verified)?)
    }

    fn verify(&self, folder: &Path, verified: &mut VerifiedFiles) -> Result<(), IndexError> {
        Ok(verify_files(verified, folder)?)
    }

    fn contents(
        &self,
        folder: &Path,
        depth: Depth,
        highest: usize,
    ) -> Result<Contents, IndexError> {
        Ok(contents(folder, depth, highest)?)
    }
}

impl TextIndex for TantivyIndex {
    fn position(&self) -> Result<Option<Position>, IndexError> {
        Ok(TantivyIndex::position(self)?)
    }

    fn writer(&self, position: Position) -> Result<Box<dyn TextWriter>, IndexError> {
        Ok(Box::new(TantivyWriter::new(self, position)?))
    }

    fn reload(&self) -> Result<(), IndexError> {
        Ok(TantivyIndex::reload(self)?)
    }

    fn generation(&self) -> u64 {
        TantivyIndex::generation(self)
    }

    fn entries(&self) -> u64 {
        TantivyIndex::entries(self)
    }

    fn search(&self, tenant: &str, request: &TextRequest) -> Result<TextHits, IndexError> {
        let search = || TantivyIndex::search(self, tenant, request);
        Ok(catch_panic("search", search)?)
    }

    fn allowed_rows(&self, tenant: &str, filter: &Filter) -> Result<Option<Bitmap>, IndexError> {
        let find = || TantivyIndex::allowed_rows(self, tenant, filter);
        Ok(catch_panic("apply a filter", find)?)
    }

    fn matching(&self, tenant: &str, request: &MatchRequest) -> Result<Matching, IndexError> {
        let find = || TantivyIndex::matching(self, tenant, request);
        Ok(catch_panic("search", find)?)
    }

    fn field_values(&self, tenant: &str, most: usize) -> Result<Vec<FieldValues>, IndexError> {
        let list = || TantivyIndex::field_values(self, tenant, most);
        Ok(catch_panic("list values", list)?)
    }

    fn document_counts(&self, words: &[String]) -> Result<Vec<u64>, IndexError> {
        let count = || TantivyIndex::document_counts(self, words);
        Ok(catch_panic("count words", count)?)
    }

    fn idfs(&self, words: &[String]) -> Result<Vec<f64>, IndexError> {
        let count = || TantivyIndex::idfs(self, words);
        Ok(catch_panic("count entries with a word", count)?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::TantivyEngine;

    #[test]
    fn it_keeps_the_contract_of_indexes() {
        let folder = tempfile::tempdir().unwrap();
        gannet_index::conformance::check_text(&TantivyEngine, folder.path());
    }
}
