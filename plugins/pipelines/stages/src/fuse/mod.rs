//! Fuse: several ranked lists into one. Every hit keeps which module found
//! it, at which rank and with which score.
//!
//! Fused hits all carry [`Matched::All`]: whether a query was met in whole is
//! one module's reading of it, and would override the fused score in the
//! order otherwise. The order is score, kind, entry id.

mod convex;
mod headline;
mod linear;
mod rrf;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use gannet_plugin::prelude::Hit;
use gannet_plugin::search::{Matched, Provenance, ScoreKind, sort_hits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use convex::convex;
pub use headline::reads_like_a_headline;
pub use linear::{linear, semantic_score};
pub use rrf::{DEFAULT_K, rrf};

use crate::{ModuleHits, StageError};

/// How lists become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FusionMethod {
    /// A convex combination of scores over their maximum.
    #[default]
    Convex,
    /// Reciprocal rank fusion: only ranks count.
    Rrf,
    /// A linear mix of scores scaled to 0 to 1.
    Linear,
}

/// How the lists of a pipeline's modules become one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FusionSettings {
    /// `convex` (scores over their maximum), `rrf` (ranks; with `weights`
    /// other than 1 its scores are of kind `weighted_rrf`) or `linear` (scores
    /// scaled from 0 to 1).
    pub method: FusionMethod,
    /// The constant of `rrf`: the larger, the less the first ranks stand out.
    pub k: f64,
    /// Weights per module for `rrf`, and for `convex` among the modules of one
    /// sort; 1 for a module that is not named.
    pub weights: BTreeMap<String, f64>,
    /// The share of dense modules in `convex` and `linear`, 0 to 1. In `convex`
    /// it is at most 0.2 for a query in capitals and 0.3 for one of device
    /// names.
    pub alpha: f64,
    /// By how much lists of lexical modules weigh more in `rrf` when the query
    /// is set in capitals or names devices: such queries are met best by their
    /// words. 1 turns it off.
    pub headline_boost: f64,
    /// The weight of late interaction beside a convex combination: of the
    /// scores of the first hits word by word, over their maximum. 0 turns it
    /// off.
    pub late_weight: f64,
}

impl Default for FusionSettings {
    fn default() -> Self {
        Self {
            method: FusionMethod::Convex,
            k: DEFAULT_K,
            weights: BTreeMap::new(),
            alpha: 0.5,
            headline_boost: 2.0,
            late_weight: 0.5,
        }
    }
}

impl FusionSettings {
    /// The weight of late interaction for a query: less where dense modules
    /// count less, because the query is met best by its words.
    pub fn late_weight_of(&self, query: &str) -> f64 {
        if self.alpha <= 0.0 {
            return 0.0;
        }
        self.late_weight * headline::dense_share(query, self.alpha) / self.alpha
    }

    /// Whether the numbers can be used.
    ///
    /// # Errors
    /// Which number is out of its range.
    pub fn check(&self) -> Result<(), StageError> {
        if !(0.0..=1.0).contains(&self.alpha) {
            return Err(StageError::AlphaOutOfRange(self.alpha));
        }
        if !is_weight(self.k) {
            return Err(StageError::BadRankConstant(self.k));
        }
        if !is_weight(self.headline_boost) {
            return Err(StageError::BadHeadlineBoost(self.headline_boost));
        }
        if !is_weight(self.late_weight) {
            return Err(StageError::BadLateWeight(self.late_weight));
        }
        match self.weights.iter().find(|(_, weight)| !is_weight(**weight)) {
            Some((module, &weight)) => Err(StageError::BadWeight {
                module: module.clone(),
                weight,
            }),
            None => Ok(()),
        }
    }

    /// The weight of each list for this query: the configured one, times
    /// `headline_boost` for lexical lists when the query reads like a headline
    /// and dense lists stand beside them.
    pub fn weights_for(&self, query: &str, lists: &[ModuleHits]) -> BTreeMap<String, f64> {
        let mixed = lists.iter().any(ModuleHits::is_dense);
        let boost = if mixed && reads_like_a_headline(query) {
            self.headline_boost
        } else {
            1.0
        };
        lists
            .iter()
            .map(|list| {
                let configured = self.weights.get(&list.module).copied().unwrap_or(1.0);
                let is_dense = list.is_dense();
                let factor = if is_dense { 1.0 } else { boost };
                (list.module.clone(), configured * factor)
            })
            .collect()
    }
}

