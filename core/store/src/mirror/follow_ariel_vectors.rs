//! Copies the vectors that ARIEL made: one for each entry, over its whole
//! text.

use std::collections::{HashMap, HashSet};

use gannet_api::{DEFAULT_TENANT, PassageEmbedding};

use super::VECTORS;
use super::ariel_models::{IsNew, is_claimed, model_of, remove};
use crate::embedded::{CopiedVectors, EmbeddedStore, ModelRow};
use crate::error::StoreError;
use crate::postgres::{ArielLook, ArielModel, EMBEDDING_MODULE, Version};

pub(super) async fn copy(
    look: &mut ArielLook,
    copy: &EmbeddedStore,
    since: Option<u64>,
) -> Result<(), StoreError> {
    let tables = look.models().await?;
    let known = copy.copied().copied_models().await?;
    for known in &known {
        let is_there = tables.iter().any(|table| table.table == known.source);
        if !is_there {
            remove(copy, known).await?;
        }
    }
    for table in &tables {
        let known = known.iter().find(|known| known.source == table.table);
        if let Some((model, IsNew(is_new))) = model_of(copy, known, table).await? {
            let since = since.filter(|_| !is_new);
            copy_table(look, copy, table, &model, since).await?;
        }
    }
    Ok(())
}

async fn copy_table(
    look: &mut ArielLook,
    copy: &EmbeddedStore,
    table: &ArielModel,
    model: &ModelRow,
    since: Option<u64>,
) -> Result<(), StoreError> {
    let there = look.vector_versions(table, since).await?;
    if there.is_empty() && since.is_some() {
        return Ok(());
    }
    let here = copy
        .copied()
        .copied_vector_versions(DEFAULT_TENANT, &table.table)
        .await?;
    let changed: Vec<&Version> = there
        .iter()
        .filter(|(id, version)| {
            here.get(id)
                .is_some_and(|(_, known)| known != &Some(*version))
        })
        .collect();
    for versions in changed.chunks(VECTORS) {
        let ids: Vec<String> = versions.iter().map(|(id, _)| id.clone()).collect();
        let vectors = look.vectors(table, &ids).await?;
        let docs_and_versions: Vec<(i64, i64)> = versions
            .iter()
            .filter_map(|(id, version)| Some((here.get(id)?.0, *version)))
            .collect();
        put(copy, table, model, vectors, &here, &docs_and_versions).await?;
    }
    if since.is_none() {
        drop_gone(copy, table, model, &there, &here).await?;
    }
    Ok(())
}

/// Entries with their number here and the version of their vectors.
type Here = HashMap<String, (i64, Option<i64>)>;

async fn put(
    copy: &EmbeddedStore,
    table: &ArielModel,
    model: &ModelRow,
    vectors: Vec<(String, Vec<f32>)>,
    here: &Here,
    versions: &[(i64, i64)],
) -> Result<(), StoreError> {
    let replaced: Vec<CopiedVectors> = vectors
        .into_iter()
        .filter_map(|(id, vector)| {
            Some(CopiedVectors {
                doc: here.get(&id)?.0,
                passages: vec![PassageEmbedding::new(0..0, vector)],
                is_whole_text: true,
            })
        })
        .collect();
    let mut write = copy.copied().begin_copy().await?;
    // Somebody may have registered or forgotten the model meanwhile.
    let Some(model) = write.model_numbered(model.model).await? else {
        return Ok(());
    };
    write.put_vectors(&model, &replaced).await?;
    write.put_vector_versions(&table.table, versions).await?;
    if is_claimed(&model) {
        let docs: Vec<i64> = replaced.iter().map(|copied| copied.doc).collect();
        write.complete(EMBEDDING_MODULE, &docs).await?;
    }
    write.commit().await?;
    copy.wake();
    Ok(())
}

/// Drops vectors that ARIEL has no more.
async fn drop_gone(
    copy: &EmbeddedStore,
    table: &ArielModel,
    model: &ModelRow,
    there: &[Version],
    here: &Here,
) -> Result<(), StoreError> {
    let there: HashSet<&str> = there.iter().map(|(id, _)| id.as_str()).collect();
    let gone: Vec<i64> = here
        .iter()
        .filter(|(id, (_, version))| version.is_some() && !there.contains(id.as_str()))
        .map(|(_, (doc, _))| *doc)
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    let mut write = copy.copied().begin_copy().await?;
    write.drop_vectors(model.model, &gone).await?;
    if is_claimed(model) {
        write.reopen(EMBEDDING_MODULE, &gone).await?;
    }
    write.remove_vector_versions(&table.table, &gone).await?;
    write.commit().await?;
    copy.wake();
    Ok(())
}
