//! Passages and their vectors.

use std::collections::BTreeMap;

use gannet_api::PassageEmbeddings;
use pgvector::Vector;
use sqlx::PgConnection;

use super::models::{ModelRow, known_model};
use super::{as_i32, reserve};
use crate::error::{DatabaseContext, StoreError};
use crate::models::with_tokens;

/// An entry's new vectors of one model.
pub(super) struct NewVectors<'a> {
    pub(super) doc: i64,
    pub(super) text_hash: i64,
    pub(super) embeddings: &'a PassageEmbeddings,
}

/// Replaces vectors of entries, each of which is named once.
pub(super) async fn replace_vectors(
    connection: &mut PgConnection,
    offered: &[NewVectors<'_>],
) -> Result<(), StoreError> {
    let mut by_model: BTreeMap<&str, Vec<&NewVectors<'_>>> = BTreeMap::new();
    for one in offered {
        by_model.entry(&one.embeddings.model).or_default().push(one);
    }
    for (model, entries) in by_model {
        let stored = known_model(connection, model).await?;
        replace_of_model(connection, &stored, &entries).await?;
    }
    Ok(())
}

/// One array for each column.
#[derive(Default)]
struct Passages {
    docs: Vec<i64>,
    text_hashes: Vec<i64>,
    ordinals: Vec<i32>,
    starts: Vec<i32>,
    ends: Vec<i32>,
    vectors: Vec<Vector>,
    token_signs: Vec<Option<Vec<u8>>>,
}

impl Passages {
    fn push(&mut self, model: &ModelRow, offered: &NewVectors<'_>) -> Result<(), StoreError> {
        for (ordinal, passage) in offered.embeddings.passages.iter().enumerate() {
            if as_i32(passage.vector.len()) != model.dimension {
                return Err(StoreError::ModelChanged {
                    name: model.name.clone(),
                    stored: format!("{} dimensions", model.dimension),
                    offered: format!("{} dimensions", passage.vector.len()),
                });
            }
            self.docs.push(offered.doc);
            self.text_hashes.push(offered.text_hash);
            self.ordinals.push(as_i32(ordinal));
            self.starts.push(as_i32(passage.start));
            self.ends.push(as_i32(passage.end));
            self.vectors.push(Vector::from(passage.vector.clone()));
            self.token_signs.push(passage.token_signs.clone());
        }
        Ok(())
    }
}

async fn replace_of_model(
    connection: &mut PgConnection,
    model: &ModelRow,
    entries: &[&NewVectors<'_>],
) -> Result<(), StoreError> {
    let mut passages = Passages::default();
    for one in entries {
        passages.push(model, one)?;
    }
    let docs: Vec<i64> = entries.iter().map(|one| one.doc).collect();
    let counts: Vec<i32> = entries
        .iter()
        .map(|one| as_i32(one.embeddings.passages.len()))
        .collect();
    let with_tokens: Vec<i32> = entries
        .iter()
        .map(|one| as_i32(with_tokens(&one.embeddings.passages)))
        .collect();
    let first = reserve(connection, entries.len()).await?;
    sqlx::query("DELETE FROM gannet_passages WHERE model = $1 AND doc = ANY($2)")
        .bind(model.model)
        .bind(&docs)
        .execute(&mut *connection)
        .await
        .doing("replace vectors")?;
    sqlx::query(
        "INSERT INTO gannet_entry_vectors (model, doc, passages, with_tokens, seq) \
         SELECT $1, n.doc, n.passages, n.with_tokens, $5 + n.place - 1 \
         FROM unnest($2::bigint[], $3::integer[], $4::integer[]) WITH ORDINALITY \
             AS n (doc, passages, with_tokens, place) \
         ON CONFLICT (model, doc) DO UPDATE SET passages = excluded.passages, \
             with_tokens = excluded.with_tokens, seq = excluded.seq",
    )
    .bind(model.model)
    .bind(docs)
    .bind(counts)
    .bind(with_tokens)
    .bind(first)
    .execute(&mut *connection)
    .await
    .doing("write vectors")?;
    sqlx::query(
        "INSERT INTO gannet_passages (model, doc, ordinal, \"start\", \"end\", text_hash, embedding, \
             token_signs) \
         SELECT $1, p.* FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::integer[], \
             $6::bigint[], $7::vector[], $8::bytea[]) AS p",
    )
    .bind(model.model)
    .bind(passages.docs)
    .bind(passages.ordinals)
    .bind(passages.starts)
    .bind(passages.ends)
    .bind(passages.text_hashes)
    .bind(passages.vectors)
    .bind(passages.token_signs)
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
        "UPDATE gannet_entry_vectors v \
         SET passages = 0, with_tokens = 0, seq = $3 + o.place - 1 \
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
