//! Changes that are not committed: in memory, and found there.

use std::collections::BTreeMap;

use gannet_index::{MAX_PASSAGES, PassageHit, VectorChanges, VectorSpec, cosine};

use super::filter::AllowedPassages;

/// Entries that changed since the last commit, with their vectors now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    /// By the row of the entry: ordinal and vector. An entry without any was
    /// deleted, or lost its vectors.
    pub(crate) entries: BTreeMap<i64, Vec<(i64, Vec<f32>)>>,
    /// Those of them that may have points on the server.
    pub(crate) replaced: Vec<i64>,
    pub(crate) vectors: usize,
}

impl Tail {
    /// Takes changes over. Returns the entry of each vector that is left out.
    pub(crate) fn apply(&mut self, changes: &VectorChanges, spec: &VectorSpec) -> Vec<i64> {
        for doc in &changes.docs {
            let before = self.entries.insert(*doc, Vec::new());
            self.vectors -= before.map_or(0, |vectors| vectors.len());
        }
        let mut left_out = Vec::new();
        for (doc, ordinal, vector) in &changes.vectors {
            if id_of(*doc, *ordinal).is_none() || !spec.takes(vector) {
                left_out.push(*doc);
                continue;
            }
            let of_entry = self.entries.entry(*doc).or_default();
            of_entry.push((*ordinal, vector.clone()));
            self.vectors += 1;
        }
        left_out
    }

    /// Entries that have a vector here.
    pub(crate) fn embedded(&self) -> u64 {
        let embedded = self.entries.values().filter(|vectors| !vectors.is_empty());
        embedded.count() as u64
    }

    /// Every passage with its cosine.
    pub(crate) fn compare<'a>(
        &'a self,
        vector: &'a [f32],
        allowed: Option<&'a AllowedPassages>,
    ) -> impl Iterator<Item = PassageHit> + 'a {
        let entries = self.entries.iter();
        let entries = entries.filter(move |(doc, _)| allowed.is_none_or(|rows| rows.has(**doc)));
        entries.flat_map(move |(doc, vectors)| {
            vectors.iter().map(move |(ordinal, own)| PassageHit {
                doc: *doc,
                ordinal: *ordinal,
                cosine: cosine(vector, own),
            })
        })
    }
}

/// The id of a passage's point, its entry's row and its ordinal in the lowest
/// bits; `None` when an entry cannot have so many.
pub(crate) fn id_of(doc: i64, ordinal: i64) -> Option<u64> {
    let doc = u64::try_from(doc).ok()?.checked_mul(MAX_PASSAGES)?;
    let ordinal = u64::try_from(ordinal).ok()?;
    (ordinal < MAX_PASSAGES).then_some(doc + ordinal)
}

/// The passage of a point.
pub(crate) fn passage_of(id: u64, cosine: f32) -> PassageHit {
    PassageHit {
        doc: (id / MAX_PASSAGES).cast_signed(),
        ordinal: (id % MAX_PASSAGES).cast_signed(),
        cosine: cosine.clamp(-1.0, 1.0),
    }
}
