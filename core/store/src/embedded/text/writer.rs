//! Writing the index. One process at a time does.

use tantivy::{IndexWriter, Term};

use super::document::document_of;
use super::index::{Position, TextIndex};
use super::schema::Fields;
use crate::embedded::records::TextChanges;
use crate::error::{StoreError, TextContext};

/// Bytes that the writer fills before it writes a segment.
const BUFFER: usize = 128 << 20;

/// Follows the changes of the records.
pub(crate) struct TextWriter {
    writer: IndexWriter,
    fields: Fields,
    /// Which database is followed, and what has been given to the writer.
    position: Position,
    committed: i64,
    uncommitted: usize,
}

impl TextWriter {
    /// Begins to write where the last commit ended.
    pub(crate) fn new(text: &TextIndex, position: Position) -> Result<Self, StoreError> {
        let writer = text
            .index
            .writer_with_num_threads(1, BUFFER)
            .doing("begin to write")?;
        Ok(Self {
            writer,
            fields: text.fields,
            committed: position.applied,
            position,
            uncommitted: 0,
        })
    }

    /// The last change that was applied, committed or not.
    pub(crate) fn applied(&self) -> i64 {
        self.position.applied
    }

    /// The last change that can be found once the reader is reloaded.
    pub(crate) fn committed(&self) -> i64 {
        self.committed
    }

    /// Entries changed since the last commit.
    pub(crate) fn uncommitted(&self) -> usize {
        self.uncommitted
    }

    /// Takes changes over. They are found after [`commit`](Self::commit).
    pub(crate) fn apply(&mut self, changes: &TextChanges) -> Result<(), StoreError> {
        for row in &changes.changed {
            // What was made after the last change that was applied cannot be
            // in the index; looking for it is what makes deletions dear.
            if row.created_seq <= self.position.applied {
                self.forget(row.doc);
            }
            self.writer
                .add_document(document_of(row, &self.fields))
                .doing("add an entry")?;
        }
        for &doc in &changes.deleted {
            self.forget(doc);
        }
        self.uncommitted += changes.changed.len() + changes.deleted.len();
        self.position.applied = changes.reached;
        self.position.mark = changes.mark;
        Ok(())
    }

    /// Puts what was applied on disk.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        let mut prepared = self.writer.prepare_commit().doing("prepare a commit")?;
        prepared.set_payload(&self.position.write());
        prepared.commit().doing("commit")?;
        self.committed = self.position.applied;
        self.uncommitted = 0;
        Ok(())
    }

    /// Empties the index, to be filled from the first change on.
    pub(crate) fn clear(&mut self) -> Result<(), StoreError> {
        self.writer.delete_all_documents().doing("empty it")?;
        self.position.applied = 0;
        self.position.mark = None;
        self.commit()
    }

    /// Lets merges that are under way end.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.writer.wait_merging_threads().doing("finish merging")
    }

    fn forget(&self, doc: i64) {
        self.writer
            .delete_term(Term::from_field_u64(self.fields.doc, doc.unsigned_abs()));
    }
}
