//! Lists of entries in the order of time, page by page.

use gannet_api::{Condition, Entry, Filter, FilterField};

use super::row::{entry_columns, read_row};
use super::{Records, as_i64};
use crate::cursor::Position;
use crate::error::{SqliteContext, StoreError};
use crate::request::{ListRequest, Page};
use gannet_index::{EntryRow, micros_from};

/// Rows read at first; more at a time when a filter lets few through.
const FIRST_READ: usize = 64;
const LARGEST_READ: usize = 4_096;

/// The span of timestamps in microseconds, both ends included.
struct Span {
    first: i64,
    last: i64,
}

/// The pages of one direction. `?4` says whether there is a position; the
/// plain bound beside the row comparison lets SQLite use the index.
macro_rules! page_statement {
    ($beyond:literal, $direction:literal) => {
        concat!(
            "SELECT ",
            entry_columns!(),
            " FROM entries e WHERE e.tenant = ?1 AND e.timestamp BETWEEN ?2 AND ?3 \
             AND e.timestamp ",
            $beyond,
            "= ?5 AND (NOT ?4 OR (e.timestamp, e.entry_id) ",
            $beyond,
            " (?5, ?6)) ORDER BY e.timestamp ",
            $direction,
            ", e.entry_id ",
            $direction,
            " LIMIT ?7"
        )
    };
}

impl Records {
    /// A page of a tenant's entries. The order never changes under a reader:
    /// what is added meanwhile neither repeats nor hides an entry.
    pub(crate) async fn list(
        &self,
        tenant: &str,
        request: ListRequest,
    ) -> Result<Page, StoreError> {
        let mut position = request.after.as_ref().map(Position::read).transpose()?;
        let span = span_of(&request.filter);
        let mut entries: Vec<Entry> = Vec::new();
        let mut size = request
            .limit
            .saturating_add(1)
            .clamp(FIRST_READ, LARGEST_READ);
        loop {
            let rows = self
                .list_rows(tenant, &span, position.as_ref(), request.newest_first, size)
                .await?;
            let at_end = rows.len() < size;
            for row in rows {
                position = Some(Position::of(&row.entry));
                if !request.filter.matches(&row.entry) {
                    continue;
                }
                if entries.len() == request.limit {
                    let next = entries.last().map(|entry| Position::of(entry).write());
                    return Ok(Page { entries, next });
                }
                entries.push(row.entry);
            }
            if at_end {
                return Ok(Page {
                    entries,
                    next: None,
                });
            }
            size = (size * 2).min(LARGEST_READ);
        }
    }

    async fn list_rows(
        &self,
        tenant: &str,
        span: &Span,
        after: Option<&Position>,
        newest_first: bool,
        limit: usize,
    ) -> Result<Vec<EntryRow>, StoreError> {
        let statement = if newest_first {
            page_statement!("<", "DESC")
        } else {
            page_statement!(">", "ASC")
        };
        // Without a position: from beyond the span's end, where no id is.
        let micros = after.map_or(
            if newest_first { span.last } else { span.first },
            |position| position.micros,
        );
        let rows = sqlx::query(statement)
            .bind(tenant)
            .bind(span.first)
            .bind(span.last)
            .bind(after.is_some())
            .bind(micros)
            .bind(after.map_or("", |position| position.entry_id.as_str()))
            .bind(as_i64(limit))
            .fetch_all(&self.readers)
            .await
            .doing("list entries")?;
        rows.iter().map(read_row).collect()
    }
}

/// The timestamps that a filter lets through at most.
fn span_of(filter: &Filter) -> Span {
    let mut span = Span {
        first: i64::MIN,
        last: i64::MAX,
    };
    for clause in &filter.clauses {
        if let (FilterField::Timestamp, Condition::Time(range)) = (&clause.field, &clause.condition)
        {
            span.first = span.first.max(range.from.map_or(i64::MIN, micros_from));
            span.last = span
                .last
                .min(range.until.map_or(i64::MAX, |until| micros_from(until) - 1));
        }
    }
    span
}
