//! Models and vectors of a copy.

use std::collections::HashMap;

use gannet_api::{EmbeddingModel, PassageEmbedding};
use serde_json::Value;
use sqlx::SqliteConnection;

use super::copy::CopyWrite;
use super::embeddings::{ModelRow, delete_model, insert_model};
use super::upsert::drop_vectors_of;
use super::{Records, as_i64, json_numbers, now_micros, reserve};
use crate::error::{SqliteContext, StoreError};
use crate::models::with_tokens;

/// A model of the original's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopiedModel {
    /// The original's name for it.
    pub(crate) source: String,
    /// Its number here; `None` when it was forgotten here.
    pub(crate) model: Option<i64>,
    /// The last change of its vectors that is here.
    pub(crate) reached: i64,
}

from_row!(Sqlite => CopiedModel { source, model, reached });

/// An entry's vectors as they are at the original; none when they are gone.
#[derive(Debug, Clone)]
pub(crate) struct CopiedVectors {
    /// The entry's number here.
    pub(crate) doc: i64,
    pub(crate) passages: Vec<PassageEmbedding>,
    /// Where the passages end: at the end of the text.
    pub(crate) is_whole_text: bool,
}

impl Records {
    pub(crate) async fn copied_models(&self) -> Result<Vec<CopiedModel>, StoreError> {
        sqlx::query_as("SELECT source, model, reached FROM copied_models ORDER BY source")
            .fetch_all(&self.sequential)
            .await
            .doing("read the copied models")
    }

    /// The numbers here of entries that the original knows by these numbers.
    pub(crate) async fn docs_of_sources(
        &self,
        sources: &[i64],
    ) -> Result<HashMap<i64, i64>, StoreError> {
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT c.source, c.doc FROM json_each(?) j \
             CROSS JOIN copied_entries c ON c.source = j.value",
        )
        .bind(json_numbers(sources))
        .fetch_all(&self.sequential)
        .await
        .doing("read the numbers of copied entries")?;
        Ok(rows.into_iter().collect())
    }

    /// The entries of a tenant: number here, and the version of their vectors
    /// that is here.
    pub(crate) async fn copied_vector_versions(
        &self,
        tenant: &str,
        source: &str,
    ) -> Result<HashMap<String, (i64, Option<i64>)>, StoreError> {
        let rows: Vec<(String, i64, Option<i64>)> = sqlx::query_as(
            "SELECT e.entry_id, e.doc, v.stamp FROM entries e \
             LEFT JOIN copied_vectors v ON v.source = ?2 AND v.doc = e.doc WHERE e.tenant = ?1",
        )
        .bind(tenant)
        .bind(source)
        .fetch_all(&self.sequential)
        .await
        .doing("read the versions of copied vectors")?;
        Ok(rows
            .into_iter()
            .map(|(id, doc, stamp)| (id, (doc, stamp)))
            .collect())
    }
}

impl CopyWrite {
    /// The model of this name, made when it is missing.
    pub(crate) async fn model_named(
        &mut self,
        name: &str,
        variant: &str,
        dimension: i64,
    ) -> Result<ModelRow, StoreError> {
        let connection = self.connection();
        if let Some(stored) = find_model(connection, name).await? {
            return Ok(stored);
        }
        let model = insert_model(connection, name, (variant, dimension)).await?;
        Ok(ModelRow {
            model,
            name: name.to_owned(),
            variant: variant.to_owned(),
            dimension,
        })
    }

    pub(crate) async fn model_numbered(
        &mut self,
        model: i64,
    ) -> Result<Option<ModelRow>, StoreError> {
        sqlx::query_as("SELECT model, name, variant, dimension FROM models WHERE model = ?")
            .bind(model)
            .fetch_optional(self.connection())
            .await
            .doing("read a model")
    }

    /// Gives a model another name and variant.
    pub(crate) async fn rename_model(
        &mut self,
        model: i64,
        offered: &EmbeddingModel,
    ) -> Result<(), StoreError> {
        sqlx::query("UPDATE models SET name = ?, variant = ? WHERE model = ?")
            .bind(&offered.name)
            .bind(&offered.variant)
            .bind(model)
            .execute(self.connection())
            .await
            .doing("name a copied model")?;
        Ok(())
    }

