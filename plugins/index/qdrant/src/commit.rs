//! Taking changes over, and putting them on the server.

use std::sync::Arc;

use gannet_index::{IndexError, VectorChanges};
use serde_json::Value;

use super::collection::{Collection, Counts, State};
use super::error::QdrantError;
use super::index::{Held, QdrantIndex};
use super::marker::{Marker, written_at};
use super::tail::{Tail, id_of};

/// Numbers of the vectors in one request, some 3 MB of JSON.
const MOST_NUMBERS: usize = 250_000;

impl QdrantIndex {
    /// Takes changes over into memory.
    pub(super) fn take_over(&self, changes: &VectorChanges) -> Result<(), QdrantError> {
        let _changing = self.begin_change();
        let held = self.read().clone();
        let is_new = |doc: &&i64| !held.tail.entries.contains_key(*doc);
        let unseen: Vec<i64> = changes.docs.iter().filter(is_new).copied().collect();
        let covered = match held.is_there && held.stored.vectors > held.covered.vectors {
            true => self.collection.count_of(&unseen)?,
            false => Counts::default(),
        };
        // Searches go on with the tail as it is.
        let mut tail = Tail::clone(&held.tail);
        if covered.vectors > 0 {
            tail.replaced.extend(&unseen);
        }
        let left_out = tail.apply(changes, &self.spec);
        let mut held = self.write();
        held.covered.vectors += covered.vectors;
        held.covered.entries += covered.entries;
        held.tail = Arc::new(tail);
        (held.applied, held.mark) = (changes.reached, changes.mark);
        drop(held);
        if let Some(first) = left_out.first() {
            tracing::warn!(
                vectors = left_out.len(),
                first_entry = first,
                folder = %self.folder.display(),
                "vectors cannot be searched: they hold numbers that are not finite, or are too \
                 many for one entry; fix the embedding provider and run `gannet enhance --force`"
            );
        }
        Ok(())
    }

    /// Makes the collection, empty, and notes it in the folder.
    ///
    /// # Errors
    /// The server refuses, or the folder cannot be written.
    pub(super) fn make(&self) -> Result<(), IndexError> {
        self.collection.make(&self.spec)?;
        self.collection.put_state(&self.state_at(0, None, 0))?;
        self.note_commit(|held| held.is_there = true)
    }

    /// Puts what was taken over on the server.
    ///
    /// # Errors
    /// The server refuses or is away: what was written of it is written again at
    /// the next commit.
    pub(super) fn put_on_server(&self) -> Result<(), IndexError> {
        let _changing = self.begin_change();
        if !self.read().is_there {
            self.make()?;
        }
        // From now on the server may have any of them, also when this fails.
        let held = {
            let mut held = self.write();
            let mut tail = Tail::clone(&held.tail);
            tail.replaced = tail.entries.keys().copied().collect();
            held.tail = Arc::new(tail);
            let before = held.clone();
            held.attempted = before.applied;
            before
        };
        self.noting(self.put(&held))?;
        let stored = Counts {
            vectors: held.vectors(),
            entries: held.entries(),
        };
        self.note_commit(|now| {
            now.committed = held.applied;
            now.stored = stored;
            now.covered = Counts::default();
            now.tail = Arc::default();
        })
    }

    fn put(&self, held: &Held) -> Result<(), QdrantError> {
        let tail = held.tail.as_ref();
        let before = self.collection.state()?;
        if ![held.committed, held.attempted].contains(&before.applied) {
            return Err(self.collection.damaged("was written by another program"));
        }
        if !tail.entries.is_empty() {
            let writing = State {
                is_writing: true,
                ..before
            };
            self.collection.put_state(&writing)?;
            self.collection.delete(&tail.replaced)?;
            let most = (MOST_NUMBERS / self.spec.dimension.max(1)).max(1);
            let points: Vec<Value> = points(tail).collect();
            for points in points.chunks(most) {
                self.collection.put(points.to_vec())?;
            }
        }
        let reached = self.state_at(held.applied, held.mark, held.vectors());
        self.collection.put_state(&reached)
    }

    fn state_at(&self, applied: i64, mark: Option<i64>, vectors: usize) -> State {
        State {
            model: self.spec.model.clone(),
            dimension: self.spec.dimension,
            applied,
            mark,
            vectors,
            is_writing: false,
        }
    }

    /// Shows searches a commit, and then other processes.
    fn note_commit(&self, change: impl FnOnce(&mut Held)) -> Result<(), IndexError> {
        change(&mut self.write());
        let marker = Marker::new(&self.collection.name, &self.spec);
        marker.write(&self.folder)?;
        self.write().written_at = written_at(&self.folder);
        Ok(())
    }
}

/// The passages of the tail as points.
fn points(tail: &Tail) -> impl Iterator<Item = Value> + '_ {
    tail.entries.iter().flat_map(|(doc, vectors)| {
        let passages = vectors.iter().enumerate();
        passages.filter_map(|(place, (ordinal, vector))| {
            let id = id_of(*doc, *ordinal)?;
            Some(Collection::point(id, *doc, place == 0, vector))
        })
    })
}
