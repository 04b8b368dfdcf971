//! The entries that tools of one run gave.

use std::collections::HashMap;

use gannet_plugin::prelude::{Entry, Hit};
use gannet_stages::ModuleHits;

/// The entries that tools of one run gave, in the order first found.
#[derive(Default)]
pub(crate) struct Findings {
    hits: Vec<Hit>,
    entries: HashMap<String, Entry>,
    lists: Vec<ModuleHits>,
}

impl Findings {
    /// Whether no tool gave an entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// The ids, in the order first found.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.hits.iter().map(|hit| hit.entry_id.clone()).collect()
    }

    /// Whether a tool gave this entry.
    pub(crate) fn hold(&self, entry_id: &str) -> bool {
        self.entries.contains_key(entry_id)
    }

    /// Adds what a search gave: its hits, and the entries of at least these.
    pub(crate) fn add(&mut self, list: ModuleHits, entries: HashMap<String, Entry>) {
        for hit in &list.hits {
            match self
                .hits
                .iter_mut()
                .find(|one| one.entry_id == hit.entry_id)
            {
                Some(known) => join(known, hit),
                None => self.hits.push(hit.clone()),
            }
        }
        self.entries.extend(entries);
        self.lists.push(list);
    }

    /// Adds an entry that was read, unless it is there.
    pub(crate) fn add_read(&mut self, hit: Hit, entry: Entry) {
        if !self.hold(&entry.entry_id) {
            self.hits.push(hit);
            self.entries.insert(entry.entry_id.clone(), entry);
        }
    }

    /// What each search gave.
    pub(crate) fn lists(&self) -> &[ModuleHits] {
        &self.lists
    }

    /// Puts the hits in another order. Hits whose entry is not known are left
    /// out.
    pub(crate) fn reorder(&mut self, hits: Vec<Hit>) {
        self.hits = hits;
        let entries = &self.entries;
        self.hits.retain(|hit| entries.contains_key(&hit.entry_id));
    }

    /// The entries in order, this many at most.
    pub(crate) fn entries(&self, limit: usize) -> Vec<Entry> {
        let in_order = self
            .hits
            .iter()
            .filter_map(|hit| self.entries.get(&hit.entry_id));
        in_order.take(limit).cloned().collect()
    }

    /// The scores of the hits of [`entries`](Self::entries), in their order.
    pub(crate) fn scores(&self, limit: usize) -> Vec<f64> {
        let with_entry = |hit: &&Hit| self.entries.contains_key(&hit.entry_id);
        let in_order = self.hits.iter().filter(with_entry);
        in_order.take(limit).map(|hit| hit.score).collect()
    }

    /// The hits of the result: at most this many in the order found, where
    /// those that are cited go before the others.
    pub(crate) fn result(&self, cited: &[String], limit: usize) -> Vec<Hit> {
        let is_cited = |hit: &&Hit| cited.contains(&hit.entry_id);
        let places_of_others = limit.saturating_sub(self.hits.iter().filter(is_cited).count());
        let mut others = 0;
        let mut kept: Vec<Hit> = Vec::with_capacity(limit.min(self.hits.len()));
        for hit in &self.hits {
            let is_other = !is_cited(&hit);
            others += usize::from(is_other);
            if kept.len() < limit && (!is_other || others <= places_of_others) {
                kept.push(hit.clone());
            }
        }
        kept
    }
}

/// Adds a second hit of an entry to the first: the better score of one kind,
/// and who found it.
fn join(known: &mut Hit, again: &Hit) {
    if again.score_kind == known.score_kind && again.score > known.score {
        known.score = again.score;
        if again.passage.is_some() {
            known.passage.clone_from(&again.passage);
        }
    }
    if known.passage.is_none() {
        known.passage.clone_from(&again.passage);
    }
    for provenance in &again.provenance {
        let mut before = known.provenance.iter_mut();
        match before.find(|one| one.module == provenance.module) {
            Some(before) if provenance.rank < before.rank => *before = provenance.clone(),
            Some(_) => {}
            None => known.provenance.push(provenance.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::search::{Provenance, ScoreKind};

    use super::*;

    type List<'a> = (&'a str, ScoreKind, &'a [(&'a str, f64)]);

    fn findings(lists: &[List<'_>]) -> Findings {
        let mut findings = Findings::default();
        for (module, kind, scored) in lists {
            let ranked = (1..).zip(*scored);
            let hits = ranked.map(|(rank, (id, score))| {
                let mut hit = Hit::new(*id, "logbook", *score, *kind);
                hit.provenance
                    .push(Provenance::new((*module).to_owned(), rank, *score, *kind));
                hit
            });
            let entry =
                |id: &str| Entry::new(id, "log", "2024-01-05T08:30:00Z".parse().unwrap(), "");
            let entries = scored.iter().map(|(id, _)| ((*id).to_owned(), entry(id)));
            findings.add(ModuleHits::new(*module, hits.collect()), entries.collect());
        }
        findings
    }

    #[test]
    fn the_best_score_of_one_kind_is_kept_in_the_order_first_found() {
        let bm25 = ScoreKind::Bm25;
        let found = findings(&[
            ("keyword", bm25, &[("a", 2.0), ("b", 1.0)]),
            ("keyword", bm25, &[("b", 7.0), ("c", 3.0)]),
            ("semantic", ScoreKind::Cosine, &[("a", 0.9)]),
        ]);
        assert_eq!(found.ids(), ["a", "b", "c"]);
        let scores: Vec<f64> = found.hits.iter().map(|hit| hit.score).collect();
        assert_eq!(scores, [2.0, 7.0, 3.0]);
        let modules = |place: usize| -> Vec<(String, u32)> {
            let provenance = found.hits[place].provenance.iter();
            provenance
                .map(|one| (one.module.clone(), one.rank))
                .collect()
        };
        assert_eq!(
            modules(0),
            [("keyword".to_owned(), 1), ("semantic".to_owned(), 1)]
        );
        assert_eq!(modules(1), [("keyword".to_owned(), 1)]);
    }

    #[test]
    fn what_is_cited_is_in_the_result_whatever_the_limit_leaves_out() {
        let found = findings(&[(
            "keyword",
            ScoreKind::Bm25,
            &[("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0)],
        )]);
        let ids = |cited: &[&str], limit: usize| -> Vec<String> {
            let cited: Vec<String> = cited.iter().map(|id| (*id).to_owned()).collect();
            let result = found.result(&cited, limit);
            result.into_iter().map(|hit| hit.entry_id).collect()
        };
        assert_eq!(ids(&["d"], 2), ["a", "d"]);
        assert_eq!(ids(&["d", "b"], 2), ["b", "d"]);
        assert_eq!(ids(&["d", "b", "a"], 2), ["a", "b"]);
        assert_eq!(ids(&[], 9), ["a", "b", "c", "d"]);
    }
}
