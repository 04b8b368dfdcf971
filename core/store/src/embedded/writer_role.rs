//! The right to write the indexes: one process at a time has it.

use crate::embedded::lock::FileLock;
use crate::embedded::shared::Shared;
use crate::embedded::text::{Position, TextIndex, TextWriter};
use crate::error::StoreError;

/// The right to write the indexes, and what is needed for it.
pub(crate) struct Writer {
    pub(crate) text: TextWriter,
    // Dropped last: whoever gets the lock finds the index closed.
    _lock: FileLock,
}

impl Writer {
    /// Takes the lock if it is free, and opens the text index; a damaged one,
    /// one of another version or of another database is made anew.
    pub(crate) async fn take(shared: &Shared) -> Result<Option<Self>, StoreError> {
        if shared.options.read_only_projections {
            return Ok(None);
        }
        let Some(lock) = FileLock::try_take(&shared.lock_path())? else {
            return Ok(None);
        };
        let (text, position) = open_or_create(shared).await?;
        let writer = TextWriter::new(&text, position)?;
        shared.replace_text(text);
        shared.set_text_sequence(writer.committed());
        shared.set_writer(true);
        Ok(Some(Self {
            _lock: lock,
            text: writer,
        }))
    }
}

async fn open_or_create(shared: &Shared) -> Result<(TextIndex, Position), StoreError> {
    let (folder, weights) = (shared.text_path(), shared.options.field_weights);
    let fresh = Position {
        origin: shared.origin.clone(),
        applied: 0,
        mark: None,
    };
    if !folder.exists() {
        return Ok((TextIndex::create(&folder, weights)?, fresh));
    }
    let reason = match open_with_position(shared) {
        Ok((text, None)) => return Ok((text, fresh)),
        Ok((text, Some(position))) if position.origin == shared.origin => {
            if is_followed(shared, &position).await? {
                return Ok((text, position));
            }
            "the records were reset to an earlier state, or an older version wrote it".to_owned()
        }
        Ok(_) => "it belongs to another database".to_owned(),
        Err(error) => error.to_string(),
    };
    tracing::warn!(reason, "the text index is rebuilt from the records");
    Ok((TextIndex::create(&folder, weights)?, fresh))
}

/// Whether an index at this position followed these records.
pub(crate) async fn is_followed(shared: &Shared, position: &Position) -> Result<bool, StoreError> {
    if position.origin != shared.origin {
        return Ok(false);
    }
    let records = &shared.records;
    records.has_history(position.applied, position.mark).await
}

/// The text index on disk, and how far it got.
pub(crate) fn open_with_position(
    shared: &Shared,
) -> Result<(TextIndex, Option<Position>), StoreError> {
    let text = TextIndex::open(&shared.text_path(), shared.options.field_weights)?;
    let position = text.position()?;
    Ok((text, position))
}
