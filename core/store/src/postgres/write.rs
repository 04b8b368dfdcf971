//! Rows on their way into `enhanced_entries`, column by column: one array for
//! each column is one parameter, however many rows there are.

use gannet_api::Entry;
use serde_json::Value;
use sqlx::PgConnection;

use super::derived::{Derived, Words};
use super::instant::Instant;
use crate::error::{DatabaseContext, StoreError, postgres_code};

/// What enhancers made stays as long as the text does. A row of ARIEL's that
/// was never adopted has no first change yet.
const INSERT: &str = "INSERT INTO enhanced_entries AS e (tenant, entry_id, kind, source_system, \
        timestamp, author, raw_text, metadata, attachments, summary, keywords, content_hash, \
        text_hash, id_folded, facet_texts, facet_numbers, facet_instants, terms, lengths, \
        seq, created_seq, waits) \
    SELECT tenant, entry_id, kind, source_system, logged, author, raw_text, metadata::jsonb, \
        attachments::jsonb, summary, ARRAY(SELECT jsonb_array_elements_text(keywords::jsonb)), \
        content_hash, text_hash, id_folded, facet_texts::jsonb, facet_numbers::jsonb, \
        facet_instants::jsonb, terms::tsvector, lengths::integer[], $20 + place - 1, \
        $20 + place - 1, false \
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], \
        $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bytea[], $13::bigint[], \
        $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[]) WITH ORDINALITY \
        AS n (tenant, entry_id, kind, source_system, logged, author, raw_text, metadata, \
            attachments, summary, keywords, content_hash, text_hash, id_folded, facet_texts, \
            facet_numbers, facet_instants, terms, lengths, place) \
    ON CONFLICT (tenant, entry_id) DO UPDATE SET \
        kind = excluded.kind, source_system = excluded.source_system, \
        timestamp = excluded.timestamp, author = excluded.author, raw_text = excluded.raw_text, \
        metadata = excluded.metadata, attachments = excluded.attachments, \
        summary = CASE WHEN e.raw_text = excluded.raw_text \
            THEN coalesce(excluded.summary, e.summary) ELSE excluded.summary END, \
        keywords = CASE WHEN e.raw_text = excluded.raw_text AND excluded.keywords = '{}' \
            THEN e.keywords ELSE excluded.keywords END, \
        added = CASE WHEN e.raw_text = excluded.raw_text THEN e.added ELSE '{}' END, \
        content_hash = excluded.content_hash, text_hash = excluded.text_hash, \
        id_folded = excluded.id_folded, facet_texts = excluded.facet_texts, \
        facet_numbers = excluded.facet_numbers, facet_instants = excluded.facet_instants, \
        terms = excluded.terms, lengths = excluded.lengths, \
        seq = excluded.seq, waits = false, created_seq = coalesce(e.created_seq, excluded.created_seq), \
        updated_at = now()";

#[derive(Default)]
pub(super) struct Columns {
    tenant: Vec<String>,
    entry_id: Vec<String>,
    kind: Vec<String>,
    source_system: Vec<String>,
    timestamp: Vec<Instant>,
    author: Vec<String>,
    raw_text: Vec<String>,
    metadata: Vec<String>,
    attachments: Vec<String>,
    summary: Vec<Option<String>>,
    keywords: Vec<String>,
    content_hash: Vec<Vec<u8>>,
    text_hash: Vec<i64>,
    derived: Derived,
}

impl Columns {
    /// Adds a row: the entry as its source gives it, and as it will be with
    /// what enhancers added to it.
    pub(super) fn push(&mut self, entry: &Entry, whole: &Entry, content: &[u8], text: i64) {
        self.tenant.push(entry.tenant.clone());
        self.entry_id.push(entry.entry_id.clone());
        self.kind.push(entry.kind.clone());
        self.source_system.push(entry.source_system.clone());
        self.timestamp
            .push(Instant(entry.timestamp.as_microsecond()));
        self.author.push(entry.author.clone());
        self.raw_text.push(entry.raw_text.clone());
        self.metadata
            .push(Value::Object(entry.metadata.clone()).to_string());
        // Structs of texts always serialise.
        self.attachments
            .push(serde_json::to_string(&entry.attachments).unwrap_or_else(|_| "[]".to_owned()));
        self.summary.push(entry.summary.clone());
        self.keywords
            .push(Value::from(entry.keywords.clone()).to_string());
        self.content_hash.push(content.to_vec());
        self.text_hash.push(text);
        self.derived.push(whole);
    }

    /// Inserts or replaces the rows; the first gets change number `first`.
    /// Returns their words, which the caller adds to the vocabulary.
    pub(super) async fn write(
        self,
        connection: &mut PgConnection,
        first: i64,
    ) -> Result<Words, StoreError> {
        let some_id = self.entry_id.first().cloned().unwrap_or_default();
        let query = sqlx::query(INSERT)
            .bind(self.tenant)
            .bind(self.entry_id)
            .bind(self.kind)
            .bind(self.source_system)
            .bind(self.timestamp)
            .bind(self.author)
            .bind(self.raw_text)
            .bind(self.metadata)
            .bind(self.attachments)
            .bind(self.summary)
            .bind(self.keywords)
            .bind(self.content_hash)
            .bind(self.text_hash);
        let (query, words) = self.derived.bind(query);
        match query.bind(first).execute(&mut *connection).await {
            Ok(_) => Ok(words),
            Err(error) if postgres_code(&error).as_deref() == Some(UNIQUE_VIOLATION) => {
                Err(taken(&error, some_id))
            }
            Err(error) => Err(error).doing("write entries"),
        }
    }
}

const UNIQUE_VIOLATION: &str = "23505";

/// ARIEL's primary key is the id alone.
fn taken(error: &sqlx::Error, some_id: String) -> StoreError {
    let detail = error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>())
        .and_then(|error| error.detail())
        .unwrap_or_default();
    StoreError::InvalidEntry {
        entry_id: some_id,
        reason: format!(
            "it, or one written with it, has an id that another tenant has; a database of ARIEL's \
             keeps one entry under each id, so use one of its own for several tenants ({detail})"
        ),
    }
}