    /// Deletes a model and its vectors.
    pub(crate) async fn delete_model(&mut self, model: i64) -> Result<(), StoreError> {
        delete_model(self.connection(), model).await
    }

    /// Notes which model here is the original's, and how far its vectors are.
    pub(crate) async fn put_copied_model(
        &mut self,
        copied: &CopiedModel,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO copied_models (source, model, reached) VALUES (?, ?, ?) \
             ON CONFLICT DO UPDATE SET model = excluded.model, reached = excluded.reached",
        )
        .bind(&copied.source)
        .bind(copied.model)
        .bind(copied.reached)
        .execute(self.connection())
        .await
        .doing("note a copied model")?;
        Ok(())
    }

    /// Drops what is known of a model that the original has no more.
    pub(crate) async fn remove_copied_model(&mut self, source: &str) -> Result<(), StoreError> {
        for statement in [
            "DELETE FROM copied_models WHERE source = ?",
            "DELETE FROM copied_vectors WHERE source = ?",
        ] {
            sqlx::query(statement)
                .bind(source)
                .execute(self.connection())
                .await
                .doing("forget a copied model")?;
        }
        Ok(())
    }

    /// Replaces the vectors of entries. Entries that are gone are left out.
    pub(crate) async fn put_vectors(
        &mut self,
        model: &ModelRow,
        replaced: &[CopiedVectors],
    ) -> Result<(), StoreError> {
        let connection = self.connection();
        let first = reserve(connection, replaced.len()).await?;
        let docs: Vec<i64> = replaced.iter().map(|copied| copied.doc).collect();
        sqlx::query(
            "DELETE FROM embeddings WHERE model = ? AND doc IN (SELECT value FROM json_each(?))",
        )
        .bind(model.model)
        .bind(json_numbers(&docs))
        .execute(&mut *connection)
        .await
        .doing("replace vectors")?;
        insert(connection, model, replaced).await?;
        let counts = replaced.iter().enumerate().map(|(index, copied)| {
            Value::from_iter([
                copied.doc,
                as_i64(copied.passages.len()),
                first + as_i64(index),
                as_i64(with_tokens(&copied.passages)),
            ])
        });
        sqlx::query(
            "INSERT INTO entry_vectors (model, doc, passages, seq, with_tokens) \
             SELECT ?1, e.doc, j.value ->> 1, j.value ->> 2, j.value ->> 3 FROM json_each(?2) j \
             CROSS JOIN entries e ON e.doc = j.value ->> 0 WHERE true \
             ON CONFLICT DO UPDATE SET passages = excluded.passages, seq = excluded.seq, \
             with_tokens = excluded.with_tokens",
        )
        .bind(model.model)
        .bind(Value::from_iter(counts).to_string())
        .execute(connection)
        .await
        .doing("copy vectors")?;
        Ok(())
    }

    /// Drops the vectors of one model.
    pub(crate) async fn drop_vectors(
        &mut self,
        model: i64,
        docs: &[i64],
    ) -> Result<(), StoreError> {
        drop_vectors_of(self.connection(), docs, Some(model)).await
    }

    /// Notes which versions of vectors are here: entry and version.
    pub(crate) async fn put_vector_versions(
        &mut self,
        source: &str,
        versions: &[(i64, i64)],
    ) -> Result<(), StoreError> {
        let pairs = versions
            .iter()
            .map(|&(doc, stamp)| Value::from_iter([doc, stamp]));
        sqlx::query(
            "INSERT INTO copied_vectors (source, doc, stamp) \
             SELECT ?1, j.value ->> 0, j.value ->> 1 FROM json_each(?2) j WHERE true \
             ON CONFLICT DO UPDATE SET stamp = excluded.stamp",
        )
        .bind(source)
        .bind(Value::from_iter(pairs).to_string())
        .execute(self.connection())
        .await
        .doing("note the versions of copied vectors")?;
        Ok(())
    }

    /// The entries whose vectors were copied.
    pub(crate) async fn docs_with_versions(
        &mut self,
        source: &str,
    ) -> Result<Vec<i64>, StoreError> {
        sqlx::query_scalar("SELECT doc FROM copied_vectors WHERE source = ?")
            .bind(source)
            .fetch_all(self.connection())
            .await
            .doing("find copied vectors")
    }

    /// Drops the versions of vectors that are gone.
    pub(crate) async fn remove_vector_versions(
        &mut self,
        source: &str,
        docs: &[i64],
    ) -> Result<(), StoreError> {
        sqlx::query(
            "DELETE FROM copied_vectors WHERE source = ?1 \
             AND doc IN (SELECT value FROM json_each(?2))",
        )
        .bind(source)
        .bind(json_numbers(docs))
        .execute(self.connection())
        .await
        .doing("note the versions of copied vectors")?;
        Ok(())
    }

    /// Notes that a module need not work on entries.
    pub(crate) async fn complete(&mut self, module: &str, docs: &[i64]) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO enhancement_status (doc, module, status, at) \
             SELECT j.value, ?1, 'complete', ?2 FROM json_each(?3) j WHERE true \
             ON CONFLICT DO UPDATE SET status = 'complete', at = excluded.at, attempts = 0, \
             error = NULL, retry_at = 0",
        )
        .bind(module)
        .bind(now_micros())
        .bind(json_numbers(docs))
        .execute(self.connection())
        .await
        .doing("note an enhancement")?;
        Ok(())
    }

    /// Notes that a module has to work on entries again.
    pub(crate) async fn reopen(&mut self, module: &str, docs: &[i64]) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE enhancement_status SET status = 'pending', attempts = 0, error = NULL, \
             retry_at = 0 WHERE module = ? AND doc IN (SELECT value FROM json_each(?))",
        )
        .bind(module)
        .bind(json_numbers(docs))
        .execute(self.connection())
        .await
        .doing("reset enhancement")?;
        Ok(())
    }

    /// The entries that have vectors of a model.
    pub(crate) async fn docs_with_vectors(&mut self, model: i64) -> Result<Vec<i64>, StoreError> {
        sqlx::query_scalar("SELECT doc FROM entry_vectors WHERE model = ? AND passages > 0")
            .bind(model)
            .fetch_all(self.connection())
            .await
            .doing("find copied vectors")
    }
}

