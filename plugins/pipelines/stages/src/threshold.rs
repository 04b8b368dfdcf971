//! Threshold: a least score, on scales that it is declared for.

use gannet_plugin::prelude::{Diagnostic, Hit};
use gannet_plugin::search::ScoreKind;

/// A least score, and the sorts of scores on which it means something.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold<'a> {
    /// Hits below it are cut.
    pub minimum: f64,
    /// The kinds that it is declared for.
    pub declared: &'a [ScoreKind],
}

impl Threshold<'_> {
    /// Cuts the hits that score less. Of hits on a scale that the threshold
    /// is not declared for none is cut, and the note says so: the best
    /// possible score of a fusion by ranks is near 0.03, so that a threshold
    /// meant for relevance would empty every list.
    pub fn apply(&self, hits: Vec<Hit>, source: &str) -> (Vec<Hit>, Option<Diagnostic>) {
        let undeclared = hits
            .iter()
            .map(|hit| hit.score_kind)
            .find(|kind| !self.declared.contains(kind));
        let Some(kind) = undeclared else {
            let kept = hits.into_iter().filter(|hit| hit.score >= self.minimum);
            return (kept.collect(), None);
        };
        let declared: Vec<&str> = self.declared.iter().map(|kind| kind.name()).collect();
        let message = format!(
            "the minimum score {} was ignored: it applies to scores of kind {2}, and these are of \
             kind {1}",
            self.minimum,
            kind.name(),
            declared.join(", "),
        );
        let note = Diagnostic::warning(source, message).category("threshold");
        (hits, Some(note))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(kind: ScoreKind, scores: &[f64]) -> Vec<Hit> {
        let hit = |(at, score): (usize, &f64)| Hit::new(at.to_string(), "logbook", *score, kind);
        scores.iter().enumerate().map(hit).collect()
    }

    #[test]
    fn cuts_what_is_below_on_a_declared_kind() {
        let threshold = Threshold {
            minimum: 0.5,
            declared: &[ScoreKind::Rerank],
        };
        let (kept, note) = threshold.apply(hits(ScoreKind::Rerank, &[3.2, 0.5, -1.0]), "rag");
        assert_eq!(kept.len(), 2);
        assert_eq!(note, None);
    }

    #[test]
    fn cuts_nothing_on_another_kind_and_says_so() {
        let threshold = Threshold {
            minimum: 0.5,
            declared: &[ScoreKind::Rerank],
        };
        let (kept, note) = threshold.apply(hits(ScoreKind::Rrf, &[0.03, 0.01]), "rag.threshold");
        assert_eq!(kept.len(), 2);
        assert_eq!(note.and_then(|n| n.category).as_deref(), Some("threshold"));
    }
}
