//! Vectors that ARIEL made: one for each entry, over its whole text.

use sqlx::{AssertSqlSafe, PgConnection};

use super::connect::begin_write;
use super::models::ModelRow;
use super::retry::again;
use super::{PostgresStore, reserve};
use crate::error::{DatabaseContext, StoreError};

/// Vectors a transaction, once the index over them is there.
const ROWS: i64 = 1_000;
/// ARIEL's module that makes vectors, and ours.
pub(crate) const MODULE: &str = "text_embedding";

impl PostgresStore {
    /// Takes over what ARIEL embedded since the last time.
    pub(super) async fn adopt_vectors(&self) -> Result<(), StoreError> {
        let models: Vec<ModelRow> = again!({
            sqlx::query_as("SELECT model, name, variant, dimension FROM gannet_models")
                .fetch_all(&self.pool)
                .await
                .doing("read the models")
        })?;
        for model in &models {
            while self.adopt_some_vectors(model).await? > 0 {}
        }
        Ok(())
    }

    async fn adopt_some_vectors(&self, model: &ModelRow) -> Result<usize, StoreError> {
        again!({
            let mut transaction = begin_write(&self.pool).await?;
            let taken = take_over(&mut transaction, model, ROWS).await?;
            transaction
                .commit()
                .await
                .doing("adopt vectors of ARIEL's")?;
            Ok(taken)
        })
    }
}

/// Copies at most so many of ARIEL's vectors of a model, and notes that their
/// entries need not be embedded; returns how many. An entry that had vectors
/// here before keeps them, or waits for new ones.
pub(super) async fn take_over(
    connection: &mut PgConnection,
    model: &ModelRow,
    limit: i64,
) -> Result<usize, StoreError> {
    let table = table_name(&model.name);
    if !fits(connection, &table, model).await? {
        return Ok(0);
    }
    // The name consists of letters, digits and `_` alone.
    let copy = format!(
        "INSERT INTO gannet_passages (model, doc, ordinal, \"start\", \"end\", text_hash, embedding) \
         SELECT $1, e.doc, 0, 0, octet_length(e.raw_text), e.text_hash, t.embedding \
         FROM {table} t JOIN enhanced_entries e ON e.tenant = 'default' AND e.entry_id = t.entry_id \
         WHERE e.seq IS NOT NULL AND t.embedding IS NOT NULL AND NOT EXISTS ( \
             SELECT 1 FROM gannet_entry_vectors v WHERE v.model = $1 AND v.doc = e.doc) \
         ORDER BY e.doc LIMIT $2 RETURNING doc"
    );
    let docs: Vec<i64> = sqlx::query_scalar(AssertSqlSafe(copy))
        .bind(model.model)
        .bind(limit)
        .fetch_all(&mut *connection)
        .await
        .doing("adopt vectors of ARIEL's")?;
    let first = reserve(connection, docs.len()).await?;
    sqlx::query(
        "INSERT INTO gannet_entry_vectors (model, doc, passages, seq) \
         SELECT $1, d.doc, 1, $3 + d.place - 1 \
         FROM unnest($2::bigint[]) WITH ORDINALITY AS d (doc, place)",
    )
    .bind(model.model)
    .bind(&docs)
    .bind(first)
    .execute(&mut *connection)
    .await
    .doing("adopt vectors of ARIEL's")?;
    sqlx::query(
        "INSERT INTO gannet_enhancement (doc, module, status, at) \
         SELECT d.doc, $2, 'complete', now() FROM unnest($1::bigint[]) AS d (doc) \
         ON CONFLICT DO NOTHING",
    )
    .bind(&docs)
    .bind(MODULE)
    .execute(connection)
    .await
    .doing("adopt vectors of ARIEL's")?;
    Ok(docs.len())
}

/// Whether ARIEL has a table for the model, of the model's dimension.
async fn fits(
    connection: &mut PgConnection,
    table: &str,
    model: &ModelRow,
) -> Result<bool, StoreError> {
    // The modifier of the type `vector` is its dimension.
    let dimension: Option<i32> = sqlx::query_scalar(
        "SELECT atttypmod FROM pg_attribute \
         WHERE attrelid = to_regclass($1) AND attname = 'embedding' AND NOT attisdropped",
    )
    .bind(table)
    .fetch_optional(connection)
    .await
    .doing("look for vectors of ARIEL's")?;
    if let Some(dimension) = dimension.filter(|&dimension| dimension != model.dimension) {
        tracing::warn!(
            model = model.name,
            table,
            dimension,
            "the vectors of ARIEL's are left alone: the model has another dimension now"
        );
    }
    Ok(dimension == Some(model.dimension))
}

/// ARIEL's rule: lower case, `-`, `.` and `/` become `_`, and several `_` in a
/// row one. Other characters than letters and digits are in no table's name.
pub(crate) fn table_name(model: &str) -> String {
    let mut name = "text_embeddings_".to_owned();
    for character in model.to_lowercase().chars() {
        if character.is_ascii_alphanumeric() {
            name.push(character);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_s_table_has_ariel_s_name() {
        for (model, table) in [
            ("nomic-embed-text", "text_embeddings_nomic_embed_text"),
            (
                "BAAI/bge-small--en.v1.5",
                "text_embeddings_baai_bge_small_en_v1_5",
            ),
            ("x; DROP TABLE y", "text_embeddings_x_drop_table_y"),
        ] {
            assert_eq!(table_name(model), table);
        }
    }
}
