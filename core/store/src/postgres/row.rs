//! An entry as a row of `enhanced_entries`, read back.

use gannet_api::Entry;
use jiff::Timestamp;
use serde_json::{Map, Value};
use sqlx::Row;
use sqlx::postgres::PgRow;

use super::instant::Instant;
use crate::error::{DatabaseContext, StoreError};
use crate::stored::{instant, parse, statuses};

/// The columns that [`read_entry`] wants, of a table `e`. ARIEL lets some be
/// NULL. The last is the enhancement status as JSON:
/// `[[module, status, at, attempts, error], …]`.
macro_rules! entry_columns {
    () => {
        "e.tenant, e.entry_id, e.kind, e.source_system, e.timestamp, e.author, e.raw_text, \
         coalesce(e.metadata, '{}')::text, e.added::text, \
         coalesce(e.attachments, '[]')::text, e.summary, \
         array_remove(coalesce(e.keywords, '{}'), NULL), e.created_at, e.updated_at, \
         (SELECT coalesce(json_agg(json_build_array(s.module, s.status, \
              (extract(epoch FROM s.at) * 1000000)::bigint, s.attempts, s.error)), '[]')::text \
          FROM gannet_enhancement s WHERE s.doc = e.doc)"
    };
}
pub(super) use entry_columns;

/// An instant, where there is one in the calendar: it is told beside an entry
/// and does not cost it.
pub(super) fn known_instant(row: &PgRow, index: usize) -> Result<Option<Timestamp>, StoreError> {
    let known: Option<Instant> = row.try_get(index).doing("read an entry")?;
    Ok(known.and_then(|Instant(micros)| Timestamp::from_microsecond(micros).ok()))
}

/// An entry from a row that begins with the columns of `entry_columns`.
pub(super) fn read_entry(row: &PgRow) -> Result<Entry, StoreError> {
    let text =
        |index: usize| -> Result<String, StoreError> { row.try_get(index).doing("read an entry") };
    let entry_id = text(1)?;
    let Instant(micros) = row.try_get(4).doing("read an entry")?;
    let mut metadata: Map<String, Value> = parse("metadata", &entry_id, &text(7)?)?;
    let added: Map<String, Value> = parse("metadata", &entry_id, &text(8)?)?;
    metadata.extend(added);
    let timestamp = instant("timestamp", &entry_id, micros)?;
    let attachments = parse("attachments", &entry_id, &text(9)?)?;
    let summary: Option<String> = row.try_get(10).doing("read an entry")?;
    let enhancement_status = statuses(&entry_id, &text(14)?)?;
    Ok(Entry::new(entry_id, text(3)?, timestamp, text(6)?)
        .with_tenant(text(0)?)
        .with_kind(text(2)?)
        .with_author(text(5)?)
        .with_attachments(attachments)
        .with_metadata(metadata)
        .with_summary(summary)
        .with_keywords(row.try_get(11).doing("read an entry")?)
        .with_enhancement_status(enhancement_status)
        .with_created_at(known_instant(row, 12)?)
        .with_updated_at(known_instant(row, 13)?))
}
