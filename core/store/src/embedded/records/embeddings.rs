//! Models, passages and their vectors.

use std::collections::HashMap;

use gannet_api::{EmbeddingModel, PassageEmbeddings};
use serde::Deserialize;
use sqlx::sqlite::SqliteConnection;

use super::{Records, as_i64, json_numbers, reserve};
use crate::error::{SqliteContext, StoreError};
use crate::models::{check_model, check_new_model, unknown_model, with_tokens};
use gannet_index::VectorChanges;

/// A model as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelRow {
    pub(crate) model: i64,
    pub(crate) name: String,
    pub(crate) variant: String,
    pub(crate) dimension: i64,
}

from_row!(Sqlite => ModelRow { model, name, variant, dimension });

impl ModelRow {
    pub(super) fn check(&self, offered: &EmbeddingModel) -> Result<(), StoreError> {
        check_model(&self.name, (&self.variant, self.dimension), offered)
    }
}

/// A stored passage with what a hit says of its entry.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PassageRow {
    pub(crate) doc: i64,
    pub(crate) tenant: String,
    pub(crate) entry_id: String,
    pub(crate) kind: String,
    /// `None` when the entry has no such passage any more.
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
    /// The entry's text between them, as far as there is any.
    pub(crate) text: Option<String>,
}

impl Records {
    /// Notes a model; refuses another variant or dimension under its name.
    pub(crate) async fn register_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        if let Some(stored) = self.model(&model.name).await? {
            return stored.check(model);
        }
        check_new_model(model)?;
        let mut transaction = self.begin().await?;
        insert_model(
            &mut transaction,
            &model.name,
            (&model.variant, as_i64(model.dimension)),
        )
        .await?;
        transaction.commit().await.doing("register a model")?;
        match self.model(&model.name).await? {
            Some(stored) => stored.check(model),
            None => Err(unknown_model(&model.name)),
        }
    }

    /// Forgets a model and all of its vectors, so that another variant can
    /// take its name.
    pub(crate) async fn forget_model(&self, name: &str) -> Result<(), StoreError> {
        let Some(stored) = self.model(name).await? else {
            return Ok(());
        };
        let mut transaction = self.begin().await?;
        delete_model(&mut transaction, stored.model).await?;
        transaction.commit().await.doing("forget a model")
    }

    pub(crate) async fn model(&self, name: &str) -> Result<Option<ModelRow>, StoreError> {
        sqlx::query_as("SELECT model, name, variant, dimension FROM models WHERE name = ?")
            .bind(name)
            .fetch_optional(&self.readers)
            .await
            .doing("read a model")
    }

    pub(crate) async fn models(&self) -> Result<Vec<ModelRow>, StoreError> {
        sqlx::query_as("SELECT model, name, variant, dimension FROM models ORDER BY name")
            .fetch_all(&self.readers)
            .await
            .doing("read the models")
    }

    /// Passages with a vector, and those of them with token vectors, by model.
    pub(crate) async fn vector_counts(&self) -> Result<Vec<(String, i64, i64)>, StoreError> {
        sqlx::query_as(
            "SELECT m.name, coalesce(sum(v.passages), 0), coalesce(sum(v.with_tokens), 0) \
             FROM models m \
             LEFT JOIN entry_vectors v ON v.model = m.model GROUP BY m.name ORDER BY m.name",
        )
        .fetch_all(&self.readers)
        .await
        .doing("count vectors")
    }

    /// Whether vectors of a model changed after change `since`.
    pub(crate) async fn waiting_for_vectors(
        &self,
        model: &ModelRow,
        since: i64,
    ) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM entry_vectors WHERE model = ?1 AND seq > ?2)",
        )
        .bind(model.model)
        .bind(since)
        .fetch_one(&self.readers)
        .await
        .doing("look for changed vectors")
    }

    /// The vectors of at most `limit` entries that changed after `since`.
    pub(crate) async fn vector_changes(
        &self,
        model: &ModelRow,
        since: i64,
        limit: usize,
    ) -> Result<VectorChanges, StoreError> {
        let last = self.sequence().await?;
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT doc, seq FROM entry_vectors WHERE model = ?1 AND seq > ?2 AND seq <= ?3 \
             ORDER BY seq LIMIT ?4",
        )
        .bind(model.model)
        .bind(since)
        .bind(last)
        .bind(as_i64(limit))
        .fetch_all(&self.sequential)
        .await
        .doing("read changed vectors")?;
        let more = rows.len() == limit;
        let reached = match rows.last() {
            Some(&(_, seq)) if more => seq,
            _ => last,
        };
        let docs: Vec<i64> = rows.into_iter().map(|(doc, _)| doc).collect();
        let blobs: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "SELECT b.doc, b.ordinal, b.vector FROM json_each(?2) j \
             CROSS JOIN embeddings b ON b.model = ?1 AND b.doc = j.value",
        )
        .bind(model.model)
        .bind(json_numbers(&docs))
        .fetch_all(&self.sequential)
        .await
        .doing("read vectors")?;
        let vectors = blobs
            .into_iter()
            .map(|(doc, ordinal, blob)| (doc, ordinal, floats(&blob)))
            .collect();
        Ok(VectorChanges {
            docs,
            vectors,
            mark: self.mark_at(reached).await?,
            reached,
            more,
        })
    }

    /// Passages (entry, ordinal) with their texts, by entry. Nothing else is
    /// read of the entries: most candidates of a search are not shown.
    ///
    /// They come as one value: handing over each column of each row takes
    /// longer than finding it.
    pub(crate) async fn passages(
        &self,
        model: &ModelRow,
        passages: &[(i64, i64)],
    ) -> Result<HashMap<i64, PassageRow>, StoreError> {
        let wanted = serde_json::json!(passages).to_string();
        let found: Vec<u8> = sqlx::query_scalar(
            "SELECT CAST(json_group_array(json_array(\
             e.doc, e.tenant, e.entry_id, e.kind, b.start, b.\"end\", CAST(substr(\
             CAST(e.raw_text AS BLOB), b.start + 1, b.\"end\" - b.start) AS TEXT))) AS BLOB) \
             FROM json_each(?2) j CROSS JOIN entries e ON e.doc = j.value ->> 0 \
             LEFT JOIN embeddings b \
             ON b.model = ?1 AND b.doc = e.doc AND b.ordinal = j.value ->> 1",
        )
        .bind(model.model)
        .bind(wanted)
        .fetch_one(&self.readers)
        .await
        .doing("read passages")?;
        // The text may have changed since: then the passage can end within a
        // character.
        let rows: Vec<PassageRow> = serde_json::from_str(&String::from_utf8_lossy(&found))
            .map_err(|error| sqlx::Error::Decode(error.into()))
            .doing("read passages")?;
        Ok(rows.into_iter().map(|row| (row.doc, row)).collect())
    }
}

