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
            again!({ self.follow_vectors(model).await })?;
            while self.adopt_some_vectors(model).await? > 0 {}
        }
        Ok(())
    }

    /// ARIEL may make its table long after the model was registered.
    async fn follow_vectors(&self, model: &ModelRow) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await.doing("look for vectors")?;
        if !is_to_follow(&mut connection, model).await? {
            return Ok(());
        }
        drop(connection);
        let mut transaction = begin_write(&self.pool).await?;
        note_vectors(&mut transaction, model).await?;
        transaction
            .commit()
            .await
            .doing("follow vectors of ARIEL's")
    }

    async fn adopt_some_vectors(&self, model: &ModelRow) -> Result<usize, StoreError> {
        let waiting: bool = again!({
            sqlx::query_scalar(
                "SELECT EXISTS (SELECT 1 FROM gannet_ariel_vectors WHERE model = $1)",
            )
            .bind(model.model)
            .fetch_one(&self.pool)
            .await
            .doing("look for vectors of ARIEL's")
        })?;
        if !waiting {
            return Ok(0);
        }
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

/// From here on a trigger notes what ARIEL embeds with a model. What it
/// embedded before is noted here; an entry that had vectors in the store
/// before keeps them, or waits for new ones.
pub(super) async fn note_vectors(
    connection: &mut PgConnection,
    model: &ModelRow,
) -> Result<(), StoreError> {
    if !is_to_follow(connection, model).await? {
        return Ok(());
    }
    // The name consists of letters, digits and `_` alone.
    let table = table_name(&model.name);
    let number = model.model;
    let statements = format!(
        "CREATE TRIGGER gannet_note_vector_{number} AFTER INSERT OR UPDATE ON {table} \
             FOR EACH ROW WHEN (NEW.embedding IS NOT NULL) \
             EXECUTE FUNCTION gannet_note_vector('{number}'); \
         INSERT INTO gannet_ariel_vectors (model, entry_id, text) \
             SELECT {number}, e.entry_id, md5(e.raw_text) \
             FROM {table} t JOIN enhanced_entries e \
                 ON e.tenant = 'default' AND e.entry_id = t.entry_id \
             WHERE t.embedding IS NOT NULL AND NOT EXISTS ( \
                 SELECT 1 FROM gannet_entry_vectors v WHERE v.model = {number} AND v.doc = e.doc) \
             ON CONFLICT DO NOTHING"
    );
    sqlx::raw_sql(AssertSqlSafe(statements))
        .execute(connection)
        .await
        .doing("follow vectors of ARIEL's")?;
    Ok(())
}

/// The opposite, before a model is forgotten.
pub(super) async fn forget_vectors(
    connection: &mut PgConnection,
    model: &ModelRow,
) -> Result<(), StoreError> {
    let table = table_name(&model.name);
    let number = model.model;
    let there: bool = sqlx::query_scalar(HAS_TRIGGER)
        .bind(&table)
        .bind(trigger_name(model))
        .fetch_one(&mut *connection)
        .await
        .doing("look for vectors of ARIEL's")?;
    let mut statements = format!("DELETE FROM gannet_ariel_vectors WHERE model = {number}");
    if there {
        statements = format!("DROP TRIGGER gannet_note_vector_{number} ON {table}; {statements}");
    }
    sqlx::raw_sql(AssertSqlSafe(statements))
        .execute(connection)
        .await
        .doing("forget vectors of ARIEL's")?;
    Ok(())
}

/// Copies at most so many of ARIEL's vectors of a model, and notes that their
/// entries need not be embedded; returns how many were looked at. A vector of
/// a text that is no more is left, and so is one of an entry that was
/// embedded here.
pub(super) async fn take_over(
    connection: &mut PgConnection,
    model: &ModelRow,
    limit: i64,
) -> Result<usize, StoreError> {
    let noted: Vec<(Option<i64>, bool)> = sqlx::query_as(
        "WITH noted AS (SELECT n.entry_id, e.doc, n.text = md5(e.raw_text) AS fits \
             FROM gannet_ariel_vectors n LEFT JOIN enhanced_entries e \
                 ON e.tenant = 'default' AND e.entry_id = n.entry_id \
             WHERE n.model = $1 AND (e.doc IS NULL OR e.seq IS NOT NULL) \
             ORDER BY e.doc LIMIT $2) \
         DELETE FROM gannet_ariel_vectors n USING noted \
         WHERE n.model = $1 AND n.entry_id = noted.entry_id \
         RETURNING noted.doc, coalesce(noted.fits, false)",
    )
    .bind(model.model)
    .bind(limit)
    .fetch_all(&mut *connection)
    .await
    .doing("adopt vectors of ARIEL's")?;
    let looked_at = noted.len();
    let fitting: Vec<i64> = noted
        .into_iter()
        .filter(|(_, fits)| *fits)
        .filter_map(|(doc, _)| doc)
        .collect();
    if !fitting.is_empty() {
        copy(connection, model, &fitting).await?;
    }
    Ok(looked_at)
}

async fn copy(
    connection: &mut PgConnection,
    model: &ModelRow,
    docs: &[i64],
) -> Result<(), StoreError> {
    // The name consists of letters, digits and `_` alone.
    let copy = format!(
        "INSERT INTO gannet_passages (model, doc, ordinal, \"start\", \"end\", text_hash, embedding) \
         SELECT $1, e.doc, 0, 0, octet_length(e.raw_text), e.text_hash, t.embedding \
         FROM {} t JOIN enhanced_entries e ON e.tenant = 'default' AND e.entry_id = t.entry_id \
         WHERE e.doc = ANY($2) AND t.embedding IS NOT NULL AND NOT EXISTS ( \
             SELECT 1 FROM gannet_entry_vectors v \
             WHERE v.model = $1 AND v.doc = e.doc AND v.passages > 0) \
         ORDER BY e.doc RETURNING doc",
        table_name(&model.name)
    );
    let docs: Vec<i64> = sqlx::query_scalar(AssertSqlSafe(copy))
        .bind(model.model)
        .bind(docs)
        .fetch_all(&mut *connection)
        .await
        .doing("adopt vectors of ARIEL's")?;
    let first = reserve(connection, docs.len()).await?;
    sqlx::query(
        "INSERT INTO gannet_entry_vectors (model, doc, passages, seq) \
         SELECT $1, d.doc, 1, $3 + d.place - 1 \
         FROM unnest($2::bigint[]) WITH ORDINALITY AS d (doc, place) \
         ON CONFLICT (model, doc) DO UPDATE SET passages = 1, with_tokens = 0, \
             seq = excluded.seq",
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
         ON CONFLICT (doc, module) DO UPDATE SET status = 'complete', at = excluded.at, \
             attempts = 0, error = NULL, retry_at = '-infinity'",
    )
    .bind(&docs)
    .bind(MODULE)
    .execute(connection)
    .await
    .doing("adopt vectors of ARIEL's")?;
    Ok(())
}

const HAS_TRIGGER: &str = "SELECT EXISTS (SELECT 1 FROM pg_trigger \
    WHERE tgrelid = to_regclass($1) AND tgname = $2)";

fn trigger_name(model: &ModelRow) -> String {
    format!("gannet_note_vector_{}", model.model)
}

/// Whether ARIEL has a table for the model, of the model's dimension, on
/// which there is no trigger yet and may be one.
async fn is_to_follow(connection: &mut PgConnection, model: &ModelRow) -> Result<bool, StoreError> {
    let table = table_name(&model.name);
    // The modifier of the type `vector` is its dimension.
    let found: Option<(i32, bool)> = sqlx::query_as(
        "SELECT atttypmod, has_table_privilege(attrelid, 'TRIGGER, SELECT') FROM pg_attribute \
         WHERE attrelid = to_regclass($1) AND attname = 'embedding' AND NOT attisdropped \
         AND NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = attrelid AND tgname = $2)",
    )
    .bind(&table)
    .bind(trigger_name(model))
    .fetch_optional(connection)
    .await
    .doing("look for vectors of ARIEL's")?;
    let reason = match found {
        None => return Ok(false),
        Some((dimension, _)) if dimension != model.dimension => "the model has another dimension",
        Some((_, false)) => "this role may not put a trigger on the table",
        Some(_) => return Ok(true),
    };
    tracing::debug!(
        model = model.name,
        table,
        reason,
        "the vectors of ARIEL's are left alone"
    );
    Ok(false)
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
