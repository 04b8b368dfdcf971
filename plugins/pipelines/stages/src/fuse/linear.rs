//! Linear fusion: scores scaled to 0 to 1 and mixed.

use gannet_plugin::prelude::Hit;
use gannet_plugin::search::ScoreKind;

use super::{join_by_entry, ordered};
use crate::{ModuleHits, StageError};

/// A cosine as a number from 0 to 1; 0.5 is unrelated.
pub fn semantic_score(cosine: f64) -> f64 {
    f64::midpoint(cosine.clamp(-1.0, 1.0), 1.0)
}

/// Mixes scores: (1 − α) · minmax(score) for keyword lists and
/// α · (cosine + 1) / 2 for semantic lists; several lists of one sort share
/// its weight evenly. A list that lacks the entry counts 0 and nothing is
/// dropped. Min–max runs over the candidates; where all scores are equal each
/// counts 0.
///
/// # Errors
/// [`StageError::AlphaOutOfRange`].
pub fn linear(lists: &[ModuleHits], alpha: f64) -> Result<Vec<Hit>, StageError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(StageError::AlphaOutOfRange(alpha));
    }
    let (lists, candidates) = join_by_entry(lists);
    let scales: Vec<Scale> = lists.iter().map(Scale::of).collect();
    let filled = lists.iter().filter(|list| !list.hits.is_empty()).count();
    let by_meaning = scales.iter().filter(|s| **s == Scale::Cosine).count();
    let by_words = filled - by_meaning;
    Ok(ordered(candidates.into_iter().map(|candidate| {
        let score = candidate
            .parts
            .iter()
            .filter_map(|part| Some((scales.get(part.list)?, part.score)))
            .map(|(scale, score)| match scale {
                Scale::Cosine => alpha / as_f64(by_meaning) * scale.apply(score),
                Scale::MinMax { .. } => (1.0 - alpha) / as_f64(by_words) * scale.apply(score),
            })
            .sum();
        candidate.scored(score, ScoreKind::Linear)
    })))
}

/// How the scores of one list become numbers from 0 to 1.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Cosine,
    MinMax { least: f64, range: f64 },
}

impl Scale {
    fn of(list: &ModuleHits) -> Self {
        if list.is_dense() {
            return Self::Cosine;
        }
        let scores = || list.hits.iter().map(|hit| hit.score);
        let least = scores().fold(f64::INFINITY, f64::min);
        let range = scores().fold(f64::NEG_INFINITY, f64::max) - least;
        Self::MinMax {
            least,
            range: if range > 0.0 { range } else { 1.0 },
        }
    }

    fn apply(self, score: f64) -> f64 {
        match self {
            Self::Cosine => semantic_score(score),
            Self::MinMax { least, range } => (score - least) / range,
        }
    }
}

/// A number of lists; far below where f64 is inexact.
fn as_f64(count: usize) -> f64 {
    count as f64
}
