//! What a module made of entries, written with a few statements for all of
//! them.

use std::collections::HashSet;

use gannet_api::{Enhanced, Entry, Patch};
use serde_json::{Map, Value};
use sqlx::{PgConnection, Row};

use super::clean::{clean_object, clean_text, holds_nul};
use super::derived::{Derived, write_words};
use super::reserve;
use super::row::{entry_columns, read_entry};
use super::vectors::{NewVectors, replace_vectors};
use crate::error::{DatabaseContext, StoreError};
use crate::request::WorkedOn;
use crate::stored::parse;

const UPDATE: &str = "UPDATE enhanced_entries e SET summary = n.summary, \
        keywords = ARRAY(SELECT jsonb_array_elements_text(n.keywords::jsonb)), \
        added = n.added::jsonb, seq = $11 + n.place - 1, id_folded = n.id_folded, \
        facet_texts = n.facet_texts::jsonb, facet_numbers = n.facet_numbers::jsonb, \
        facet_instants = n.facet_instants::jsonb, terms = n.terms::tsvector, \
        lengths = n.lengths::integer[] \
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], \
        $7::text[], $8::text[], $9::text[], $10::text[]) WITH ORDINALITY \
        AS n (doc, summary, keywords, added, id_folded, facet_texts, facet_numbers, \
            facet_instants, terms, lengths, place) \
    WHERE e.doc = n.doc";

/// An outcome with the tenant of its entry.
type Outcome = (WorkedOn, Enhanced);

/// Writes what a module made of entries, and how far it got. An entry that is
/// gone meanwhile is left out.
pub(super) async fn save(
    connection: &mut PgConnection,
    module: &str,
    outcomes: &[Outcome],
) -> Result<(), StoreError> {
    for group in without_repetition(outcomes) {
        save_group(connection, module, &group).await?;
    }
    Ok(())
}

/// In their order, in groups that have no entry twice: one statement can
/// change a row once.
fn without_repetition(outcomes: &[Outcome]) -> Vec<Vec<&Outcome>> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    let mut ids = HashSet::new();
    for outcome in outcomes {
        let (worked_on, enhanced) = outcome;
        // No entry in the database has such a name.
        if holds_nul(&worked_on.tenant) || holds_nul(&enhanced.entry_id) {
            continue;
        }
        if !ids.insert((&worked_on.tenant, &enhanced.entry_id)) {
            groups.push(std::mem::take(&mut group));
            ids.clear();
            ids.insert((&worked_on.tenant, &enhanced.entry_id));
        }
        group.push(outcome);
    }
    groups.push(group);
    groups
}

async fn save_group(
    connection: &mut PgConnection,
    module: &str,
    group: &[&Outcome],
) -> Result<(), StoreError> {
    let mut vectors = Vec::new();
    let mut patches = Vec::new();
    let mut complete = Vec::new();
    let mut failed = Vec::new();
    for (place, doc, text_hash) in look_up(connection, group).await? {
        if group[place].0.is_outdated(text_hash) {
            continue;
        }
        match &group[place].1.outcome {
            Err(error) => failed.push((doc, error.as_str())),
            Ok(patch) => {
                complete.push(doc);
                if let Some(embeddings) = &patch.embeddings {
                    vectors.push(NewVectors {
                        doc,
                        text_hash,
                        embeddings,
                    });
                }
                if changes_entry(patch) {
                    patches.push((doc, patch));
                }
            }
        }
    }
    replace_vectors(connection, &vectors).await?;
    apply(connection, &patches).await?;
    mark_complete(connection, module, complete).await?;
    mark_failed(connection, module, failed).await
}

/// Place in the group, `doc` and hash of the text of those that are there.
async fn look_up(
    connection: &mut PgConnection,
    group: &[&Outcome],
) -> Result<Vec<(usize, i64, i64)>, StoreError> {
    let tenants: Vec<&str> = group
        .iter()
        .map(|(worked_on, _)| worked_on.tenant.as_str())
        .collect();
    let ids: Vec<&str> = group
        .iter()
        .map(|(_, enhanced)| enhanced.entry_id.as_str())
        .collect();
    let rows: Vec<(i64, i64, i64)> = sqlx::query_as(
        "SELECT n.place - 1, e.doc, e.text_hash \
         FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (tenant, id, place) \
         JOIN enhanced_entries e ON e.tenant = n.tenant AND e.entry_id = n.id \
         WHERE e.seq IS NOT NULL ORDER BY n.place",
    )
    .bind(tenants)
    .bind(ids)
    .fetch_all(connection)
    .await
    .doing("find enhanced entries")?;
    Ok(rows
        .into_iter()
        .filter_map(|(place, doc, text)| Some((usize::try_from(place).ok()?, doc, text)))
        .collect())
}

