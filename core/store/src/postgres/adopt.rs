//! What ARIEL wrote: entries get what the store needs beside them.

use gannet_api::Entry;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use super::connect::{begin_bulk, begin_write, end_bulk};
use super::derived::{Derived, write_words};
use super::retry::again;
use super::row::{entry_columns, read_entry};
use super::upsert::forget_enhancement;
use super::{PostgresStore, as_i64, reserve};
use crate::content::{content_hash, text_hash};
use crate::error::{DatabaseContext, StoreError};

/// Entries a transaction.
const ROWS: usize = 1_000;

const UPDATE: &str = "UPDATE enhanced_entries e SET seq = $10 + n.place - 1, waits = false, \
        created_seq = coalesce(e.created_seq, $10 + n.place - 1), content_hash = n.content_hash, \
        text_hash = n.text_hash, id_folded = n.id_folded, facet_texts = n.facet_texts::jsonb, \
        facet_numbers = n.facet_numbers::jsonb, facet_instants = n.facet_instants::jsonb, \
        terms = n.terms::tsvector, lengths = n.lengths::integer[] \
    FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::text[], \
        $7::text[], $8::text[], $9::text[]) WITH ORDINALITY AS n (doc, content_hash, text_hash, \
        id_folded, facet_texts, facet_numbers, facet_instants, terms, lengths, place) \
    WHERE e.doc = n.doc";

impl PostgresStore {
    /// Adopts what ARIEL wrote, changed or deleted since the last time;
    /// returns whether there was anything.
    pub(super) async fn adopt(&self) -> Result<bool, StoreError> {
        let mut adopted = false;
        loop {
            let waiting: bool = again!({
                sqlx::query_scalar(
                    "SELECT EXISTS (SELECT 1 FROM enhanced_entries WHERE waits) \
                     OR EXISTS (SELECT 1 FROM gannet_tombstones WHERE seq IS NULL)",
                )
                .fetch_one(&self.pool)
                .await
                .doing("look for entries of ARIEL's")
            })?;
            if !waiting {
                return Ok(adopted);
            }
            if !again!({ self.adopt_some().await })? {
                return Ok(adopted);
            }
            adopted = true;
        }
    }

    /// Adopts the next rows that nobody else is changing now: waiting for
    /// another transaction here would hold up every writer. Returns whether
    /// there were any.
    async fn adopt_some(&self) -> Result<bool, StoreError> {
        let mut transaction = begin_write(&self.pool).await?;
        begin_bulk(&mut transaction).await?;
        let rows = sqlx::query(concat!(
            "SELECT ",
            entry_columns!(),
            ", e.doc, e.text_hash FROM enhanced_entries e WHERE e.waits \
             ORDER BY e.doc LIMIT $1 FOR UPDATE OF e SKIP LOCKED"
        ))
        .bind(as_i64(ROWS))
        .fetch_all(&mut *transaction)
        .await
        .doing("read entries of ARIEL's")?;
        adopt_rows(&mut transaction, &rows).await?;
        let deleted = number_deletions(&mut transaction).await?;
        end_bulk(&mut transaction).await?;
        transaction
            .commit()
            .await
            .doing("adopt entries of ARIEL's")?;
        Ok(deleted > 0 || !rows.is_empty())
    }
}

/// Adopts these entries, whoever else waits: what is about to be written over
/// them is compared with what they are now.
pub(super) async fn adopt_docs(
    connection: &mut PgConnection,
    docs: &[i64],
) -> Result<(), StoreError> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        entry_columns!(),
        ", e.doc, e.text_hash FROM enhanced_entries e WHERE e.doc = ANY($1) AND e.waits \
         ORDER BY e.doc FOR UPDATE OF e"
    ))
    .bind(docs)
    .fetch_all(&mut *connection)
    .await
    .doing("read entries of ARIEL's")?;
    adopt_rows(connection, &rows).await
}

async fn adopt_rows(connection: &mut PgConnection, rows: &[PgRow]) -> Result<(), StoreError> {
    let mut adopted = Adopted::default();
    for row in rows {
        let doc: i64 = row.try_get("doc").doing("read entries of ARIEL's")?;
        let old_text: Option<i64> = row.try_get("text_hash").doing("read entries of ARIEL's")?;
        adopted.push(doc, old_text, read_entry(row)?);
    }
    adopted.write(connection).await
}

/// One array for each column.
#[derive(Default)]
struct Adopted {
    docs: Vec<i64>,
    content_hash: Vec<Vec<u8>>,
    text_hash: Vec<i64>,
    derived: Derived,
    with_new_text: Vec<i64>,
}

impl Adopted {
    fn push(&mut self, doc: i64, old_text: Option<i64>, mut entry: Entry) {
        self.derived.push(&entry);
        let text = text_hash(&entry.raw_text);
        if old_text.is_some_and(|old| old != text) {
            self.with_new_text.push(doc);
        }
        // ARIEL's enhancers made these; the source, which is asked again
        // later, says nothing of them.
        entry.summary = None;
        entry.keywords.clear();
        self.docs.push(doc);
        self.content_hash.push(content_hash(&entry));
        self.text_hash.push(text);
    }

    async fn write(self, connection: &mut PgConnection) -> Result<(), StoreError> {
        if self.docs.is_empty() {
            return Ok(());
        }
        let first = reserve(connection, self.docs.len()).await?;
        let query = sqlx::query(UPDATE)
            .bind(self.docs)
            .bind(self.content_hash)
            .bind(self.text_hash);
        let (query, words) = self.derived.bind(query);
        query
            .bind(first)
            .execute(&mut *connection)
            .await
            .doing("adopt entries of ARIEL's")?;
        write_words(connection, &words).await?;
        forget_enhancement(connection, &self.with_new_text).await
    }
}

/// Gives change numbers to the deletions that the trigger noted; returns how
/// many there were.
pub(super) async fn number_deletions(connection: &mut PgConnection) -> Result<usize, StoreError> {
    let docs: Vec<i64> =
        sqlx::query_scalar("SELECT doc FROM gannet_tombstones WHERE seq IS NULL ORDER BY doc")
            .fetch_all(&mut *connection)
            .await
            .doing("read deletions")?;
    if docs.is_empty() {
        return Ok(0);
    }
    let count = docs.len();
    let first = reserve(connection, count).await?;
    sqlx::query(
        "UPDATE gannet_tombstones t SET seq = $2 + d.place - 1 \
         FROM unnest($1::bigint[]) WITH ORDINALITY AS d (doc, place) WHERE t.doc = d.doc",
    )
    .bind(docs)
    .bind(first)
    .execute(connection)
    .await
    .doing("note deletions")?;
    Ok(count)
}
