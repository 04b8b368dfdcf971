//! An entry as a row, and back.

use gannet_api::Entry;
use gannet_index::EntryRow;
use serde_json::{Map, Value};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::row_checksum::EntryColumns;
use crate::error::{SqliteContext, StoreError};
use crate::stored::{instant, parse, statuses};

/// What both lists of columns begin with; [`CHECKED`] is where the checked ones
/// do.
macro_rules! row_columns {
    () => {
        concat!(
            "e.doc, ",
            crate::embedded::records::row_checksum::checked_columns!(),
            ", e.checksum, e.created_seq, e.created_at, e.updated_at, "
        )
    };
}
/// The columns that [`read_row`] wants, of a table `e`. The last is the
/// enhancement status as JSON: `[[module, status, at, attempts, error], …]`.
macro_rules! entry_columns {
    () => {
        concat!(
            crate::embedded::records::row::row_columns!(),
            "(SELECT json_group_array(json_array(s.module, s.status, s.at, s.attempts, s.error)) \
              FROM enhancement_status s WHERE s.doc = e.doc) AS statuses"
        )
    };
}
/// The same without the enhancement status.
macro_rules! bare_entry_columns {
    () => {
        concat!(
            crate::embedded::records::row::row_columns!(),
            "'[]' AS statuses"
        )
    };
}
pub(super) use {bare_entry_columns, entry_columns, row_columns};

/// The first of the checked columns.
const CHECKED: usize = 1;

/// Reads a row that is as it was written.
///
/// # Errors
/// [`StoreError::Damaged`] when it is not.
pub(super) fn read_row(row: &SqliteRow) -> Result<EntryRow, StoreError> {
    let columns = EntryColumns::read(row, CHECKED)?;
    columns.check(row.try_get(13).doing("read an entry")?)?;
    row_of(row, &columns)
}

/// Reads a row without looking at its checksum. An index goes on with a
/// damaged one, which is told of when the entry is given out.
pub(super) fn read_unchecked_row(row: &SqliteRow) -> Result<EntryRow, StoreError> {
    row_of(row, &EntryColumns::read(row, CHECKED)?)
}

fn row_of(row: &SqliteRow, columns: &EntryColumns<'_>) -> Result<EntryRow, StoreError> {
    let number =
        |index: usize| -> Result<i64, StoreError> { row.try_get(index).doing("read an entry") };
    let entry_id = columns.entry_id.to_owned();
    let mut metadata: Map<String, Value> = parse("metadata", &entry_id, columns.metadata)?;
    let added: Map<String, Value> = parse("metadata", &entry_id, columns.added)?;
    metadata.extend(added);
    let statuses_of: &str = row.try_get(17).doing("read an entry")?;
    let time = |what, micros| instant(what, columns.entry_id, micros);
    let timestamp = time("timestamp", columns.timestamp)?;
    let (created, updated) = (number(15)?, number(16)?);
    let attachments = parse("attachments", &entry_id, columns.attachments)?;
    let keywords = parse("keywords", &entry_id, columns.keywords)?;
    let enhancement_status = statuses(&entry_id, statuses_of)?;
    let entry = Entry::new(entry_id, columns.source_system, timestamp, columns.raw_text)
        .with_tenant(columns.tenant)
        .with_kind(columns.kind)
        .with_author(columns.author)
        .with_attachments(attachments)
        .with_metadata(metadata)
        .with_summary(columns.summary.map(str::to_owned))
        .with_keywords(keywords)
        .with_enhancement_status(enhancement_status)
        .with_created_at(time("created_at", created)?)
        .with_updated_at(time("updated_at", updated)?);
    Ok(EntryRow {
        doc: number(0)?,
        created_seq: number(14)?,
        entry,
    })
}
