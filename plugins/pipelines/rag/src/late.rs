//! Late interaction: the first hits are scored word by word, in addition to
//! the fusion of the lists.

use gannet_plugin::prelude::{Diagnostic, Hit};
use gannet_plugin::search::{LateInteractionRequest, Provenance, ScoreKind, sort_hits};
use gannet_stages::FusionMethod;

use crate::run::Run;
use crate::search_text::SearchText;

/// Hits that are scored: a compromise of time and quality that has not been
/// measured on its own.
const CANDIDATES: usize = 50;
/// The name of these scores in provenance and diagnostics.
const LATE_INTERACTION: &str = "late_interaction";

impl Run<'_> {
    /// Adds late interaction to the first hits of a convex combination.
    pub(crate) async fn add_late_interaction(&self, search: &SearchText, hits: &mut [Hit]) {
        let fusion = &self.settings.fusion;
        let is_convex = fusion.method == FusionMethod::Convex;
        let weight = fusion.late_weight_of(&search.text);
        if !is_convex || weight == 0.0 || hits.is_empty() {
            return;
        }
        let candidates = hits.iter().take(CANDIDATES);
        let ids = candidates.map(|hit| hit.entry_id.clone()).collect();
        let request = LateInteractionRequest::new(search.wanted(), ids);
        let scores = match self.context.late_interaction(request).await {
            Ok(scores) => scores,
            Err(error) => {
                // The fusion stands without it.
                let message = format!("late interaction was skipped: {error}");
                let note = Diagnostic::info(self.source(LATE_INTERACTION), message);
                self.context.diagnose(note.category(error.category()));
                return;
            }
        };
        add_scores(hits, &scores, weight);
    }
}

/// Adds weight · score / maximum to hits, in units of the best hit's score, and
/// puts them in order. `scores` are those of the first hits.
///
/// A hit that has none, since the store holds no token vectors of it or not the
/// entry at all, gets the mean of what the scored ones get: among them it is
/// where its own score puts it. Hits after those that were scored get the least,
/// so that none passes a scored one.
fn add_scores(hits: &mut [Hit], scores: &[Option<f64>], weight: f64) {
    let known = scores.iter().flatten();
    let known: Vec<f64> = known.map(|score| score.max(0.0)).collect();
    let most = known.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 || hits.is_empty() {
        return;
    }
    let least = known.iter().copied().fold(most, f64::min);
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let unit = hits[0].score * weight / most;
    for (place, hit) in hits.iter_mut().enumerate() {
        match scores.get(place) {
            Some(Some(score)) => {
                let added = unit * score.max(0.0);
                hit.score += added;
                let late = Provenance::new(LATE_INTERACTION, 0, added, ScoreKind::Other);
                hit.provenance.push(late);
            }
            Some(None) => hit.score += unit * mean,
            None => hit.score += unit * least,
        }
    }
    rank_late(hits);
    sort_hits(hits);
}

/// Gives each score its rank among the late scores.
fn rank_late(hits: &mut [Hit]) {
    let mut late: Vec<&mut Provenance> = hits
        .iter_mut()
        .flat_map(|hit| hit.provenance.iter_mut())
        .filter(|one| one.module == LATE_INTERACTION)
        .collect();
    late.sort_by(|a, b| b.score.total_cmp(&a.score));
    for (rank, one) in (1..).zip(late) {
        one.rank = rank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hits of a fusion, by their ids and scores.
    fn fused(hits: &[(&str, f64)]) -> Vec<Hit> {
        let hit = |(id, score): &(&str, f64)| Hit::new(*id, "logbook", *score, ScoreKind::Convex);
        hits.iter().map(hit).collect()
    }

    fn ids(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.entry_id.as_str()).collect()
    }

    #[test]
    fn a_hit_without_token_vectors_is_among_the_others_where_the_fusion_put_it() {
        let mut hits = fused(&[("a", 1.0), ("none", 0.95), ("b", 0.9), ("c", 0.85)]);
        add_scores(&mut hits, &[Some(0.4), None, Some(0.6), Some(0.5)], 0.5);
        // `b` is raised above it, and `a` lowered below it.
        assert_eq!(ids(&hits), ["b", "none", "a", "c"]);

        let mut hits = fused(&[("a", 1.0), ("none", 0.95), ("b", 0.9)]);
        add_scores(&mut hits, &[Some(0.7), None, Some(0.7)], 0.5);
        assert_eq!(ids(&hits), ["a", "none", "b"]);
        assert!(hits[1].provenance.is_empty());
        assert_eq!(hits[0].provenance[0].module, LATE_INTERACTION);
    }

    #[test]
    fn a_hit_that_is_too_far_down_to_be_scored_passes_none_that_was() {
        let mut hits = fused(&[("a", 1.0), ("b", 0.5), ("beyond", 0.5 - f64::EPSILON)]);
        add_scores(&mut hits, &[Some(0.6), Some(0.2)], 0.5);
        assert_eq!(ids(&hits), ["a", "b", "beyond"]);
    }

    #[test]
    fn without_any_token_vectors_the_fusion_stands() {
        let before = fused(&[("a", 1.0), ("b", 0.5)]);
        let mut hits = before.clone();
        add_scores(&mut hits, &[None, None], 0.5);
        assert_eq!(hits, before);
    }
}
