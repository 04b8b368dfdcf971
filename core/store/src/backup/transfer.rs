//! Moving everything that is stored from one store to another, in batches.
//!
//! How far it is stands in the target, committed together with the entries, so
//! that a transfer that was cut off goes on where it stopped. It can, as long
//! as nothing was changed at the source of what is in the target; new entries
//! do no harm.

use std::collections::BTreeMap;

use gannet_api::EmbeddingModel;
use serde::{Deserialize, Serialize};

use super::{BackupRow, RecordCounts, not_empty};
use crate::error::StoreError;
use crate::request::{IngestionRun, StateKey};

/// Entries that are read and written at a time.
const ENTRIES: usize = 500;

/// What a source holds beside entries, and its name for people.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    pub(crate) name: String,
    /// The newest first.
    pub(crate) runs: Vec<IngestionRun>,
    pub(crate) states: Vec<(StateKey, String)>,
}

/// A store that is read, as it was at one moment.
pub(crate) trait Source {
    /// The number of its last change.
    async fn sequence(&mut self) -> Result<i64, StoreError>;

    /// In the order of each row's passages.
    fn models(&self) -> Vec<EmbeddingModel>;

    /// At most `limit` entries with a number above `after`, in the order of
    /// their numbers.
    async fn rows(&mut self, after: i64, limit: usize) -> Result<Vec<BackupRow>, StoreError>;

    /// How many entries with a number up to `last` it has that did not change
    /// after change `sequence`; the same of passages, by model.
    async fn counts(&mut self, last: i64, sequence: i64) -> Result<Counts, StoreError>;
}

/// Entries, and passages by model.
pub(crate) type Counts = (u64, BTreeMap<String, u64>);

/// Counts as a database gives them.
pub(crate) fn counts_of(entries: i64, vectors: Vec<(String, i64)>) -> Counts {
    let vectors = vectors.into_iter();
    let unsigned = |(model, passages): (String, i64)| (model, passages.unsigned_abs());
    (entries.unsigned_abs(), vectors.map(unsigned).collect())
}

/// A stored model. How long a text it takes is not stored.
pub(crate) fn model_of(name: &str, variant: &str, dimension: i64) -> EmbeddingModel {
    let dimension = usize::try_from(dimension).unwrap_or_default();
    EmbeddingModel::new(name, dimension, 0).with_variant(variant)
}

/// A store that is written.
pub(crate) trait Target {
    /// For people.
    fn name(&self) -> String;

    async fn is_used(&self) -> Result<bool, StoreError>;

    async fn state(&self, key: &StateKey) -> Result<Option<String>, StoreError>;

    async fn set_state(&self, key: &StateKey, value: &str) -> Result<(), StoreError>;

    /// Notes a model; refuses another variant or dimension under its name.
    async fn put_model(&self, model: &EmbeddingModel) -> Result<(), StoreError>;

    /// Writes entries and remembers a value, in one transaction.
    async fn put_rows(
        &self,
        models: &[EmbeddingModel],
        rows: Vec<BackupRow>,
        state: (&StateKey, &str),
    ) -> Result<(), StoreError>;

    /// Writes what belongs to no entry, and forgets a value, in one
    /// transaction.
    async fn put_rest(&self, origin: &Origin, forgotten: &StateKey) -> Result<(), StoreError>;
}

/// How far a transfer is.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    /// The source's name.
    from: String,
    /// The last change of the source that was looked at.
    sequence: i64,
    /// The source's number of the last entry that is in the target.
    after: i64,
    /// What is in the target.
    counts: RecordCounts,
}

/// Where the mark stands in the target.
pub(super) fn mark_key() -> StateKey {
    StateKey {
        owner: "gannet store copy".to_owned(),
        tenant: String::new(),
        key: "mark".to_owned(),
    }
}

/// Moves everything; returns what was moved in all runs. `progress` is told
/// how many entries are in the target, and how many there are.
///
/// # Errors
/// A target with entries that no transfer from this source put there; a source
/// that changed since; a source that is such an unfinished target itself.
pub(crate) async fn transfer(
    origin: Origin,
    source: &mut impl Source,
    target: &impl Target,
    progress: &mut impl FnMut(u64, u64),
) -> Result<RecordCounts, StoreError> {
    let key = mark_key();
    if let Some((_, mark)) = origin.states.iter().find(|(known, _)| *known == key) {
        return Err(refused(format!(
            "{} holds a part of {}; finish that copy first",
            origin.name,
            parsed(mark)?.from
        )));
    }
    let mut mark = begin(&origin.name, source, target).await?;
    target.set_state(&key, &written(&mark)?).await?;
    let models = source.models();
    for model in &models {
        target.put_model(model).await?;
        mark.counts.vectors.entry(model.name.clone()).or_default();
    }
    let (total, _) = source.counts(i64::MAX, i64::MAX).await?;
    loop {
        progress(mark.counts.entries, total);
        let rows = source.rows(mark.after, ENTRIES).await?;
        if rows.is_empty() {
            break;
        }
        mark.add(&models, &rows);
        let state = written(&mark)?;
        target.put_rows(&models, rows, (&key, &state)).await?;
    }
    target.put_rest(&origin, &key).await?;
    Ok(mark.counts)
}

async fn begin(
    from: &str,
    source: &mut impl Source,
    target: &impl Target,
) -> Result<Mark, StoreError> {
    let sequence = source.sequence().await?;
    let Some(mark) = target.state(&mark_key()).await? else {
        return match target.is_used().await? {
            true => Err(not_empty(&target.name())),
            false => Ok(Mark {
                from: from.to_owned(),
                sequence,
                after: 0,
                counts: RecordCounts::default(),
            }),
        };
    };
    let mark = parsed(&mark)?;
    if mark.from != from {
        return Err(refused(format!(
            "{} holds a part of {}; finish that copy, or name an empty folder or a new database",
            target.name(),
            mark.from
        )));
    }
    for until in [mark.sequence, i64::MAX] {
        if !mark.holds(&source.counts(mark.after, until).await?) {
            return Err(refused(format!(
                "{from} changed since this copy was begun; begin again with an empty folder or a \
                 new database, or copy from a backup, which does not change"
            )));
        }
    }
    Ok(Mark { sequence, ..mark })
}

impl Mark {
    fn add(&mut self, models: &[EmbeddingModel], rows: &[BackupRow]) {
        for row in rows {
            self.after = row.entry.doc;
            self.counts.entries += 1;
            let sum = self.counts.fingerprint;
            self.counts.fingerprint = sum.wrapping_add(row.entry.fingerprint());
            for (model, passages) in models.iter().zip(&row.passages) {
                *self.counts.vectors.entry(model.name.clone()).or_default() +=
                    passages.len() as u64;
            }
        }
    }

    fn holds(&self, (entries, vectors): &Counts) -> bool {
        let of = |counts: &BTreeMap<String, u64>, model: &String| {
            counts.get(model).copied().unwrap_or_default()
        };
        let held = &self.counts.vectors;
        *entries == self.counts.entries
            && vectors
                .keys()
                .chain(held.keys())
                .all(|model| of(vectors, model) == of(held, model))
    }
}

fn written(mark: &Mark) -> Result<String, StoreError> {
    serde_json::to_string(mark).map_err(|error| refused(error.to_string()))
}

fn parsed(mark: &str) -> Result<Mark, StoreError> {
    serde_json::from_str(mark).map_err(|error| {
        refused(format!(
            "how far the copy is cannot be read ({error}); begin again with an empty folder or a \
             new database"
        ))
    })
}

fn refused(message: String) -> StoreError {
    StoreError::InvalidRequest { message }
}
