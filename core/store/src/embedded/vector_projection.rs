//! Keeping the vectors of every model up with the records.
//!
//! Models are independent: one that cannot be followed is noted with its
//! reason, which its searches then give, and the others go on.

use std::sync::{Arc, RwLock};

use crate::embedded::model_index::ModelIndex;
use crate::embedded::records::ModelRow;
use crate::embedded::shared::{Shared, read, write};
use crate::error::StoreError;
use crate::models::check_stored_model;
use gannet_index_flat::TAIL_ROWS;

/// Entries read from the records at a time.
const BATCH: usize = 2_000;
/// Vectors that a process which does not write the indexes takes from the
/// records into memory: what the writing process has not put on disk yet.
const MOST_IN_MEMORY: usize = 2 * TAIL_ROWS;

/// Brings what is new into the index of every model, on behalf of the process
/// that writes them.
pub(crate) async fn apply(shared: &Shared) -> Result<(), StoreError> {
    for model in known_models(shared).await? {
        let followed = apply_model(shared, &model).await;
        shared.note_followed(&model.name, followed.as_ref().err());
    }
    Ok(())
}

async fn apply_model(shared: &Shared, model: &ModelRow) -> Result<(), StoreError> {
    check_stored_model(&model.name, model.dimension)?;
    let opened = shared.model(&model.name);
    let index = match opened.filter(|index| is_fresh(index, model)) {
        Some(index) => index,
        None => {
            let index = Arc::new(RwLock::new(open_to_write(shared, model).await?));
            shared.put_model(&model.name, Arc::clone(&index));
            index
        }
    };
    loop {
        let applied = read(&index).applied();
        let changes = shared.records.vector_changes(model, applied, BATCH).await?;
        if changes.reached > applied {
            write(&index).apply(&changes)?;
            let mut is_written = read(&index).tail_rows() >= TAIL_ROWS;
            if is_written {
                shared.records.make_durable()?;
                write(&index).seal()?;
            }
            is_written |= compact(&index)?;
            if is_written {
                read(&index).verify_new_segments();
            }
        }
        if !changes.more {
            return Ok(());
        }
    }
}

/// Vectors that followed another history are rebuilt.
async fn open_to_write(shared: &Shared, model: &ModelRow) -> Result<ModelIndex, StoreError> {
    let root = shared.vectors_path();
    let index = ModelIndex::open(&root, model, &shared.origin, true)?;
    if follows(shared, &index).await? {
        return Ok(index);
    }
    tracing::warn!(
        model = model.name,
        "vectors are rebuilt: the records were reset to an earlier state, or an older version \
         wrote the vectors"
    );
    ModelIndex::create(&root, model, &shared.origin)
}

async fn follows(shared: &Shared, index: &ModelIndex) -> Result<bool, StoreError> {
    let records = &shared.records;
    records.has_history(index.applied(), index.mark()).await
}

/// Merges small files of vectors while searches go on. Returns whether there
/// were any.
fn compact(index: &RwLock<ModelIndex>) -> Result<bool, StoreError> {
    // The guard of a condition would be held through the merge.
    let planned = write(index).plan_compaction();
    let Some(compaction) = planned else {
        return Ok(false);
    };
    let merged = compaction.run()?;
    write(index).finish_compaction(merged)?;
    Ok(true)
}

/// Puts on disk what is in memory only. The records go first, so that no
/// index is ahead of them.
pub(crate) fn seal(shared: &Shared) -> Result<(), StoreError> {
    let mut first_error = Ok(());
    for (_, index) in shared.models() {
        if !read(&index).is_unsealed() {
            continue;
        }
        shared.records.make_durable()?;
        let sealed = write(&index).seal();
        if sealed.is_ok() {
            read(&index).verify_new_segments();
        }
        if first_error.is_ok() {
            first_error = sealed;
        }
    }
    first_error
}

/// The last change that every index of vectors has on disk; `None` while one
/// cannot be followed.
pub(crate) fn sealed_up_to(shared: &Shared) -> Option<i64> {
    shared.check_models().ok()?;
    let sealed = shared.models().into_iter();
    let sealed = sealed.map(|(_, index)| read(&index).sealed());
    Some(sealed.min().unwrap_or(i64::MAX))
}

/// Takes over what the writing process has done: its files, and from the
/// records what it holds in memory only.
pub(crate) async fn refresh(shared: &Shared) -> Result<(), StoreError> {
    for model in known_models(shared).await? {
        let refreshed = refresh_model(shared, &model).await;
        shared.note_followed(&model.name, refreshed.as_ref().err());
    }
    Ok(())
}

async fn refresh_model(shared: &Shared, model: &ModelRow) -> Result<(), StoreError> {
    check_stored_model(&model.name, model.dimension)?;
    let opened = shared.model(&model.name);
    if let Some(index) = opened.filter(|index| is_fresh(index, model)) {
        return read_ahead(shared, model, &index).await;
    }
    let root = shared.vectors_path();
    let index = ModelIndex::open(&root, model, &shared.origin, false)?;
    if !follows(shared, &index).await? {
        // The writing process rebuilds it.
        return Ok(());
    }
    let index = Arc::new(RwLock::new(index));
    // Complete before it is searched: the one in use may have more.
    read_ahead(shared, model, &index).await?;
    shared.put_model(&model.name, index);
    Ok(())
}

/// Whether the files are those of this model, and still as this process
/// opened or wrote them.
fn is_fresh(index: &RwLock<ModelIndex>, model: &ModelRow) -> bool {
    let index = read(index);
    index.is_of(model) && !index.is_stale()
}

async fn read_ahead(
    shared: &Shared,
    model: &ModelRow,
    index: &RwLock<ModelIndex>,
) -> Result<(), StoreError> {
    while read(index).tail_rows() < MOST_IN_MEMORY {
        let applied = read(index).applied();
        let changes = shared.records.vector_changes(model, applied, BATCH).await?;
        if changes.reached > applied {
            write(index).apply(&changes)?;
        }
        if !changes.more {
            break;
        }
    }
    Ok(())
}

/// The models of the records; what is open of others is let go.
async fn known_models(shared: &Shared) -> Result<Vec<ModelRow>, StoreError> {
    let models = shared.records.models().await?;
    shared.keep_models(|name| models.iter().any(|model| model.name == name));
    Ok(models)
}
