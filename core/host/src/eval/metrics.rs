//! The measures of trec_eval.

use std::collections::HashMap;

/// How good a ranking is, or the mean over several. All are between 0 and 1,
/// more is better.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Metrics {
    /// Normalised discounted cumulative gain of the first 10, linear gain.
    pub ndcg_at_10: f64,
    /// The part of the relevant documents that is among the first 10.
    pub recall_at_10: f64,
    /// The part of the relevant documents that is among the first 100.
    pub recall_at_100: f64,
    /// 1 / rank of the first relevant document among the first 10, or 0.
    pub mrr_at_10: f64,
    /// The part of the first 10 places that holds a relevant document.
    pub p_at_10: f64,
}

/// Measures one ranking against the grades of its question.
///
/// ```
/// use gannet_core::eval::measure;
/// use std::collections::HashMap;
///
/// let grades = HashMap::from([("a".to_owned(), 2), ("b".to_owned(), 1), ("c".to_owned(), 0)]);
/// let ranking = ["c", "a", "b"].map(str::to_owned);
/// let metrics = measure(&ranking, &grades);
/// assert_eq!(metrics.mrr_at_10, 0.5);
/// assert_eq!(metrics.recall_at_10, 1.0);
/// assert_eq!(metrics.p_at_10, 0.2);
/// ```
pub fn measure(ranking: &[String], grades: &HashMap<String, u32>) -> Metrics {
    let relevant = grades.values().filter(|grade| **grade > 0).count();
    if relevant == 0 {
        return Metrics::default();
    }
    let gains: Vec<u32> = ranking
        .iter()
        .map(|id| grades.get(id).copied().unwrap_or(0))
        .collect();
    let found = |depth: usize| gains.iter().take(depth).filter(|gain| **gain > 0).count() as f64;
    let first = gains.iter().take(10).position(|gain| *gain > 0);
    Metrics {
        ndcg_at_10: discounted(&gains) / ideal(grades),
        recall_at_10: found(10) / relevant as f64,
        recall_at_100: found(100) / relevant as f64,
        mrr_at_10: first.map_or(0.0, |index| 1.0 / (index + 1) as f64),
        p_at_10: found(10) / 10.0,
    }
}

impl Metrics {
    /// The mean of several; zeros when there are none.
    pub fn mean(of: &[Metrics]) -> Metrics {
        let mean =
            |pick: fn(&Metrics) -> f64| of.iter().map(pick).sum::<f64>() / of.len().max(1) as f64;
        Metrics {
            ndcg_at_10: mean(|m| m.ndcg_at_10),
            recall_at_10: mean(|m| m.recall_at_10),
            recall_at_100: mean(|m| m.recall_at_100),
            mrr_at_10: mean(|m| m.mrr_at_10),
            p_at_10: mean(|m| m.p_at_10),
        }
    }
}

fn discounted(gains: &[u32]) -> f64 {
    gains
        .iter()
        .take(10)
        .enumerate()
        .map(|(index, gain)| f64::from(*gain) / ((index + 2) as f64).log2())
        .sum()
}

fn ideal(grades: &HashMap<String, u32>) -> f64 {
    let mut best: Vec<u32> = grades.values().copied().collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    discounted(&best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grades(pairs: &[(&str, u32)]) -> HashMap<String, u32> {
        pairs
            .iter()
            .map(|(id, grade)| ((*id).to_owned(), *grade))
            .collect()
    }

    fn ranking(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn gain_is_linear_and_discounted_by_the_logarithm_of_the_rank() {
        let grades = grades(&[("a", 3), ("b", 1)]);
        let metrics = measure(&ranking(&["b", "a"]), &grades);
        let expected = (1.0 + 3.0 / 3f64.log2()) / (3.0 + 1.0 / 3f64.log2());
        assert!((metrics.ndcg_at_10 - expected).abs() < 1e-12);
    }

    #[test]
    fn a_perfect_ranking_measures_one() {
        let grades = grades(&[("a", 2), ("b", 1), ("c", 0)]);
        assert_eq!(measure(&ranking(&["a", "b"]), &grades).ndcg_at_10, 1.0);
    }

    #[test]
    fn what_comes_after_the_tenth_place_counts_for_recall_at_100_only() {
        let ids: Vec<String> = (0..20).map(|n| format!("d{n}")).collect();
        let metrics = measure(&ids, &grades(&[("d15", 1)]));
        assert_eq!((metrics.recall_at_10, metrics.recall_at_100), (0.0, 1.0));
        assert_eq!((metrics.mrr_at_10, metrics.ndcg_at_10), (0.0, 0.0));
    }

    #[test]
    fn a_question_without_relevant_documents_measures_zero() {
        let metrics = measure(&ranking(&["a"]), &grades(&[("a", 0)]));
        assert_eq!(metrics, Metrics::default());
    }
}
