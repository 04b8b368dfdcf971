//! The best rows by score, collected without a heap.

use std::cmp::Ordering;

/// A row with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scored {
    pub(super) score: f32,
    pub(super) key: u64,
    pub(super) row: usize,
}

impl Scored {
    /// Better first: higher score, then smaller key, then smaller row.
    pub(super) fn order(left: &Self, right: &Self) -> Ordering {
        right
            .score
            .total_cmp(&left.score)
            .then(left.key.cmp(&right.key))
            .then(left.row.cmp(&right.row))
    }
}

/// Keeps the best `wanted` rows of those pushed.
///
/// Rows gather until there are twice as many as wanted; then the worse half
/// is cut off, and what is worse than the rest is turned away at the door.
/// Most rows cost one comparison.
pub(super) struct BestRows {
    wanted: usize,
    rows: Vec<Scored>,
    worst_welcome: f32,
}

impl BestRows {
    pub(super) fn new(wanted: usize) -> Self {
        Self {
            wanted,
            rows: Vec::new(),
            worst_welcome: f32::NEG_INFINITY,
        }
    }

    /// Whether a row with this score can be among the best so far. One with a
    /// score that is not a number cannot.
    pub(super) fn welcomes(&self, score: f32) -> bool {
        score >= self.worst_welcome
    }

    /// Adds a row that is welcome.
    pub(super) fn push(&mut self, row: Scored) {
        self.rows.push(row);
        if self.rows.len() >= (2 * self.wanted).max(64) {
            self.cut();
        }
    }

    /// The best rows, in no order.
    pub(super) fn into_rows(mut self) -> Vec<Scored> {
        self.cut();
        self.rows
    }

    fn cut(&mut self) {
        if self.rows.len() <= self.wanted {
            return;
        }
        if let Some(last) = self.wanted.checked_sub(1) {
            let (_, worst, _) = self.rows.select_nth_unstable_by(last, Scored::order);
            self.worst_welcome = worst.score;
        }
        self.rows.truncate(self.wanted);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BestRows, Scored};

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(
            // Few distinct scores and keys, so that ties are common.
            offered in proptest::collection::vec((0u8..20, 0u64..30), 0..500),
            wanted in 0usize..60,
        ) {
            let mut best = BestRows::new(wanted);
            let mut expected = Vec::new();
            for (row, &(score, key)) in offered.iter().enumerate() {
                let scored = Scored { score: f32::from(score), key, row };
                if best.welcomes(scored.score) {
                    best.push(scored);
                }
                expected.push(scored);
            }
            expected.sort_by(Scored::order);
            expected.truncate(wanted);
            let mut found = best.into_rows();
            found.sort_by(Scored::order);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_score_that_is_not_a_number_is_turned_away() {
        let best = BestRows::new(3);
        assert!(!best.welcomes(f32::NAN));
        assert!(best.welcomes(-1.0));
    }
}
