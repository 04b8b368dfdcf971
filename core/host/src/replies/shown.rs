//! What is needed of the entries that a request shows: read once, and
//! highlighted once.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gannet_api::{Entry, Highlight, Hit};
use gannet_store::{Highlighter, Store, StoreError};

/// The most entries that are held for a request: pipelines read what they
/// show, and some candidates.
const HELD_ENTRIES: usize = 200;
/// The most text searches of a request whose hits are highlighted.
const MARKED_SEARCHES: usize = 1024;

/// Entries that were read for a request, and the text searches that were asked
/// for highlights.
#[derive(Debug, Default)]
pub(crate) struct ShownEntries {
    read: Mutex<HashMap<String, Entry>>,
    marked: Mutex<Vec<MarkedHits>>,
}

/// The hits of one text search that was asked for highlights.
#[derive(Debug)]
struct MarkedHits {
    highlighter: Highlighter,
    entry_ids: HashSet<String>,
}

impl ShownEntries {
    /// Entries by id, in the order asked; unknown ones are left out. What was
    /// read for the request before is not read again.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn entries(
        &self,
        store: &Store,
        tenant: &str,
        ids: &[String],
    ) -> Result<Vec<Entry>, StoreError> {
        let mut known: HashMap<String, Entry> = {
            let read = lock(&self.read);
            let held = ids.iter().filter_map(|id| read.get_key_value(id));
            held.map(|(id, entry)| (id.clone(), entry.clone()))
                .collect()
        };
        let is_missing = |id: &&String| !known.contains_key(*id);
        let missing: Vec<String> = ids.iter().filter(is_missing).cloned().collect();
        if missing.is_empty() {
            return Ok(in_order(ids, &known));
        }
        let read = store.entries(tenant, &missing).await?;
        self.hold(&read);
        if known.is_empty() {
            return Ok(read);
        }
        known.extend(
            read.into_iter()
                .map(|entry| (entry.entry_id.clone(), entry)),
        );
        Ok(in_order(ids, &known))
    }

    /// Remembers that the hits of a text search are to be highlighted where
    /// they are shown.
    pub fn mark(&self, hits: &[Hit], highlighter: Highlighter) {
        let ids = hits.iter().map(|hit| hit.entry_id.clone());
        let mut marked = lock(&self.marked);
        if marked.len() < MARKED_SEARCHES {
            marked.push(MarkedHits {
                highlighter,
                entry_ids: ids.collect(),
            });
        }
    }

    /// Highlights hits that leave the host's services for good: no surface
    /// shows them later.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn highlight_all(
        &self,
        store: &Store,
        tenant: &str,
        hits: &mut [Hit],
    ) -> Result<(), StoreError> {
        if lock(&self.marked).is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let entries = self.entries(store, tenant, &ids).await?;
        let entries: HashMap<&str, &Entry> = entries
            .iter()
            .map(|entry| (entry.entry_id.as_str(), entry))
            .collect();
        for hit in hits {
            if let Some(entry) = entries.get(hit.entry_id.as_str()) {
                self.highlight(hit, entry);
            }
        }
        Ok(())
    }

    /// Puts highlights into a hit that no module put marks into. Of several
    /// searches that found the entry the first one counts whose query matches
    /// in its text.
    pub fn highlight(&self, hit: &mut Hit, entry: &Entry) {
        let has_marks = |highlight: &Highlight| !highlight.ranges.is_empty();
        if hit.highlights.iter().any(has_marks) {
            return;
        }
        let marked = lock(&self.marked);
        let found_it = marked
            .iter()
            .filter(|of| of.entry_ids.contains(&hit.entry_id));
        let mut highlights = found_it.map(|of| of.highlighter.highlight(&entry.raw_text));
        if let Some(highlights) = highlights.find(|made| !made.is_empty()) {
            hit.highlights = highlights;
        }
    }

    fn hold(&self, entries: &[Entry]) {
        let mut read = lock(&self.read);
        let room = HELD_ENTRIES.saturating_sub(read.len());
        for entry in entries.iter().take(room) {
            read.insert(entry.entry_id.clone(), entry.clone());
        }
    }
}

/// Ids that are asked for twice are given twice, as the store does.
fn in_order(ids: &[String], entries: &HashMap<String, Entry>) -> Vec<Entry> {
    ids.iter()
        .filter_map(|id| entries.get(id).cloned())
        .collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is one insert: a panic leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