fn is_weight(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

/// Fuses by the settings, for this query.
///
/// # Errors
/// See [`FusionSettings::check`].
pub fn fuse(
    query: &str,
    lists: &[ModuleHits],
    settings: &FusionSettings,
) -> Result<Vec<Hit>, StageError> {
    settings.check()?;
    match settings.method {
        FusionMethod::Convex => {
            let alpha = headline::dense_share(query, settings.alpha);
            convex(lists, alpha, &settings.weights)
        }
        FusionMethod::Rrf => Ok(rrf(lists, settings.k, &settings.weights_for(query, lists))),
        FusionMethod::Linear => linear(lists, settings.alpha),
    }
}

/// One entry as the lists see it together.
struct Candidate {
    hit: Hit,
    /// Where each list has it: the list's index and its hit there.
    parts: Vec<Part>,
}

/// An entry's place in one list.
#[derive(Clone, Copy)]
struct Part {
    list: usize,
    rank: u32,
    score: f64,
}

/// Cleans the lists and joins the hits of each entry. The passage is that of
/// the list that ranks the entry best; the highlights are the first there are.
fn join_by_entry(lists: &[ModuleHits]) -> (Vec<ModuleHits>, Vec<Candidate>) {
    let cleaned: Vec<ModuleHits> = lists
        .iter()
        .map(|list| {
            let mut list = list.clone();
            list.clean();
            list
        })
        .collect();
    let mut candidates: BTreeMap<&str, Candidate> = BTreeMap::new();
    for (index, list) in cleaned.iter().enumerate() {
        for (rank, hit) in (1..).zip(&list.hits) {
            let part = Part {
                list: index,
                rank,
                score: hit.score,
            };
            match candidates.get_mut(hit.entry_id.as_str()) {
                Some(candidate) => candidate.add(hit, part),
                None => {
                    candidates.insert(&hit.entry_id, Candidate::first(hit, part));
                }
            }
        }
    }
    let mut joined: Vec<Candidate> = candidates.into_values().collect();
    for candidate in &mut joined {
        candidate.note_provenance(&cleaned);
    }
    (cleaned, joined)
}

impl Candidate {
    fn first(hit: &Hit, part: Part) -> Self {
        let mut fused = hit.clone();
        fused.matched = Matched::All;
        fused.explain = None;
        Self {
            hit: fused,
            parts: vec![part],
        }
    }

    fn add(&mut self, hit: &Hit, part: Part) {
        let best_so_far = self.parts.iter().map(|part| part.rank).min();
        let ranks_better = best_so_far.is_none_or(|best| part.rank < best);
        if hit.passage.is_some() && (self.hit.passage.is_none() || ranks_better) {
            self.hit.passage.clone_from(&hit.passage);
        }
        if self.hit.highlights.is_empty() {
            self.hit.highlights.clone_from(&hit.highlights);
        }
        self.parts.push(part);
    }

    fn note_provenance(&mut self, lists: &[ModuleHits]) {
        let provenance = self.parts.iter().filter_map(|part| {
            let list = lists.get(part.list)?;
            let score_kind = list.hits.first().map_or(ScoreKind::None, |h| h.score_kind);
            Some(Provenance::new(
                list.module.clone(),
                part.rank,
                part.score,
                score_kind,
            ))
        });
        self.hit.provenance = provenance.collect();
    }

    fn scored(mut self, score: f64, score_kind: ScoreKind) -> Hit {
        self.hit.score = score;
        self.hit.score_kind = score_kind;
        self.hit
    }
}

/// The hits in the one total order.
fn ordered(hits: impl Iterator<Item = Hit>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = hits.collect();
    sort_hits(&mut hits);
    hits
}
