//! Passages and their vectors.

use gannet_api::PassageEmbeddings;
use pgvector::Vector;
use sqlx::PgConnection;

use super::models::known_model;
use super::{as_i32, reserve};
use crate::error::{DatabaseContext, StoreError};

/// Replaces an entry's vectors of one model.
pub(super) async fn replace_vectors(
    connection: &mut PgConnection,
    doc: i64,
    text_hash: i64,
    offered: PassageEmbeddings,
) -> Result<(), StoreError> {
    let stored = known_model(connection, &offered.model).await?;
    let mut starts = Vec::new();
    let mut ends = Vec::new();
    let mut vectors = Vec::new();
    for passage in offered.passages {
        if as_i32(passage.vector.len()) != stored.dimension {
            return Err(StoreError::ModelChanged {
                name: stored.name,
                stored: format!("{} dimensions", stored.dimension),
                offered: format!("{} dimensions", passage.vector.len()),
            });
        }
        starts.push(as_i32(passage.start));
        ends.push(as_i32(passage.end));
        vectors.push(Vector::from(passage.vector));
    }
    let seq = reserve(connection, 1).await?;
    sqlx::query("DELETE FROM gannet_passages WHERE model = $1 AND doc = $2")
        .bind(stored.model)
        .bind(doc)
        .execute(&mut *connection)
        .await
        .doing("replace vectors")?;
    sqlx::query(
        "INSERT INTO gannet_entry_vectors (model, doc, passages, seq) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (model, doc) DO UPDATE SET passages = excluded.passages, seq = excluded.seq",
    )
    .bind(stored.model)
    .bind(doc)
    .bind(as_i32(vectors.len()))
    .bind(seq)
    .execute(&mut *connection)
    .await
    .doing("write vectors")?;
    sqlx::query(
        "INSERT INTO gannet_passages (model, doc, ordinal, \"start\", \"end\", text_hash, embedding) \
         SELECT $1, $2, (p.place - 1)::integer, p.start, p.stop, $3, p.embedding \
         FROM unnest($4::integer[], $5::integer[], $6::vector[]) WITH ORDINALITY \
         AS p (start, stop, embedding, place)",
    )
    .bind(stored.model)
    .bind(doc)
    .bind(text_hash)
    .bind(starts)
    .bind(ends)
    .bind(vectors)
    .execute(connection)
    .await
    .doing("write vectors")?;
    Ok(())
}

/// Drops the vectors of entries whose text is no more.
pub(super) async fn drop_vectors(
    connection: &mut PgConnection,
    docs: &[i64],
) -> Result<(), StoreError> {
    let rows: Vec<(i32, i64)> = sqlx::query_as(
        "SELECT model, doc FROM gannet_entry_vectors WHERE doc = ANY($1) AND passages > 0 \
         ORDER BY model, doc",
    )
    .bind(docs)
    .fetch_all(&mut *connection)
    .await
    .doing("find old vectors")?;
    if rows.is_empty() {
        return Ok(());
    }
    let first = reserve(connection, rows.len()).await?;
    let (models, docs): (Vec<i32>, Vec<i64>) = rows.into_iter().unzip();
    sqlx::query("DELETE FROM gannet_passages WHERE doc = ANY($1)")
        .bind(&docs)
        .execute(&mut *connection)
        .await
        .doing("drop old vectors")?;
    sqlx::query(
        "UPDATE gannet_entry_vectors v SET passages = 0, seq = $3 + o.place - 1 \
         FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS o (model, doc, place) \
         WHERE v.model = o.model AND v.doc = o.doc",
    )
    .bind(models)
    .bind(docs)
    .bind(first)
    .execute(connection)
    .await
    .doing("drop old vectors")?;
    Ok(())
}
