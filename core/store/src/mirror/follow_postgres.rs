//! Copies what changed in a database of this program's, change by change.

use std::collections::HashSet;

use super::snapshot::Snapshot;
use super::{ENTRIES, VECTORS};
use crate::embedded::{
    CopiedEntry, CopiedModel, CopiedVectors, CopyPosition, EmbeddedStore, Enhancements, ModelRow,
};
use crate::error::StoreError;
use crate::postgres::Look;

/// Transactions after which their numbers are not compared any more: rows
/// keep the lower half of them.
const COMPARABLE: u64 = 1 << 30;

/// Copies everything that is committed when the look begins.
pub(super) async fn copy(
    mut look: Look,
    copy: &EmbeddedStore,
    is_whole: bool,
) -> Result<(), StoreError> {
    let token = look.token().await?;
    let head = look.head().await?;
    let found = copy.copied().copy_position().await?;
    let mut position = match found.clone() {
        Some(known) => match reason_to_begin_anew(&known, &head.origin, head.last, &token) {
            None => known,
            Some(reason) => {
                let folder = copy.folder().display();
                tracing::warn!(%folder, reason, "the replica of the database is rebuilt");
                clear(copy).await?;
                beginning(&head.origin)
            }
        },
        None => beginning(&head.origin),
    };
    let since = states_since(&position, &token);
    let mut follow = Follow { look, copy };
    follow.entries(&mut position, head.last).await?;
    if is_whole && !follow.has_same_entries().await? {
        position.reached = 0;
        follow.entries(&mut position, head.last).await?;
    }
    follow.vectors(head.last).await?;
    follow.states(since).await?;
    position.token = Some(token);
    if found.as_ref() != Some(&position) {
        let mut write = copy.copied().begin_copy().await?;
        write.set_position(&position).await?;
        write.commit().await?;
    }
    Ok(())
}

fn beginning(origin: &str) -> CopyPosition {
    CopyPosition {
        origin: origin.to_owned(),
        reached: 0,
        token: None,
    }
}

/// Why a copy is none of this database as it is now.
fn reason_to_begin_anew(
    known: &CopyPosition,
    origin: &str,
    last: i64,
    token: &str,
) -> Option<&'static str> {
    if known.origin != origin {
        return Some("it belongs to another database");
    }
    if known.reached > last {
        return Some("it is ahead of the database");
    }
    let went_back = known.token.as_deref().and_then(Snapshot::parse)?.xmax
        > Snapshot::parse(token).map_or(0, |now| now.xmax);
    went_back.then_some("the database was restored to an earlier state")
}

/// Which enhancement states may have changed.
enum States {
    /// None: the entries are new, and came with theirs.
    None,
    /// Those that this transaction or a later one wrote.
    Since(u64),
    All,
}

fn states_since(position: &CopyPosition, token: &str) -> States {
    let Some(seen) = position.token.as_deref().and_then(Snapshot::parse) else {
        return if position.reached == 0 {
            States::None
        } else {
            States::All
        };
    };
    match Snapshot::parse(token) {
        Some(now) if now.xmax.saturating_sub(seen.xmin) < COMPARABLE => States::Since(seen.xmin),
        _ => States::All,
    }
}

async fn clear(copy: &EmbeddedStore) -> Result<(), StoreError> {
    let mut write = copy.copied().begin_copy().await?;
    write.clear().await?;
    write.commit().await?;
    copy.wake();
    Ok(())
}

struct Follow<'a> {
    look: Look,
    copy: &'a EmbeddedStore,
}