/// Notes a model, unless there is one of its name. It is numbered like a
/// change: no two models ever have one number, so that the vectors of a
/// forgotten one are not taken for those of another under its name.
pub(super) async fn insert_model(
    connection: &mut SqliteConnection,
    name: &str,
    (variant, dimension): (&str, i64),
) -> Result<i64, StoreError> {
    let number = reserve(connection, 1).await?;
    sqlx::query(
        "INSERT INTO models (model, name, variant, dimension) VALUES (?, ?, ?, ?) \
         ON CONFLICT (name) DO NOTHING",
    )
    .bind(number)
    .bind(name)
    .bind(variant)
    .bind(dimension)
    .execute(connection)
    .await
    .doing("register a model")?;
    Ok(number)
}

/// Deletes a model and its vectors.
pub(super) async fn delete_model(
    connection: &mut SqliteConnection,
    model: i64,
) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM embeddings WHERE model = ?",
        "DELETE FROM entry_vectors WHERE model = ?",
        "DELETE FROM models WHERE model = ?",
    ] {
        sqlx::query(statement)
            .bind(model)
            .execute(&mut *connection)
            .await
            .doing("forget a model")?;
    }
    Ok(())
}

/// Replaces an entry's vectors of one model.
pub(super) async fn replace_vectors(
    connection: &mut SqliteConnection,
    doc: i64,
    text_hash: i64,
    offered: &PassageEmbeddings,
) -> Result<(), StoreError> {
    let stored: Option<ModelRow> =
        sqlx::query_as("SELECT model, name, variant, dimension FROM models WHERE name = ?")
            .bind(&offered.model)
            .fetch_optional(&mut *connection)
            .await
            .doing("read a model")?;
    let stored = stored.ok_or_else(|| unknown_model(&offered.model))?;
    let seq = reserve(connection, 1).await?;
    sqlx::query("DELETE FROM embeddings WHERE model = ? AND doc = ?")
        .bind(stored.model)
        .bind(doc)
        .execute(&mut *connection)
        .await
        .doing("replace vectors")?;
    for (ordinal, passage) in offered.passages.iter().enumerate() {
        if as_i64(passage.vector.len()) != stored.dimension {
            return Err(StoreError::ModelChanged {
                name: stored.name,
                stored: format!("{} dimensions", stored.dimension),
                offered: format!("{} dimensions", passage.vector.len()),
            });
        }
        sqlx::query(
            "INSERT INTO embeddings (model, doc, ordinal, start, \"end\", text_hash, vector, \
             token_signs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(stored.model)
        .bind(doc)
        .bind(as_i64(ordinal))
        .bind(as_i64(passage.start))
        .bind(as_i64(passage.end))
        .bind(text_hash)
        .bind(bytes(&passage.vector))
        .bind(passage.token_signs.as_deref())
        .execute(&mut *connection)
        .await
        .doing("write vectors")?;
    }
    sqlx::query(
        "INSERT INTO entry_vectors (model, doc, passages, with_tokens, seq) \
         VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET passages = excluded.passages, \
         with_tokens = excluded.with_tokens, seq = excluded.seq",
    )
    .bind(stored.model)
    .bind(doc)
    .bind(as_i64(offered.passages.len()))
    .bind(as_i64(with_tokens(&offered.passages)))
    .bind(seq)
    .execute(connection)
    .await
    .doing("write vectors")?;
    Ok(())
}

fn bytes(vector: &[f32]) -> Vec<u8> {
    vector
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

pub(super) fn floats(blob: &[u8]) -> Vec<f32> {
    blob.chunks_exact(4)
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}
