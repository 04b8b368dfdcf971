//! Overflow: hits from outside of the scope that are worth being offered
//! beside it.

use serde::Serialize;

use crate::ranking::RankedHit;
use crate::settings::OverflowSettings;

/// What is offered, and why, or why nothing is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Overflow {
    pub(crate) hits: Vec<OverflowHit>,
    pub(crate) reason: &'static str,
}

/// A hit from outside of the scope.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverflowHit {
    pub(crate) entry_id: String,
    pub(crate) domain: String,
    pub(crate) score: f64,
}

/// The overflow of ranked hits; none where there is no scope.
///
/// Something is offered when the best hit outside has at least `least_share`
/// of the best score in scope, and the best hit in scope does not lead clearly
/// over the next one there. A single hit in scope leads over nothing.
pub(crate) fn overflow(
    hits: &[RankedHit],
    has_scope: bool,
    settings: &OverflowSettings,
) -> Option<Overflow> {
    if !has_scope {
        return None;
    }
    let (inside, outside): (Vec<&RankedHit>, Vec<&RankedHit>) =
        hits.iter().partition(|hit| hit.in_scope);
    let offer = |reason: &'static str| Overflow {
        hits: outside
            .iter()
            .take(settings.most)
            .map(|one| OverflowHit {
                entry_id: one.hit.entry_id.clone(),
                domain: one.domain.clone(),
                score: one.hit.score,
            })
            .collect(),
        reason,
    };
    let nothing = |reason: &'static str| Overflow {
        hits: Vec::new(),
        reason,
    };
    let Some(best_outside) = outside.first() else {
        return Some(nothing("nothing was found outside of the scope"));
    };
    let Some(leader) = inside.first() else {
        return Some(offer("nothing was found in the scope"));
    };
    let runner_up = inside.get(1).map(|one| one.hit.score);
    let clear = |next: f64| leader.hit.score >= (1.0 + settings.clear_lead) * next;
    if runner_up.is_some_and(clear) {
        return Some(nothing(match best_outside.hit.score > leader.hit.score {
            true => {
                "the best hit in the scope leads the others there clearly, \
                 although a hit outside of the scope fits better"
            }
            false => "the best hit in the scope leads the others there clearly",
        }));
    }
    if best_outside.hit.score < settings.least_share * leader.hit.score {
        return Some(nothing("hits outside of the scope fit much less"));
    }
    Some(match best_outside.hit.score > leader.hit.score {
        true => offer("a hit outside of the scope fits better"),
        false => offer("hits outside of the scope fit nearly as well"),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::prelude::Hit;
    use gannet_plugin::search::ScoreKind;

    use super::*;

    fn offered(hits: &[(bool, f64)]) -> usize {
        overflow_of(hits).hits.len()
    }

    fn overflow_of(hits: &[(bool, f64)]) -> Overflow {
        let hits: Vec<RankedHit> = hits
            .iter()
            .enumerate()
            .map(|(at, (in_scope, score))| RankedHit {
                hit: Hit::new(at.to_string(), "logbook", *score, ScoreKind::WeightedRrf),
                domain: "any".to_owned(),
                in_scope: *in_scope,
            })
            .collect();
        overflow(&hits, true, &OverflowSettings::default()).unwrap()
    }

    #[test]
    fn a_clear_lead_in_scope_suppresses_it() {
        assert_eq!(offered(&[(false, 1.2), (true, 1.0), (true, 0.8)]), 0);
        assert_eq!(offered(&[(false, 1.2), (true, 1.0), (true, 0.81)]), 1);
    }

    #[test]
    fn the_reason_says_when_a_hit_outside_fits_better() {
        let reason = |outside| overflow_of(&[(false, outside), (true, 1.0), (true, 0.8)]).reason;
        assert!(reason(1.2).contains("outside of the scope fits better"));
        assert!(!reason(0.95).contains("outside"));
    }

    #[test]
    fn it_is_offered_in_a_narrow_band_and_bounded() {
        assert_eq!(offered(&[(true, 1.0), (true, 0.95), (false, 0.90)]), 1);
        assert_eq!(offered(&[(true, 1.0), (true, 0.95), (false, 0.89)]), 0);
        assert_eq!(offered(&[(true, 1.0), (false, 0.95)]), 1);
        assert_eq!(offered(&[(false, 0.5); 5]), 3);
        assert_eq!(offered(&[(true, 1.0)]), 0);
    }
}
