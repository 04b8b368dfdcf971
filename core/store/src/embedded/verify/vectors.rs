//! The vectors of each model against the records.

use std::collections::BTreeSet;
use std::path::Path;

use crate::embedded::model_folder::folder_name;
use crate::embedded::model_index::spec_of;
use crate::embedded::records::{ModelRow, Records, StoredVectors, is_denied};
use crate::error::StoreError;
use crate::finding::{Finding, counted};
use crate::models::check_stored_model;
use gannet_index::{Access, IndexError, VectorEngine, VectorIndex};

/// Vectors of each model that are compared with the records.
const SAMPLE: usize = 64;
/// Entries whose vectors are read at a time when all are compared.
const BATCH: usize = 10_000;

const REBUILD: &str = "run `gannet index rebuild`";
/// What a process leaves that is killed before it wrote the first index looks
/// the same as an index that was removed.
const NOT_BUILT: &str = "open the store, for example with `gannet status`: the index is built; or \
    run `gannet index rebuild`";
const READABLE: &str = "make its files readable for this user; they may be sound";
/// The index has what it was given, so the records were changed since.
const EMBED_AGAIN: &str = "`store.db` may be damaged: restore a backup of it, or run \
    `gannet enhance --force`, which computes all vectors again";

/// What is found of all models.
pub(super) async fn verify(
    records: &Records,
    engine: &dyn VectorEngine,
    root: &Path,
    deep: bool,
) -> Result<Vec<Finding>, StoreError> {
    let origin = records.origin().await?;
    let models = records.models().await?;
    let mut findings = Vec::new();
    for model in &models {
        let check = Check {
            records,
            engine,
            model,
            name: format!("vectors of {}", model.name),
        };
        findings.extend(check.run(root, &origin, deep).await?);
    }
    findings.extend(leftovers(root, &models));
    Ok(findings)
}

fn unreadable(name: &str, error: &IndexError) -> Finding {
    let is_other_user = matches!(error, IndexError::Io { source, .. } if is_denied(source));
    match is_other_user {
        true => Finding::fail(name, with_cause(error), READABLE),
        false => Finding::fail(name, with_cause(error), REBUILD),
    }
}

/// The message with what the system said.
fn with_cause(error: &IndexError) -> String {
    match std::error::Error::source(error) {
        Some(cause) if !error.to_string().contains(&cause.to_string()) => {
            format!("{error}: {cause}")
        }
        _ => error.to_string(),
    }
}

/// The look at one model.
struct Check<'a> {
    records: &'a Records,
    engine: &'a dyn VectorEngine,
    model: &'a ModelRow,
    name: String,
}

