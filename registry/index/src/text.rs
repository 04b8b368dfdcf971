//! A text index: what an engine implements, and what it answers.
//!
//! An engine opens the index of a folder. What is opened is searched by many
//! callers at once and never changes but by [`reload`](TextIndex::reload); one
//! [`TextWriter`] at a time follows the changes of the records.

use std::path::Path;
use std::sync::Arc;

use gannet_analysis::Marks;
use gannet_api::{Diagnostic, Filter, Hit};

use crate::bitmap::Bitmap;
use crate::changes::{RowBatch, TextChanges};
use crate::contents::{BrokenSegment, Contents, Depth};
use crate::error::IndexError;
use crate::field_values::FieldValues;
use crate::field_weights::FieldWeights;
use crate::matches::{MatchRequest, Matching};
use crate::position::Position;
use crate::text_request::TextRequest;
use crate::verified_files::VerifiedFiles;

/// What a search of a text index found.
#[derive(Debug, Default)]
pub struct TextHits {
    /// The hits in order.
    pub hits: Vec<Hit>,
    /// Notes for the result.
    pub diagnostics: Vec<Diagnostic>,
    /// What is to be marked in the texts.
    pub marks: Marks,
}

/// A text index as it is searched.
pub trait TextIndex: Send + Sync {
    /// How far the last commit got, whoever made it; `None` before the first.
    ///
    /// # Errors
    /// What is on disk cannot be read.
    fn position(&self) -> Result<Option<Position>, IndexError>;

    /// Begins to write where the last commit ended. One process at a time does.
    ///
    /// # Errors
    /// It cannot be written.
    fn writer(&self, position: Position) -> Result<Box<dyn TextWriter>, IndexError>;

    /// Shows searches what the last commit brought.
    ///
    /// # Errors
    /// What is on disk cannot be read; searches go on with what they saw before.
    fn reload(&self) -> Result<(), IndexError>;

    /// Another number after every reload that showed something new, and for every
    /// index that is opened in this process. The highest bit is not set.
    fn generation(&self) -> u64;

    /// Entries that can be found, of all tenants.
    fn entries(&self) -> u64;

    /// Searches the texts of a tenant.
    ///
    /// # Errors
    /// [`IndexError::is_suspicious`] when it fails as it does on damaged files.
    fn search(&self, tenant: &str, request: &TextRequest) -> Result<TextHits, IndexError>;

    /// The rows of the records that belong to the tenant and pass the filter;
    /// `None` when all indexed ones do.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    fn allowed_rows(&self, tenant: &str, filter: &Filter) -> Result<Option<Bitmap>, IndexError>;

    /// Every entry that matches the whole query or, when there is none, every
    /// entry with some of its words.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    fn matching(&self, _tenant: &str, _request: &MatchRequest) -> Result<Matching, IndexError> {
        Err(IndexError::Unsupported {
            action: "count matches",
        })
    }

    /// The values of every field of a tenant's entries that has at most `most`
    /// of them.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    fn field_values(&self, _tenant: &str, _most: usize) -> Result<Vec<FieldValues>, IndexError> {
        Err(IndexError::Unsupported {
            action: "list the values of fields",
        })
    }

    /// In how many entries each word is, of all tenants, stemmed as those of
    /// texts; deleted entries may be counted for a while.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    fn document_counts(&self, words: &[String]) -> Result<Vec<u64>, IndexError>;

    /// The inverse document frequency of each word; of one that the analyser
    /// splits, that of its rarest part.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    fn idfs(&self, words: &[String]) -> Result<Vec<f64>, IndexError>;
}

/// Follows the changes of the records.
///
/// After an error of any call nobody knows what the writer holds: it must be
/// dropped, and a new one begin where the last commit ended.
pub trait TextWriter: Send {
    /// The last change that was applied, committed or not.
    fn applied(&self) -> i64;

    /// The last change that is on disk.
    fn committed(&self) -> i64;

    /// Entries changed since the last commit.
    fn uncommitted(&self) -> usize;

    /// Whether so much waits to be indexed that memory must be freed.
    fn is_full(&self) -> bool;

    /// Whether entries up to [`applied`](Self::applied) are missing.
    fn is_incomplete(&self) -> bool;

    /// Takes changes over. They are found after [`commit`](Self::commit).
    ///
    /// # Errors
    /// They could not be, or not all of them.
    fn apply(&mut self, changes: &TextChanges) -> Result<(), IndexError>;

    /// Takes entries over that are missing though their changes were applied.
    ///
    /// # Errors
    /// As for [`apply`](Self::apply).
    fn restore(&mut self, batch: &RowBatch) -> Result<(), IndexError>;

    /// Nothing is missing any more once this is committed.
    fn complete(&mut self);

    /// Puts what was applied on disk, with the position.
    ///
    /// # Errors
    /// What is on disk is the last commit, or this one.
    fn commit(&mut self) -> Result<(), IndexError>;

    /// Ends what goes on in the background.
    ///
    /// # Errors
    /// It failed; nothing that was committed is lost.
    fn finish(self: Box<Self>) -> Result<(), IndexError>;
}

/// An index that was opened to be written.
pub struct RecoveredText {
    /// The index, without segments that are damaged.
    pub text: Arc<dyn TextIndex>,
    /// How far it got; `None` before the first commit.
    pub position: Option<Position>,
    /// Segments that were taken out.
    pub broken: Vec<BrokenSegment>,
}

/// Makes and opens text indexes, each in a folder of its own.
///
/// `verified` lists the files that were compared with their checksums: an engine
/// reads those that are new, and notes them.
pub trait TextEngine: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &'static str;

    /// An index in memory that finds nothing, until there is one on disk.
    ///
    /// # Errors
    /// The engine does not start.
    fn nothing(&self, weights: FieldWeights) -> Result<Arc<dyn TextIndex>, IndexError>;

    /// Makes an empty index; whatever is in the folder goes away.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn create(
        &self,
        folder: &Path,
        weights: FieldWeights,
    ) -> Result<Arc<dyn TextIndex>, IndexError>;

    /// Opens what is there to read it. Nothing is written.
    ///
    /// # Errors
    /// [`IndexError::is_damage`] when it is damaged or of another version.
    fn open(
        &self,
        folder: &Path,
        weights: FieldWeights,
        verified: &mut VerifiedFiles,
    ) -> Result<Arc<dyn TextIndex>, IndexError>;

    /// Opens what is there to write it. A damaged segment is taken out, and the
    /// position says that entries are missing.
    ///
    /// # Errors
    /// [`IndexError::is_damage`] when the index as a whole is lost.
    fn recover(
        &self,
        folder: &Path,
        weights: FieldWeights,
        verified: &mut VerifiedFiles,
    ) -> Result<RecoveredText, IndexError>;

    /// Compares files that are not listed yet with their checksums.
    ///
    /// # Errors
    /// [`IndexError::is_damage`] when one of them is damaged.
    fn verify(&self, folder: &Path, verified: &mut VerifiedFiles) -> Result<(), IndexError>;

    /// Reads what is in the index of a folder without changing anything, while
    /// another process may write it. Rows above `highest`, which no entry has,
    /// are [`Contents::unknown`].
    ///
    /// # Errors
    /// An index without a readable list of its segments, one of another version,
    /// and files that cannot be read now.
    fn contents(
        &self,
        _folder: &Path,
        _depth: Depth,
        _highest: usize,
    ) -> Result<Contents, IndexError> {
        Err(IndexError::Unsupported {
            action: "be compared with the records",
        })
    }
}
