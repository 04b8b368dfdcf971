//! Which model here stands for a table of ARIEL's vectors.
//!
//! A table's name has kept only the letters and digits of its model's name.
//! Its vectors are copied under that name at first. When a model is
//! registered whose table it would be, they become the vectors of that model.

use gannet_api::EmbeddingModel;

use crate::embedded::{CopiedModel, EmbeddedStore, ModelRow};
use crate::error::StoreError;
use crate::models::check_model;
use crate::postgres::{ArielModel, EMBEDDING_MODULE, ariel_table};

/// The variant of ARIEL's vectors while no model here has claimed them.
const UNCLAIMED: &str = "ariel";

/// Whether the vectors were made by a model that is registered here.
pub(super) fn is_claimed(model: &ModelRow) -> bool {
    model.variant != UNCLAIMED
}

/// The model for a table, made when it is missing; `None` when it was
/// forgotten here, or another model has its name.
pub(super) async fn model_of(
    copy: &EmbeddedStore,
    known: Option<&CopiedModel>,
    table: &ArielModel,
) -> Result<Option<(ModelRow, IsNew)>, StoreError> {
    let models = copy.copied().models().await?;
    if let Some(known) = known {
        let Some(number) = known.model else {
            return Ok(None);
        };
        let here = models.iter().find(|model| model.model == number);
        match here {
            Some(here) if here.dimension == table.dimension => {
                return Ok(Some((here.clone(), IsNew(false))));
            }
            // ARIEL made the table anew, for another model.
            _ => remove(copy, known).await?,
        }
    }
    let models = copy.copied().models().await?;
    let claims = |model: &&ModelRow| {
        ariel_table(&model.name) == table.table && model.dimension == table.dimension
    };
    let here = models.iter().find(claims).cloned();
    if here.is_none() && models.iter().any(|model| model.name == table.name()) {
        tracing::warn!(
            table = table.table,
            "vectors of ARIEL are ignored: the model of that name has other dimensions"
        );
        return Ok(None);
    }
    let mut write = copy.copied().begin_copy().await?;
    let here = match here {
        Some(here) => here,
        None => {
            write
                .model_named(table.name(), UNCLAIMED, table.dimension)
                .await?
        }
    };
    let copied = CopiedModel {
        source: table.table.clone(),
        model: Some(here.model),
        reached: 0,
    };
    write.put_copied_model(&copied).await?;
    write.commit().await?;
    Ok(Some((here, IsNew(true))))
}

/// Whether nothing was copied of it before.
pub(super) struct IsNew(pub(super) bool);

/// Drops the vectors of a table that ARIEL has no more. Those that were made
/// here stay.
pub(super) async fn remove(copy: &EmbeddedStore, known: &CopiedModel) -> Result<(), StoreError> {
    let models = copy.copied().models().await?;
    let here = models.iter().find(|model| Some(model.model) == known.model);
    let mut write = copy.copied().begin_copy().await?;
    if let Some(here) = here {
        if is_claimed(here) {
            let docs = write.docs_with_versions(&known.source).await?;
            write.drop_vectors(here.model, &docs).await?;
        } else {
            write.delete_model(here.model).await?;
        }
    }
    write.remove_copied_model(&known.source).await?;
    write.commit().await
}

/// Notes a model of this program's. ARIEL's vectors are its own when the name
/// and the dimension are.
pub(super) async fn register(
    copy: &EmbeddedStore,
    model: &EmbeddingModel,
) -> Result<(), StoreError> {
    let table = ariel_table(&model.name);
    let known = copy.copied().copied_models().await?;
    let known = known.iter().find(|known| known.source == table);
    let models = copy.copied().models().await?;
    let here = known.and_then(|known| models.iter().find(|row| Some(row.model) == known.model));
    let Some(here) = here.filter(|here| !is_claimed(here)) else {
        return copy.register_model(model).await;
    };
    let offered = model.clone().with_variant(UNCLAIMED.to_owned());
    match check_model(&model.name, (UNCLAIMED, here.dimension), &offered) {
        Ok(()) => claim(copy, here, model).await,
        // Another model, whose name leaves the same letters.
        Err(_) if here.name != model.name => copy.register_model(model).await,
        Err(error) => Err(error),
    }
}

async fn claim(
    copy: &EmbeddedStore,
    here: &ModelRow,
    model: &EmbeddingModel,
) -> Result<(), StoreError> {
    let mut write = copy.copied().begin_copy().await?;
    write.rename_model(here.model, model).await?;
    let docs = write.docs_with_vectors(here.model).await?;
    write.complete(EMBEDDING_MODULE, &docs).await?;
    write.commit().await?;
    copy.wake();
    Ok(())
}

/// Forgets a model here; ARIEL's vectors are not copied again.
pub(super) async fn forget(copy: &EmbeddedStore, name: &str) -> Result<(), StoreError> {
    let models = copy.copied().models().await?;
    let Some(here) = models.iter().find(|model| model.name == name) else {
        return Ok(());
    };
    let known = copy.copied().copied_models().await?;
    if let Some(known) = known.iter().find(|known| known.model == Some(here.model)) {
        let mut write = copy.copied().begin_copy().await?;
        let forgotten = CopiedModel {
            model: None,
            ..known.clone()
        };
        write.put_copied_model(&forgotten).await?;
        write.commit().await?;
    }
    copy.forget_model(name).await
}
