//! Copies what ARIEL's database has.

use std::collections::HashSet;

use gannet_api::DEFAULT_TENANT;

use super::follow_ariel_vectors;
use super::snapshot::Snapshot;
use super::{ENTRIES, VECTORS};
use crate::embedded::{CopiedEntry, CopyPosition, EmbeddedStore, Enhancements};
use crate::error::StoreError;
use crate::postgres::{ArielLook, ArielSource};

/// What the name of ARIEL's database begins with, in its copy.
const ORIGIN: &str = "ariel ";

/// Copies everything that is committed when the look begins. One that is not
/// whole sees no deletions.
pub(super) async fn copy(
    source: &ArielSource,
    copy: &EmbeddedStore,
    is_whole: bool,
) -> Result<(), StoreError> {
    let mut look = source.look().await?;
    let token = look.token().await?;
    let origin = format!("{ORIGIN}{}", source.database());
    let known = prepare(copy, &origin).await?;
    let seen = known.and_then(|known| Snapshot::parse(&known.token?));
    let since = seen.filter(|_| !is_whole).map(|seen| seen.xmin);
    entries(&mut look, copy, since).await?;
    follow_ariel_vectors::copy(&mut look, copy, since).await?;
    let mut write = copy.copied().begin_copy().await?;
    write
        .set_position(&CopyPosition {
            origin,
            reached: 0,
            token: Some(token),
        })
        .await?;
    write.commit().await
}

/// The position of the copy, when it is one of this database. What is copied
/// of another database of ARIEL's is compared with this one.
async fn prepare(copy: &EmbeddedStore, origin: &str) -> Result<Option<CopyPosition>, StoreError> {
    let Some(known) = copy.copied().copy_position().await? else {
        return Ok(None);
    };
    if known.origin == origin {
        return Ok(Some(known));
    }
    let folder = copy.folder().display();
    tracing::warn!(%folder, "the replica belongs to another database; everything is compared again");
    let mut write = copy.copied().begin_copy().await?;
    if known.origin.starts_with(ORIGIN) {
        write.forget_versions().await?;
    } else {
        write.clear().await?;
    }
    write.commit().await?;
    Ok(None)
}

async fn entries(
    look: &mut ArielLook,
    copy: &EmbeddedStore,
    since: Option<u64>,
) -> Result<(), StoreError> {
    let there = look.versions(since).await?;
    let ids: Vec<String> = there.iter().map(|(id, _)| id.clone()).collect();
    let here = copy
        .copied()
        .copied_versions(DEFAULT_TENANT, since.map(|_| ids.as_slice()))
        .await?;
    let changed: Vec<String> = there
        .iter()
        .filter(|(id, version)| here.get(id) != Some(&Some(*version)))
        .map(|(id, _)| id.clone())
        .collect();
    for ids in changed.chunks(ENTRIES) {
        let entries = look.entries(ids).await?;
        let entries: Vec<CopiedEntry> = entries
            .into_iter()
            .map(|(source, entry)| CopiedEntry { source, entry })
            .collect();
        let mut write = copy.copied().begin_copy().await?;
        write.put_entries(&entries, Enhancements::Keep).await?;
        write.commit().await?;
        copy.wake();
    }
    if since.is_some() {
        return Ok(());
    }
    let there: HashSet<&str> = there.iter().map(|(id, _)| id.as_str()).collect();
    let gone: Vec<String> = here
        .into_keys()
        .filter(|id| !there.contains(id.as_str()))
        .collect();
    for ids in gone.chunks(VECTORS) {
        let mut write = copy.copied().begin_copy().await?;
        write.delete_ids(DEFAULT_TENANT, ids).await?;
        write.commit().await?;
        copy.wake();
    }
    Ok(())
}
