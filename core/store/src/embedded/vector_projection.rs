//! Keeping the vectors of every model up with the records.
//!
//! Models are independent: one that cannot be followed is noted with its
//! reason, which its searches then give, and the others go on.

use std::sync::Arc;

use crate::embedded::model_index::ModelIndex;
use crate::embedded::records::ModelRow;
use crate::embedded::shared::Shared;
use crate::error::StoreError;
use crate::models::check_stored_model;

/// Entries read from the records at a time.
const BATCH: usize = 2_000;
/// A process that does not write the indexes takes vectors from the records into
/// memory that the writing process has not put on disk yet: so many times as many
/// as that one commits at a time.
const READ_AHEAD: usize = 2;

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
            let index = Arc::new(open_to_write(shared, model).await?);
            shared.put_model(&model.name, Arc::clone(&index));
            index
        }
    };
    let index = &index.index;
    loop {
        let applied = index.applied();
        let changes = shared.records.vector_changes(model, applied, BATCH).await?;
        if changes.reached > applied {
            index.apply(&changes)?;
            if index.uncommitted() >= index.commit_after() {
                shared.records.make_durable()?;
                index.commit()?;
            }
            index.compact()?;
        }
        if !changes.more {
            return Ok(());
        }
    }
}

/// Vectors that followed another history are rebuilt.
async fn open_to_write(shared: &Shared, model: &ModelRow) -> Result<ModelIndex, StoreError> {
    let root = shared.vectors_path();
    let engine = shared.vector_engine.as_ref();
    let opened = ModelIndex::open(engine, &root, model, &shared.origin, true)?;
    if follows(shared, &opened).await? {
        return Ok(opened);
    }
    tracing::warn!(
        model = model.name,
        "vectors are rebuilt: the records were reset to an earlier state, or an older version \
         wrote the vectors"
    );
    ModelIndex::create(engine, &root, model, &shared.origin)
}

async fn follows(shared: &Shared, opened: &ModelIndex) -> Result<bool, StoreError> {
    let (records, index) = (&shared.records, &opened.index);
    records.has_history(index.applied(), index.mark()).await
}

/// Puts on disk what is in memory only. The records go first, so that no
/// index is ahead of them.
pub(crate) fn seal(shared: &Shared) -> Result<(), StoreError> {
    let mut first_error = Ok(());
    for (_, model) in shared.models() {
        if model.index.applied() == model.index.committed() {
            continue;
        }
        shared.records.make_durable()?;
        let committed = model.index.commit().map_err(StoreError::from);
        if first_error.is_ok() {
            first_error = committed;
        }
    }
    first_error
}

/// The last change that every index of vectors has on disk; `None` while one
/// cannot be followed.
pub(crate) fn sealed_up_to(shared: &Shared) -> Option<i64> {
    shared.check_models().ok()?;
    let committed = shared.models().into_iter();
    let committed = committed.map(|(_, model)| model.index.committed());
    Some(committed.min().unwrap_or(i64::MAX))
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
    let engine = shared.vector_engine.as_ref();
    let index = ModelIndex::open(engine, &root, model, &shared.origin, false)?;
    if !follows(shared, &index).await? {
        // The writing process rebuilds it.
        return Ok(());
    }
    let index = Arc::new(index);
    // Complete before it is searched: the one in use may have more.
    read_ahead(shared, model, &index).await?;
    shared.put_model(&model.name, index);
    Ok(())
}

/// Whether the files are those of this model, and still as this process
/// opened or wrote them.
fn is_fresh(opened: &ModelIndex, model: &ModelRow) -> bool {
    opened.is_of(model) && !opened.index.is_stale()
}

async fn read_ahead(
    shared: &Shared,
    model: &ModelRow,
    opened: &ModelIndex,
) -> Result<(), StoreError> {
    let index = &opened.index;
    while index.uncommitted() < READ_AHEAD * index.commit_after() {
        let applied = index.applied();
        let changes = shared.records.vector_changes(model, applied, BATCH).await?;
        if changes.reached > applied {
            index.apply(&changes)?;
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
