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
    /// Adds the weight of late interaction · score / maximum to the first hits of a
    /// convex combination, in units of the best score. A hit without token
    /// vectors counts as the last of those that have them.
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
        let known = || scores.iter().copied().flatten();
        let most = known().fold(0.0, f64::max);
        if most <= 0.0 {
            return;
        }
        let least = known().fold(f64::INFINITY, f64::min);
        let unit = hits[0].score * weight / most;
        let last = unit * least.max(0.0);
        for (place, hit) in hits.iter_mut().enumerate() {
            let score = scores.get(place).copied().flatten();
            let added = score.map(|score| unit * score.max(0.0));
            hit.score += added.unwrap_or(last);
            if let Some(added) = added {
                hit.provenance.push(Provenance::new(
                    LATE_INTERACTION.to_owned(),
                    0,
                    added,
                    ScoreKind::Other,
                ));
            }
        }
        rank_late(hits);
        sort_hits(hits);
    }
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