fn changes_entry(patch: &Patch) -> bool {
    patch.keywords.is_some() || patch.summary.is_some() || !patch.metadata.is_empty()
}

/// One array for each column that a patch changes.
#[derive(Default)]
struct Changed {
    docs: Vec<i64>,
    summary: Vec<Option<String>>,
    keywords: Vec<String>,
    added: Vec<String>,
    derived: Derived,
}

impl Changed {
    fn push(&mut self, doc: i64, mut entry: Entry, mut added: Map<String, Value>, patch: &Patch) {
        let mut metadata = patch.metadata.clone();
        clean_object(&mut metadata);
        entry.metadata.extend(metadata.clone());
        added.extend(metadata);
        if let Some(summary) = &patch.summary {
            let mut summary = summary.clone();
            clean_text(&mut summary);
            entry.summary = Some(summary);
        }
        if let Some(keywords) = &patch.keywords {
            let mut keywords = keywords.clone();
            keywords.iter_mut().for_each(clean_text);
            entry.keywords = keywords;
        }
        self.derived.push(&entry);
        self.docs.push(doc);
        self.summary.push(entry.summary);
        self.keywords.push(Value::from(entry.keywords).to_string());
        self.added.push(Value::Object(added).to_string());
    }
}

async fn apply(connection: &mut PgConnection, patches: &[(i64, &Patch)]) -> Result<(), StoreError> {
    if patches.is_empty() {
        return Ok(());
    }
    let docs: Vec<i64> = patches.iter().map(|(doc, _)| *doc).collect();
    let rows = sqlx::query(concat!(
        "SELECT ",
        entry_columns!(),
        " FROM unnest($1::bigint[]) WITH ORDINALITY AS n (doc, place) \
         JOIN enhanced_entries e ON e.doc = n.doc ORDER BY n.place"
    ))
    .bind(docs)
    .fetch_all(&mut *connection)
    .await
    .doing("read entries")?;
    let mut changed = Changed::default();
    for (row, (doc, patch)) in rows.iter().zip(patches) {
        let entry = read_entry(row)?;
        let added: String = row.try_get(8).doing("read entries")?;
        let added = parse("metadata", &entry.entry_id, &added)?;
        changed.push(*doc, entry, added, patch);
    }
    let first = reserve(connection, changed.docs.len()).await?;
    let query = sqlx::query(UPDATE)
        .bind(changed.docs)
        .bind(changed.summary)
        .bind(changed.keywords)
        .bind(changed.added);
    let (query, words) = changed.derived.bind(query);
    query
        .bind(first)
        .execute(&mut *connection)
        .await
        .doing("write enhancements")?;
    write_words(connection, &words).await
}

async fn mark_complete(
    connection: &mut PgConnection,
    module: &str,
    docs: Vec<i64>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO gannet_enhancement (doc, module, status, at) \
         SELECT n.doc, $2, 'complete', now() FROM unnest($1::bigint[]) AS n (doc) \
         ON CONFLICT (doc, module) DO UPDATE SET status = 'complete', at = excluded.at, \
             attempts = 0, error = NULL, retry_at = '-infinity'",
    )
    .bind(docs)
    .bind(module)
    .execute(connection)
    .await
    .doing("note enhancements")?;
    Ok(())
}

/// A failure is tried again after a minute, then two, up to an hour.
async fn mark_failed(
    connection: &mut PgConnection,
    module: &str,
    failed: Vec<(i64, &str)>,
) -> Result<(), StoreError> {
    if failed.is_empty() {
        return Ok(());
    }
    let (docs, mut errors): (Vec<i64>, Vec<String>) = failed
        .into_iter()
        .map(|(doc, error)| (doc, error.to_owned()))
        .unzip();
    errors.iter_mut().for_each(clean_text);
    sqlx::query(
        "INSERT INTO gannet_enhancement AS s (doc, module, status, at, attempts, error, retry_at) \
         SELECT n.doc, $3, 'failed', now(), 1, n.error, now() + interval '1 minute' \
         FROM unnest($1::bigint[], $2::text[]) AS n (doc, error) \
         ON CONFLICT (doc, module) DO UPDATE SET status = 'failed', at = now(), \
         attempts = s.attempts + 1, error = excluded.error, retry_at = now() + least( \
             interval '1 minute' * (1 << least(s.attempts, 20)), interval '1 hour')",
    )
    .bind(docs)
    .bind(errors)
    .bind(module)
    .execute(connection)
    .await
    .doing("note failed enhancements")?;
    Ok(())
}
