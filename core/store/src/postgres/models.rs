//! Embedding models, and the index over the vectors of each.

use std::collections::BTreeMap;

use gannet_api::EmbeddingModel;
use sqlx::{AssertSqlSafe, PgConnection};

use super::ariel_vectors::{forget_vectors, note_vectors, take_over};
use super::clean::holds_nul;
use super::connect::begin_write;
use super::retry::again;
use super::{PostgresStore, as_i32};
use crate::error::{DatabaseContext, StoreError};
use crate::models::{check_model, check_new_model, unknown_model};

/// A model as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelRow {
    pub(crate) model: i32,
    pub(crate) name: String,
    pub(crate) variant: String,
    pub(crate) dimension: i32,
}

from_row!(Postgres => ModelRow { model, name, variant, dimension });

/// The largest dimension that pgvector's index takes in half precision.
pub(super) const LARGEST_INDEXED: i32 = 4_000;

impl PostgresStore {
    /// Notes a model, so that its vectors can be stored, and takes over
    /// those that ARIEL made with a model of this name and dimension. Another variant or
    /// dimension under the same name is [`StoreError::ModelChanged`].
    pub async fn register_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        if holds_nul(&model.name) || holds_nul(&model.variant) {
            return Err(StoreError::InvalidRequest {
                message: "the name of a model cannot hold the character U+0000".to_owned(),
            });
        }
        again!({
            let mut transaction = begin_write(&self.pool).await?;
            if let Some(stored) = find_model(&mut transaction, &model.name).await? {
                return check(&stored, model);
            }
            check_new_model(model)?;
            unlimit(&mut transaction).await?;
            let registered: ModelRow = sqlx::query_as(
                "INSERT INTO gannet_models (name, variant, dimension) VALUES ($1, $2, $3) \
                 RETURNING model, name, variant, dimension",
            )
            .bind(&model.name)
            .bind(&model.variant)
            .bind(as_i32(model.dimension))
            .fetch_one(&mut *transaction)
            .await
            .doing("register a model")?;
            // An index is made faster over vectors that are there.
            note_vectors(&mut transaction, &registered).await?;
            take_over(&mut transaction, &registered, i64::MAX).await?;
            make_index(&mut transaction, &registered).await?;
            transaction.commit().await.doing("register a model")
        })
    }

    /// Forgets a model and all of its vectors, so that another variant or
    /// dimension can take its name.
    pub async fn forget_model(&self, name: &str) -> Result<(), StoreError> {
        again!({
            let mut transaction = begin_write(&self.pool).await?;
            let Some(stored) = find_model(&mut transaction, name).await? else {
                return Ok(());
            };
            forget_vectors(&mut transaction, &stored).await?;
            // The index first: its entries need not be taken out one by one.
            let drop_index = format!("DROP INDEX IF EXISTS gannet_vectors_{}", stored.model);
            sqlx::query(AssertSqlSafe(drop_index))
                .execute(&mut *transaction)
                .await
                .doing("forget a model")?;
            for statement in [
                "DELETE FROM gannet_passages WHERE model = $1",
                "DELETE FROM gannet_entry_vectors WHERE model = $1",
                "DELETE FROM gannet_models WHERE model = $1",
            ] {
                sqlx::query(statement)
                    .bind(stored.model)
                    .execute(&mut *transaction)
                    .await
                    .doing("forget a model")?;
            }
            transaction.commit().await.doing("forget a model")
        })
    }

    /// Passages with a vector, and those of them with token vectors, by model.
    pub(super) async fn vector_counts(&self) -> Result<BTreeMap<String, [u64; 2]>, StoreError> {
        let rows: Vec<(String, i64, i64)> = again!({
            sqlx::query_as(
                "SELECT m.name, coalesce(sum(v.passages), 0)::bigint, \
                 coalesce(sum(v.with_tokens), 0)::bigint FROM gannet_models m \
                 LEFT JOIN gannet_entry_vectors v ON v.model = m.model GROUP BY m.name",
            )
            .fetch_all(&self.pool)
            .await
            .doing("count vectors")
        })?;
        Ok(rows
            .into_iter()
            .map(|(name, all, with_tokens)| {
                (name, [all.unsigned_abs(), with_tokens.unsigned_abs()])
            })
            .collect())
    }
}

pub(super) async fn find_model(
    connection: &mut PgConnection,
    name: &str,
) -> Result<Option<ModelRow>, StoreError> {
    if holds_nul(name) {
        return Ok(None);
    }
    sqlx::query_as("SELECT model, name, variant, dimension FROM gannet_models WHERE name = $1")
        .bind(name)
        .fetch_optional(connection)
        .await
        .doing("read a model")
}

pub(super) async fn known_model(
    connection: &mut PgConnection,
    name: &str,
) -> Result<ModelRow, StoreError> {
    let found = find_model(connection, name).await?;
    found.ok_or_else(|| unknown_model(name))
}

/// An index over a hundred thousand vectors takes minutes.
pub(super) async fn unlimit(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("SELECT set_config('statement_timeout', '0', true)")
        .execute(connection)
        .await
        .doing("lift the time limit")?;
    Ok(())
}

/// An index over the vectors of one model alone: dimensions differ, and a
/// search in a shared one would have to leave most of it out.
async fn make_index(connection: &mut PgConnection, model: &ModelRow) -> Result<(), StoreError> {
    let Some(statement) = index_statement(model) else {
        return Ok(());
    };
    sqlx::query(AssertSqlSafe(statement))
        .execute(connection)
        .await
        .doing("make the vector index of a model")?;
    Ok(())
}

/// What makes the index; `None` for more dimensions than an index takes.
pub(super) fn index_statement(model: &ModelRow) -> Option<String> {
    let (model, dimension) = (model.model, model.dimension);
    (dimension <= LARGEST_INDEXED).then(|| {
        format!(
            "CREATE INDEX gannet_vectors_{model} ON gannet_passages \
             USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) WHERE model = {model}"
        )
    })
}

fn check(stored: &ModelRow, offered: &EmbeddingModel) -> Result<(), StoreError> {
    check_model(
        &stored.name,
        (&stored.variant, i64::from(stored.dimension)),
        offered,
    )
}