impl Follow<'_> {
    async fn entries(&mut self, position: &mut CopyPosition, last: i64) -> Result<(), StoreError> {
        while position.reached < last {
            let changed = self.look.entries(position.reached, ENTRIES).await?;
            let until = match changed.last() {
                Some(entry) if changed.len() == ENTRIES => entry.seq,
                _ => last,
            };
            let deleted = self.look.deletions(position.reached, until).await?;
            position.reached = until;
            let states: Vec<_> = changed
                .iter()
                .map(|changed| (changed.doc, changed.entry.enhancement_status.clone()))
                .collect();
            let entries: Vec<CopiedEntry> = changed
                .into_iter()
                .map(|changed| CopiedEntry {
                    source: changed.doc,
                    entry: changed.entry,
                })
                .collect();
            let mut write = self.copy.copied().begin_copy().await?;
            if !deleted.is_empty() {
                write.delete_sources(&deleted).await?;
            }
            if !entries.is_empty() {
                write.put_entries(&entries, Enhancements::Replace).await?;
                write.put_statuses(&states).await?;
            }
            write.set_position(position).await?;
            write.commit().await?;
            self.copy.wake();
        }
        Ok(())
    }

    /// Deletes entries that went away without a trace, as TRUNCATE makes
    /// them; tells whether no entry is missing here.
    async fn has_same_entries(&mut self) -> Result<bool, StoreError> {
        let here = self.copy.copied().copied_sources().await?;
        if i64::try_from(here.len()) == Ok(self.look.count().await?) {
            return Ok(true);
        }
        let there: HashSet<i64> = self.look.docs().await?.into_iter().collect();
        let here: HashSet<i64> = here.into_iter().collect();
        let gone: Vec<i64> = here.difference(&there).copied().collect();
        if !gone.is_empty() {
            let mut write = self.copy.copied().begin_copy().await?;
            write.delete_sources(&gone).await?;
            write.commit().await?;
        }
        Ok(there.is_subset(&here))
    }

    async fn vectors(&mut self, last: i64) -> Result<(), StoreError> {
        let models = self.look.models().await?;
        let sources: Vec<String> = models.iter().map(|model| model.model.to_string()).collect();
        let known = self.copy.copied().copied_models().await?;
        for copied in &known {
            if !sources.contains(&copied.source) {
                self.forget(copied).await?;
            }
        }
        for (model, source) in models.iter().zip(sources) {
            let known = known.iter().find(|copied| copied.source == source);
            let mut write = self.copy.copied().begin_copy().await?;
            let here = write
                .model_named(&model.name, &model.variant, i64::from(model.dimension))
                .await?;
            let mut copied = CopiedModel {
                model: Some(here.model),
                reached: known.map_or(0, |known| known.reached),
                source,
            };
            if known.is_none() {
                write.put_copied_model(&copied).await?;
            }
            write.commit().await?;
            while copied.reached < last {
                let changed = self.look.vectors(model, copied.reached, VECTORS).await?;
                copied.reached = match changed.last() {
                    Some(&(_, seq, _)) if changed.len() == VECTORS => seq,
                    _ => last,
                };
                self.put_vectors(&here, &copied, changed).await?;
            }
        }
        Ok(())
    }

    async fn forget(&self, copied: &CopiedModel) -> Result<(), StoreError> {
        let mut write = self.copy.copied().begin_copy().await?;
        if let Some(model) = copied.model {
            write.delete_model(model).await?;
        }
        write.remove_copied_model(&copied.source).await?;
        write.commit().await
    }

    async fn put_vectors(
        &self,
        model: &ModelRow,
        copied: &CopiedModel,
        changed: crate::postgres::ChangedVectors,
    ) -> Result<(), StoreError> {
        let sources: Vec<i64> = changed.iter().map(|(doc, ..)| *doc).collect();
        let docs = self.copy.copied().docs_of_sources(&sources).await?;
        let replaced: Vec<CopiedVectors> = changed
            .into_iter()
            .filter_map(|(source, _, passages)| {
                Some(CopiedVectors {
                    doc: *docs.get(&source)?,
                    passages,
                    is_whole_text: false,
                })
            })
            .collect();
        let mut write = self.copy.copied().begin_copy().await?;
        write.put_vectors(model, &replaced).await?;
        write.put_copied_model(copied).await?;
        write.commit().await?;
        if !replaced.is_empty() {
            self.copy.wake();
        }
        Ok(())
    }

    /// How far each module got has no change numbers.
    async fn states(&mut self, since: States) -> Result<(), StoreError> {
        let changed = match since {
            States::None => return Ok(()),
            States::Since(since) => self.look.changed_statuses(Some(since)).await?,
            States::All => self.look.changed_statuses(None).await?,
        };
        for docs in changed.chunks(ENTRIES) {
            let states = self.look.statuses(docs).await?;
            let mut write = self.copy.copied().begin_copy().await?;
            write.put_statuses(&states).await?;
            write.commit().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(reached: i64, token: Option<&str>) -> CopyPosition {
        CopyPosition {
            origin: "a".to_owned(),
            reached,
            token: token.map(str::to_owned),
        }
    }

    #[test]
    fn a_copy_of_another_or_a_later_database_is_none_of_this_one() {
        let reason = |known, origin| reason_to_begin_anew(&known, origin, 5, "20:20:");
        assert_eq!(reason(known(5, None), "a"), None);
        assert_eq!(reason(known(5, Some("19:20:19")), "a"), None);
        assert!(reason(known(5, None), "b").is_some());
        assert!(reason(known(6, None), "a").is_some());
        assert!(reason(known(5, Some("20:21:")), "a").is_some());
    }
}
