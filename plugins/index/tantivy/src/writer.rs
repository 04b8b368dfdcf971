//! Writing the index. One process at a time does.

use tantivy::{IndexWriter, Term};

use super::document::document_of;
use super::error::{TextContext, TextError, catch_panic};
use super::index::{Position, TextIndex};
use super::schema::Fields;
use gannet_index::{EntryRow, RowBatch, TextChanges};

/// Bytes that the writer fills before it writes a segment.
const BUFFER: usize = 128 << 20;
/// Bytes of text that wait for the writer at most. It takes entries over while
/// others are read, and may be slower.
const MOST_WAITING: usize = 64 << 20;

/// Follows the changes of the records.
///
/// After an error of any call nobody knows what the writer holds: it must be
/// dropped, and a new one begin where the last commit ended.
pub struct TextWriter {
    writer: IndexWriter,
    fields: Fields,
    /// Which database is followed, and what has been given to the writer.
    position: Position,
    committed: i64,
    uncommitted: usize,
    uncommitted_bytes: usize,
}

impl TextWriter {
    /// Begins to write where the last commit ended.
    pub fn new(text: &TextIndex, position: Position) -> Result<Self, TextError> {
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

    /// The last change that was applied, committed or not.
    pub fn applied(&self) -> i64 {
        self.position.applied
    }

    /// The last change that is on disk.
    pub fn committed(&self) -> i64 {
        self.committed
    }

    /// Entries changed since the last commit.
    pub fn uncommitted(&self) -> usize {
        self.uncommitted
    }

    /// Whether so much waits to be indexed that memory must be freed.
    pub fn is_full(&self) -> bool {
        self.uncommitted_bytes >= MOST_WAITING
    }

    /// Whether entries up to [`applied`](Self::applied) are missing.
    pub fn is_incomplete(&self) -> bool {
        self.position.is_incomplete
    }

    /// Takes changes over. They are found after [`commit`](Self::commit).
    pub fn apply(&mut self, changes: &TextChanges) -> Result<(), TextError> {
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

    /// Takes entries over that are missing though their changes were applied.
    pub fn restore(&mut self, batch: &RowBatch) -> Result<(), TextError> {
        catch_panic("restore entries", || {
            batch.rows.iter().try_for_each(|row| self.add(row))
        })?;
        self.uncommitted_bytes += batch.bytes;
        Ok(())
    }

    /// Nothing is missing any more once this is committed.
    pub fn complete(&mut self) {
        self.position.is_incomplete = false;
    }

    /// Puts what was applied on disk.
    pub fn commit(&mut self) -> Result<(), TextError> {
        catch_panic("commit", || {
            let mut prepared = self.writer.prepare_commit().doing("prepare a commit")?;
            prepared.set_payload(&self.position.write());
            prepared.commit().doing("commit")
        })?;
        self.committed = self.position.applied;
        self.uncommitted = 0;
        self.uncommitted_bytes = 0;
        Ok(())
    }

    /// Lets merges that are under way end.
    pub fn finish(self) -> Result<(), TextError> {
        catch_panic("finish merging", || {
            self.writer.wait_merging_threads().doing("finish merging")
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
