//! Convex combination of scores (Bruch, Gai and Ingber, TOIS 2023): each
//! list's scores over their maximum, weighted.

use std::collections::BTreeMap;

use gannet_plugin::prelude::Hit;
use gannet_plugin::search::ScoreKind;

use super::{join_by_entry, ordered};
use crate::{ModuleHits, StageError};

/// Scores each entry by (1 − α) · score / max for lists of lexical modules and
/// α · score / max for lists of dense ones, from 0 to 1. An entry that a list
/// lacks counts there as that list's last. Several lists of one sort share its
/// weight by `weights`, 1 for a module that is not named; a list without
/// scores (an order by time) counts by its ranks.
///
/// # Errors
/// [`StageError::AlphaOutOfRange`].
///
/// ```
/// use std::collections::BTreeMap;
/// use gannet_plugin::prelude::Hit;
/// use gannet_plugin::search::ScoreKind;
/// use gannet_stages::{ModuleHits, convex};
///
/// let bm25 = |id: &str, score| Hit::new(id, "logbook", score, ScoreKind::Bm25);
/// let cosine = |id: &str, score| Hit::new(id, "logbook", score, ScoreKind::Cosine);
/// let lists = [
///     ModuleHits::new("keyword", vec![bm25("a", 12.0), bm25("b", 3.0)]),
///     ModuleHits::new("semantic", vec![cosine("b", 0.6), cosine("a", 0.3)]),
/// ];
/// let fused = convex(&lists, 0.5, &BTreeMap::new())?;
/// assert_eq!((fused[0].entry_id.as_str(), fused[0].score), ("a", 0.75));
/// # Ok::<(), gannet_stages::StageError>(())
/// ```
pub fn convex(
    lists: &[ModuleHits],
    alpha: f64,
    weights: &BTreeMap<String, f64>,
) -> Result<Vec<Hit>, StageError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(StageError::AlphaOutOfRange(alpha));
    }
    let (lists, candidates) = join_by_entry(lists);
    let weight = |list: &ModuleHits| weights.get(&list.module).copied().unwrap_or(1.0);
    let of_sort = |dense: bool| {
        lists
            .iter()
            .filter(move |list| list.is_dense() == dense && !list.hits.is_empty())
    };
    let total = |dense: bool| of_sort(dense).map(weight).sum::<f64>();
    let (dense, lexical) = (total(true), total(false));
    // Where one sort found nothing, the other decides alone.
    let alpha = match (dense > 0.0, lexical > 0.0) {
        (true, false) => 1.0,
        (false, true) => 0.0,
        _ => alpha,
    };
    let scales: Vec<Scale> = lists
        .iter()
        .map(|list| {
            let (share, total) = match list.is_dense() {
                true => (alpha, dense),
                false => (1.0 - alpha, lexical),
            };
            let share = if total > 0.0 {
                share * weight(list) / total
            } else {
                0.0
            };
            Scale::of(list, share)
        })
        .collect();
    Ok(ordered(candidates.into_iter().map(|candidate| {
        let score = scales.iter().enumerate().map(|(index, scale)| {
            let part = candidate.parts.iter().find(|part| part.list == index);
            part.map_or(scale.missing, |part| scale.apply(part.score, part.rank))
        });
        let score = score.sum();
        candidate.scored(score, ScoreKind::Convex)
    })))
}

/// How the scores of one list count.
struct Scale {
    share: f64,
    most: f64,
    /// The hits of a list without scores; 0 for one with scores.
    ranked: f64,
    /// What an entry counts that the list lacks.
    missing: f64,
}

impl Scale {
    fn of(list: &ModuleHits, share: f64) -> Self {
        let scores = || list.hits.iter().map(|hit| hit.score);
        let most = scores().fold(0.0, f64::max);
        let has_scores = most > 0.0
            && list
                .hits
                .iter()
                .all(|hit| hit.score_kind != ScoreKind::None);
        let ranked = if has_scores {
            0.0
        } else {
            list.hits.len() as f64
        };
        let mut scale = Self {
            share,
            most,
            ranked,
            missing: 0.0,
        };
        let last = scores().fold(f64::INFINITY, f64::min);
        if has_scores {
            scale.missing = scale.apply(last, 1);
        }
        scale
    }

    fn apply(&self, score: f64, rank: u32) -> f64 {
        if self.ranked > 0.0 {
            return self.share * (1.0 - f64::from(rank - 1) / self.ranked);
        }
        self.share * (score / self.most).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn list(module: &str, kind: ScoreKind, hits: &[(&str, f64)]) -> ModuleHits {
        let hits = hits
            .iter()
            .map(|(id, score)| Hit::new(*id, "logbook", *score, kind));
        ModuleHits::new(module, hits.collect())
    }

    fn scores(lists: &[ModuleHits], alpha: f64) -> Vec<(String, f64)> {
        let fused = convex(lists, alpha, &BTreeMap::new()).unwrap();
        fused
            .into_iter()
            .map(|hit| (hit.entry_id, hit.score))
            .collect()
    }

    #[test]
    fn an_entry_that_a_list_lacks_counts_as_its_last() {
        let lists = [
            list("keyword", ScoreKind::Bm25, &[("a", 4.0), ("b", 2.0)]),
            list("semantic", ScoreKind::Cosine, &[("c", 0.5), ("a", 0.4)]),
        ];
        let scores = scores(&lists, 0.5);
        assert_eq!(scores[0], ("a".to_owned(), 0.5 + 0.4));
        assert_eq!(scores[1], ("c".to_owned(), 0.25 + 0.5));
        assert_eq!(scores[2], ("b".to_owned(), 0.25 + 0.4));
    }

    #[test]
    fn a_list_that_found_nothing_leaves_the_other_as_it_is() {
        let lists = [
            list("keyword", ScoreKind::Bm25, &[("a", 4.0), ("b", 2.0)]),
            list("semantic", ScoreKind::Cosine, &[]),
        ];
        assert_eq!(
            scores(&lists, 0.9),
            [("a".to_owned(), 1.0), ("b".to_owned(), 0.5)]
        );
    }

    #[test]
    fn a_list_in_the_order_of_time_counts_by_rank() {
        let lists = [list(
            "keyword",
            ScoreKind::None,
            &[("b", 17e8), ("a", 16e8)],
        )];
        assert_eq!(
            scores(&lists, 0.5),
            [("b".to_owned(), 1.0), ("a".to_owned(), 0.5)]
        );
    }

    #[test]
    fn negative_cosines_count_nothing() {
        let lists = [list(
            "semantic",
            ScoreKind::Cosine,
            &[("a", 0.2), ("b", -0.3)],
        )];
        assert_eq!(
            scores(&lists, 0.5),
            [("a".to_owned(), 1.0), ("b".to_owned(), 0.0)]
        );
    }
}
