//! Lists of entries in the order of time, page by page.

use gannet_api::{Condition, Entry, Filter, FilterField};
use jiff::Timestamp;

use super::row::{EntryRow, entry_columns};
use super::{Records, as_i64};
use crate::error::{DatabaseContext, StoreError};
use crate::request::{Cursor, ListRequest, Page};

/// Rows read at first; more at a time when a filter lets few through.
const FIRST_READ: usize = 64;
const LARGEST_READ: usize = 4_096;

/// A place in the order of time: timestamp in microseconds, then entry id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) micros: i64,
    pub(crate) entry_id: String,
}

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
        let mut size = FIRST_READ.max(request.limit + 1).min(LARGEST_READ);
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
        rows.iter().map(EntryRow::read).collect()
    }
}

impl Position {
    pub(crate) fn of(entry: &Entry) -> Self {
        Self {
            micros: entry.timestamp.as_microsecond(),
            entry_id: entry.entry_id.clone(),
        }
    }

    /// Hexadecimal, so that it passes through URLs and headers as it is.
    pub(crate) fn write(&self) -> Cursor {
        let plain = format!("{}:{}", self.micros, self.entry_id);
        Cursor(plain.bytes().map(|byte| format!("{byte:02x}")).collect())
    }

    pub(crate) fn read(cursor: &Cursor) -> Result<Self, StoreError> {
        let wrong = || StoreError::InvalidRequest {
            message: "the cursor is not one that this list gave; start from the first page"
                .to_owned(),
        };
        let digits = cursor.0.as_bytes();
        if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
            return Err(wrong());
        }
        let bytes: Option<Vec<u8>> = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let plain = String::from_utf8(bytes.ok_or_else(wrong)?).map_err(|_| wrong())?;
        let (micros, entry_id) = plain.split_once(':').ok_or_else(wrong)?;
        Ok(Self {
            micros: micros.parse().map_err(|_| wrong())?,
            entry_id: entry_id.to_owned(),
        })
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

/// The first whole microsecond at or after an instant. Stored timestamps are
/// whole microseconds, so `t >= instant` is `micros(t) >= micros_from(instant)`.
pub(crate) fn micros_from(instant: Timestamp) -> i64 {
    let micros = instant.as_microsecond();
    match Timestamp::from_microsecond(micros) {
        Ok(whole) if whole < instant => micros + 1,
        _ => micros,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_position_survives_the_way_through_a_cursor() {
        let position = Position {
            micros: -5,
            entry_id: "a:b/ü \u{0}".to_owned(),
        };
        assert_eq!(Position::read(&position.write()).unwrap(), position);
    }

    #[test]
    fn a_strange_cursor_is_an_error_and_not_the_first_page() {
        for strange in ["", "zz", "abc", "ü", "3132"] {
            assert!(
                Position::read(&Cursor(strange.to_owned())).is_err(),
                "{strange}"
            );
        }
    }

    #[test]
    fn bounds_between_microseconds_round_up() {
        let bound: Timestamp = "2024-01-01T00:00:00.0000015Z".parse().unwrap();
        let whole: Timestamp = "2024-01-01T00:00:00.000002Z".parse().unwrap();
        assert_eq!(micros_from(bound), whole.as_microsecond());
        assert_eq!(micros_from(whole), whole.as_microsecond());
        let early: Timestamp = "1960-01-01T00:00:00.0000015Z".parse().unwrap();
        let whole: Timestamp = "1960-01-01T00:00:00.000002Z".parse().unwrap();
        assert_eq!(micros_from(early), whole.as_microsecond());
    }
}