async fn find_model(
    connection: &mut SqliteConnection,
    name: &str,
) -> Result<Option<ModelRow>, StoreError> {
    sqlx::query_as("SELECT model, name, variant, dimension FROM models WHERE name = ?")
        .bind(name)
        .fetch_optional(connection)
        .await
        .doing("read a model")
}

/// Writes vectors by one statement, which cuts them out of one long blob: a
/// statement for each would take most of its time to reach the database's
/// thread.
async fn insert(
    connection: &mut SqliteConnection,
    model: &ModelRow,
    replaced: &[CopiedVectors],
) -> Result<(), StoreError> {
    let mut places = Vec::new();
    let (mut blob, mut signs) = (Vec::new(), Vec::new());
    for copied in replaced {
        for (ordinal, passage) in copied.passages.iter().enumerate() {
            let end = (!copied.is_whole_text).then_some(passage.end);
            places.push(Value::from_iter([
                Value::from(copied.doc),
                Value::from(ordinal),
                Value::from(passage.start),
                Value::from(end),
                Value::from(blob.len() + 1),
                Value::from(passage.vector.len() * size_of::<f32>()),
                Value::from(signs.len() + 1),
                Value::from(passage.token_signs.as_ref().map(Vec::len)),
            ]));
            signs.extend(passage.token_signs.iter().flatten());
            for number in &passage.vector {
                blob.extend_from_slice(&number.to_le_bytes());
            }
        }
    }
    sqlx::query(
        "INSERT INTO embeddings (model, doc, ordinal, start, \"end\", text_hash, vector, \
         token_signs) SELECT ?1, e.doc, j.value ->> 1, j.value ->> 2, \
         coalesce(j.value ->> 3, length(CAST(e.raw_text AS BLOB))), e.text_hash, \
         substr(?3, j.value ->> 4, j.value ->> 5), \
         CASE WHEN j.value ->> 7 IS NOT NULL THEN substr(?4, j.value ->> 6, j.value ->> 7) END \
         FROM json_each(?2) j CROSS JOIN entries e ON e.doc = j.value ->> 0",
    )
    .bind(model.model)
    .bind(Value::from_iter(places).to_string())
    .bind(blob)
    .bind(signs)
    .execute(connection)
    .await
    .doing("copy vectors")?;
    Ok(())
}