impl Check<'_> {
    async fn run(&self, root: &Path, origin: &str, deep: bool) -> Result<Vec<Finding>, StoreError> {
        if let Err(error) = check_stored_model(&self.model.name, self.model.dimension) {
            let advice = "run `gannet enhance --force` with an embedder that can be used";
            return Ok(vec![Finding::fail(&self.name, error.to_string(), advice)]);
        }
        let folder = root.join(folder_name(&self.model.name));
        if !folder.exists() {
            let stored = self.records.stored_vectors(self.model, i64::MAX).await?;
            return Ok(vec![match stored.vectors {
                0 => Finding::ok(&self.name, "0 vectors"),
                vectors => Finding::warn(
                    &self.name,
                    format!(
                        "the index is missing, and {} with it",
                        counted(vectors, "vector", "vectors")
                    ),
                    NOT_BUILT,
                ),
            }]);
        }
        let spec = spec_of(self.model, origin);
        let index = match self.engine.open(&folder, &spec, Access::Inspect) {
            Ok(index) => index,
            Err(error) => return Ok(vec![unreadable(&self.name, &error)]),
        };
        let applied = index.committed();
        let index = index.as_ref();
        let stored = self.records.stored_vectors(self.model, applied).await?;
        let mut findings = Vec::new();
        let damage = if deep { index.damage() } else { Vec::new() };
        findings.extend(damage.iter().map(|error| self.fail(error.to_string())));
        if !self.records.has_history(applied, index.mark()).await? {
            let message = "it followed other changes than those of the records: the records were reset to \
                           an earlier state, or an older version wrote it";
            let advice =
                "open the store, for example with `gannet status`: the vectors are rebuilt";
            findings.push(Finding::fail(&self.name, message, advice));
            return Ok(findings);
        }
        findings.extend(self.counts(index, &stored, deep).await?);
        let differing = match deep {
            true => self.compare_all(index, applied).await?,
            false => self.compare_sample(index, applied).await?,
        };
        let is_sound = deep && damage.is_empty();
        findings.extend(differing.map(|message| match is_sound {
            true => Finding::fail(&self.name, message, EMBED_AGAIN),
            false => self.fail(message),
        }));
        if findings.is_empty() {
            findings.push(self.sound(index, &stored));
        }
        Ok(findings)
    }

    /// Whether there are as many vectors as the records have.
    async fn counts(
        &self,
        index: &dyn VectorIndex,
        stored: &StoredVectors,
        deep: bool,
    ) -> Result<Vec<Finding>, StoreError> {
        let live = index.vectors_except(&stored.changed_later);
        let mut expected = stored.vectors;
        let mut findings = Vec::new();
        if deep || live != expected {
            let unusable = self.records.unusable_vectors(self.model).await?;
            expected = expected.saturating_sub(unusable.len() as u64);
            if let Some(first) = unusable.first() {
                let message = format!(
                    "{} with values that are not finite, or of other dimensions; the first is of \
                     entry `{first}`",
                    counted(unusable.len() as u64, "stored vector", "stored vectors")
                );
                let advice = "fix the embedding provider and run `gannet enhance --force`";
                findings.push(Finding::warn(&self.name, message, advice));
            }
        }
        if live != expected {
            findings.push(self.fail(format!(
                "{} can be searched, where the records have {expected}",
                counted(live, "vector", "vectors")
            )));
        }
        Ok(findings)
    }

    /// Compares vectors that are spread evenly over the entries.
    async fn compare_sample(
        &self,
        index: &dyn VectorIndex,
        applied: i64,
    ) -> Result<Option<String>, StoreError> {
        let sample = self.records.sample_vectors(self.model, applied, SAMPLE);
        let mut comparison = Comparison::default();
        comparison.add(index, sample.await?);
        Ok(comparison.message())
    }

    /// Compares all vectors.
    async fn compare_all(
        &self,
        index: &dyn VectorIndex,
        applied: i64,
    ) -> Result<Option<String>, StoreError> {
        let mut comparison = Comparison::default();
        let mut after = 0;
        loop {
            let batch = self
                .records
                .vectors_after(self.model, applied, after, BATCH)
                .await?;
            let Some(&(last, _, _)) = batch.last() else {
                return Ok(comparison.message());
            };
            after = last;
            comparison.add(index, batch);
        }
    }

    fn sound(&self, index: &dyn VectorIndex, stored: &StoredVectors) -> Finding {
        let held = counted(index.vectors() as u64, "vector", "vectors");
        let later = stored.changed_later.len();
        if stored.vectors == 0 && later == 0 {
            let advice = "run `gannet enhance` when this is the configured model; another one \
                          takes no part in searches";
            return Finding::warn(&self.name, "no entry has a vector of this model", advice);
        }
        let message = match later {
            0 => format!("{held} matching the records"),
            _ => format!(
                "{held} on disk match the records; {} changed later and waiting",
                counted(later as u64, "entry", "entries")
            ),
        };
        Finding::ok(&self.name, message)
    }

    fn fail(&self, message: String) -> Finding {
        Finding::fail(&self.name, message, REBUILD)
    }
}

/// Vectors of the records that were looked up in the index.
#[derive(Default)]
struct Comparison {
    compared: u64,
    differing: u64,
}

impl Comparison {
    /// Compares vectors, each with its entry and its passage. Those that no
    /// index takes are left out.
    fn add(&mut self, index: &dyn VectorIndex, mut vectors: Vec<(i64, i64, Vec<f32>)>) {
        vectors.retain(|(_, _, vector)| vector.iter().all(|number| number.is_finite()));
        self.compared += vectors.len() as u64;
        self.differing += index.differing(&vectors);
    }

    /// How many differ; `None` when none does.
    fn message(&self) -> Option<String> {
        (self.differing > 0).then(|| {
            format!(
                "of {} that were compared, {} differ from the records",
                counted(self.compared, "vector", "vectors"),
                self.differing
            )
        })
    }
}

/// Folders that belong to no model.
fn leftovers(root: &Path, models: &[ModelRow]) -> Option<Finding> {
    let known: BTreeSet<String> = models
        .iter()
        .map(|model| folder_name(&model.name))
        .collect();
    let strangers: Vec<String> = std::fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !known.contains(name))
        .collect();
    let message = format!(
        "in {} there are vectors of models that the records do not know: {}",
        root.display(),
        strangers.join(", ")
    );
    let advice = "delete these folders to free the space";
    (!strangers.is_empty()).then(|| Finding::warn("vectors", message, advice))
}
