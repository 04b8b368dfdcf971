//! What is needed of the entries that a request shows: read once, and
//! highlighted once.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gannet_analysis::Highlighter;
use gannet_api::{Entry, Highlight, Hit};
use gannet_store::{Store, StoreError};

/// The most entries that are held for a request: pipelines read what they
/// show, and some candidates.
const HELD_ENTRIES: usize = 200;
/// The most entries of a request that the store does not hold.
const GIVEN_ENTRIES: usize = 1000;
/// The most text searches of a request whose hits are highlighted.
const MARKED_SEARCHES: usize = 1024;

/// The most fragments of attachments that a hit shows.
const MOST_FRAGMENTS: usize = 3;

/// Entries that were read for a request, and the text searches that were asked
/// for highlights.
#[derive(Debug, Default)]
pub(crate) struct ShownEntries {
    read: Mutex<HashMap<String, Entry>>,
    given: Mutex<HashMap<String, Entry>>,
    /// Those of the given ones that the store was asked for and does not hold.
    not_stored: Mutex<HashSet<String>>,
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
        let mut read = store.entries(tenant, &missing).await?;
        self.hold(&read);
        read = self.with_given(&missing, read);
        if known.is_empty() {
            return Ok(read);
        }
        known.extend(
            read.into_iter()
                .map(|entry| (entry.entry_id.clone(), entry)),
        );
        Ok(in_order(ids, &known))
    }

    /// Takes entries that a plugin gave with its hits. [`Self::entries`] prefers
    /// the stored one of the same id: no plugin changes what an entry says.
    pub fn give(&self, entries: Vec<Entry>) {
        let mut given = lock(&self.given);
        for entry in entries {
            if given.len() < GIVEN_ENTRIES {
                given.insert(entry.entry_id.clone(), entry);
            }
        }
    }

    /// Whether an entry that was read here came from a plugin: the store does
    /// not hold it.
    pub fn is_not_stored(&self, entry_id: &str) -> bool {
        lock(&self.not_stored).contains(entry_id)
    }

    /// What was read, with those that are not stored and were given.
    fn with_given(&self, ids: &[String], read: Vec<Entry>) -> Vec<Entry> {
        let given = lock(&self.given);
        if given.is_empty() {
            return read;
        }
        let mut all: HashMap<String, Entry> = read
            .into_iter()
            .map(|entry| (entry.entry_id.clone(), entry))
            .collect();
        for id in ids {
            if let (false, Some(entry)) = (all.contains_key(id), given.get(id)) {
                lock(&self.not_stored).insert(id.clone());
                all.insert(id.clone(), entry.clone());
            }
        }
        in_order(ids, &all)
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
    /// in its text, or else in its attachments.
    pub fn highlight(&self, hit: &mut Hit, entry: &Entry) {
        let has_marks = |highlight: &Highlight| !highlight.ranges.is_empty();
        if hit.highlights.iter().any(has_marks) {
            return;
        }
        let marked = lock(&self.marked);
        let found_it = marked
            .iter()
            .filter(|of| of.entry_ids.contains(&hit.entry_id));
        let found_it: Vec<&MarkedHits> = found_it.collect();
        let in_text = found_it
            .iter()
            .map(|of| of.highlighter.highlight(&entry.raw_text));
        let in_attachments = found_it
            .iter()
            .map(|of| in_attachments(&of.highlighter, entry));
        let mut highlights = in_text.chain(in_attachments);
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

/// The best fragment of each text in the attachments that has one.
fn in_attachments(highlighter: &Highlighter, entry: &Entry) -> Vec<Highlight> {
    let texts = entry.attachment_texts();
    let found = texts.filter_map(|of| {
        let best = highlighter.highlight(of.text).into_iter().next()?;
        Some(best.with_source(of.place()))
    });
    found.take(MOST_FRAGMENTS).collect()
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use gannet_api::query::{QueryOptions, parse};
    use gannet_api::{DEFAULT_TENANT, Filter, QuerySyntax};
    use gannet_store::{StoreOptions, TextFound, TextRequest};
    use jiff::Timestamp;

    use super::*;

    async fn store(folder: &std::path::Path) -> Store {
        let store = Store::open(StoreOptions::at(folder)).await.unwrap();
        let entry = |id: &str, text: &str| Entry::new(id, "test", Timestamp::UNIX_EPOCH, text);
        let entries = vec![entry("a", "The pump tripped."), entry("b", "A pump leaks.")];
        store.upsert(entries).await.unwrap();
        store.flush().await.unwrap();
        store
    }

    async fn find(store: &Store, query: &str) -> TextFound {
        let request = TextRequest {
            query: parse(query, QuerySyntax::Operators, &QueryOptions::default()),
            filter: Filter::none(),
            limit: 10,
            fuzzy: false,
        };
        store.text_search(DEFAULT_TENANT, request).await.unwrap()
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn marked(hit: &Hit) -> Vec<&str> {
        let highlights = hit.highlights.iter();
        highlights
            .flat_map(|of| of.ranges.iter().map(|&(start, end)| &of.text[start..end]))
            .collect()
    }

    #[tokio::test]
    async fn an_entry_is_read_once_and_given_in_the_order_asked() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).await;
        let shown = ShownEntries::default();
        let read = shown.entries(&store, DEFAULT_TENANT, &ids(&["b"])).await;
        assert_eq!(read.unwrap().len(), 1);
        store.delete(DEFAULT_TENANT, &ids(&["b"])).await.unwrap();
        let asked = ids(&["b", "none", "a", "b"]);
        let again = shown.entries(&store, DEFAULT_TENANT, &asked).await.unwrap();
        let again: Vec<&str> = again.iter().map(|entry| entry.entry_id.as_str()).collect();
        assert_eq!(again, ["b", "a", "b"]);
        let fresh = ShownEntries::default();
        let read = fresh.entries(&store, DEFAULT_TENANT, &asked).await;
        assert_eq!(read.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn the_first_search_that_matches_in_the_text_highlights_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).await;
        let shown = ShownEntries::default();
        for query in ["quench OR leak", "pump"] {
            let found = find(&store, query).await;
            shown.mark(&found.hits, found.highlighter);
        }
        let mut hits = find(&store, "pump").await.hits;
        hits.sort_by(|a, b| a.entry_id.cmp(&b.entry_id));
        let highlighted = shown.highlight_all(&store, DEFAULT_TENANT, &mut hits).await;
        highlighted.unwrap();
        assert_eq!(marked(&hits[0]), ["pump"]);
        assert_eq!(marked(&hits[1]), ["leaks"]);
    }

    #[tokio::test]
    async fn marks_that_a_module_made_stay_and_its_passage_gives_way() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).await;
        let shown = ShownEntries::default();
        let found = find(&store, "pump").await;
        shown.mark(&found.hits, found.highlighter);
        let entries = shown.entries(&store, DEFAULT_TENANT, &ids(&["a"])).await;
        let entry = &entries.unwrap()[0];
        let mut hit = find(&store, "tripped").await.hits.remove(0);
        let own = |ranges: &[(usize, usize)]| vec![Highlight::new("The pump", ranges.to_vec())];
        hit.highlights = own(&[(0, 3)]);
        shown.highlight(&mut hit, entry);
        assert_eq!(marked(&hit), ["The"]);
        hit.highlights = own(&[]);
        shown.highlight(&mut hit, entry);
        assert_eq!(marked(&hit), ["pump"]);
    }
}
