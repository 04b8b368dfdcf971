//! What the modules of a pipeline answered: one ranked list a module.

use std::collections::HashSet;

use gannet_plugin::prelude::Hit;
use gannet_plugin::search::ScoreKind;

/// The hits of one module, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleHits {
    /// The module, by the name that it has in the configuration.
    pub module: String,
    /// Its hits in its own order.
    pub hits: Vec<Hit>,
}

impl ModuleHits {
    /// A module's list.
    pub fn new(module: impl Into<String>, hits: Vec<Hit>) -> Self {
        Self {
            module: module.into(),
            hits,
        }
    }

    /// Whether the module compares embeddings: its scores are cosines.
    pub fn is_dense(&self) -> bool {
        self.hits
            .first()
            .is_some_and(|hit| hit.score_kind == ScoreKind::Cosine)
    }

    /// Drops what is no hit (an empty id, a score that is no finite number)
    /// and says how many there were; then keeps the first, which is the best,
    /// of several hits of one entry.
    ///
    /// ```
    /// use gannet_plugin::prelude::Hit;
    /// use gannet_plugin::search::ScoreKind;
    /// use gannet_stages::ModuleHits;
    ///
    /// let hit = |id: &str, score| Hit::new(id, "logbook", score, ScoreKind::Bm25);
    /// let mut list = ModuleHits::new(
    ///     "keyword",
    ///     vec![hit("a", 3.0), hit("b", f64::NAN), hit("a", 1.0), hit("", 1.0)],
    /// );
    /// assert_eq!(list.clean(), 2);
    /// assert_eq!(list.hits, [hit("a", 3.0)]);
    /// ```
    pub fn clean(&mut self) -> usize {
        let before = self.hits.len();
        self.hits
            .retain(|hit| !hit.entry_id.is_empty() && hit.score.is_finite());
        let garbage = before - self.hits.len();
        let mut seen = HashSet::new();
        self.hits.retain(|hit| seen.insert(hit.entry_id.clone()));
        garbage
    }
}
