//! Writing the index. One process at a time does.

use tantivy::{IndexWriter, Term};

use super::document::document_of;
use super::error::{TextContext, TextError, catch_panic};
use super::index::TantivyIndex;
use super::payload::payload_of;
use super::schema::Fields;
use gannet_index::{EntryRow, IndexError, Position, RowBatch, TextChanges, TextWriter};

/// Bytes that the writer fills before it writes a segment.
const BUFFER: usize = 128 << 20;
/// Bytes of text that wait for the writer at most. It takes entries over while
/// others are read, and may be slower.
const MOST_WAITING: usize = 64 << 20;

/// Follows the changes of the records.
pub(super) struct TantivyWriter {
    writer: IndexWriter,
    fields: Fields,
    /// Which database is followed, and what has been given to the writer.
    position: Position,
    committed: i64,
    uncommitted: usize,
    uncommitted_bytes: usize,
}

impl TantivyWriter {
    /// Begins to write where the last commit ended.
    pub(super) fn new(text: &TantivyIndex, position: Position) -> Result<Self, TextError> {
        let writer: IndexWriter = catch_panic("begin to write", || {
            let writer = text.index.writer_with_num_threads(1, BUFFER);
            writer.doing("begin to write")
        })?;
        // What a writer left that failed or was killed.
        if let Err(error) = writer.garbage_collect_files().wait() {
            tracing::debug!(%error, "unused files of the text index cannot be deleted");
        }
        Ok(Self {
            writer,
            fields: text.fields,
            committed: position.applied,
            position,
            uncommitted: 0,
            uncommitted_bytes: 0,
        })
    }

    fn add(&mut self, row: &EntryRow) -> Result<(), TextError> {
        let document = document_of(row, &self.fields);
        if let Err(error) = self.writer.add_document(document) {
            // It only says that the thread that indexes is gone. That thread's
            // own error names the cause.
            let cause = self.writer.prepare_commit().err().unwrap_or(error);
            return Err(cause).doing("add an entry");
        }
        self.uncommitted += 1;
        Ok(())
    }

    fn forget(&self, doc: i64) {
        self.writer
            .delete_term(Term::from_field_u64(self.fields.doc, doc.unsigned_abs()));
    }
}

impl TextWriter for TantivyWriter {
    fn applied(&self) -> i64 {
        self.position.applied
    }

    fn committed(&self) -> i64 {
        self.committed
    }

    fn uncommitted(&self) -> usize {
        self.uncommitted
    }

    fn is_full(&self) -> bool {
        self.uncommitted_bytes >= MOST_WAITING
    }

    fn is_incomplete(&self) -> bool {
        self.position.is_incomplete
    }

    fn apply(&mut self, changes: &TextChanges) -> Result<(), IndexError> {
        catch_panic("take changes over", || {
            for row in &changes.changed {
                // What was made after the last change that was applied cannot
                // be in the index; looking for it is what makes deletions
                // dear.
                if row.created_seq <= self.position.applied {
                    self.forget(row.doc);
                }
                self.add(row)?;
            }
            for &doc in &changes.deleted {
                self.forget(doc);
            }
            Ok(())
        })?;
        self.uncommitted += changes.deleted.len();
        self.uncommitted_bytes += changes.bytes;
        self.position.applied = changes.reached;
        self.position.mark = changes.mark;
        Ok(())
    }

    fn restore(&mut self, batch: &RowBatch) -> Result<(), IndexError> {
        catch_panic("restore entries", || {
            batch.rows.iter().try_for_each(|row| self.add(row))
        })?;
        self.uncommitted_bytes += batch.bytes;
        Ok(())
    }

    fn complete(&mut self) {
        self.position.is_incomplete = false;
    }

    fn commit(&mut self) -> Result<(), IndexError> {
        catch_panic("commit", || {
            let mut prepared = self.writer.prepare_commit().doing("prepare a commit")?;
            prepared.set_payload(&payload_of(&self.position));
            prepared.commit().doing("commit")
        })?;
        self.committed = self.position.applied;
        self.uncommitted = 0;
        self.uncommitted_bytes = 0;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), IndexError> {
        let writer = self.writer;
        Ok(catch_panic("finish merging", || {
            writer.wait_merging_threads().doing("finish merging")
        })?)
    }
}
