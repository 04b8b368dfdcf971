//! The weights of the fusion, fitted by trying settings on the learning half.

use serde::Serialize;
use serde_json::json;

use super::gain::{Gain, mean};
use super::halves::is_held_back;
use super::{TuneRequest, TuneStep, TunedSetting, key_of, setting_now};
use crate::eval::{EvalError, EvalSet, Question, measure, rank};
use crate::{Gannet, Stop};

/// Judged questions of each half at least.
const LEAST_QUESTIONS: usize = 20;
const ALPHA: &str = "/fusion/alpha";
const LATE_WEIGHT: &str = "/fusion/late_weight";
/// Values that are tried, of each setting in turn, with the best of the others.
const TRIED: [(&str, &[f64]); 3] = [
    (ALPHA, &[0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
    (LATE_WEIGHT, &[0.0, 0.25, 0.5, 0.75, 1.0, 1.5]),
    (ALPHA, &[0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
];

/// Weights that were fitted on the learning half.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankingReport {
    /// The weights.
    pub settings: Vec<TunedSetting>,
    /// nDCG@10 on the half that they were fitted on.
    pub learned: Gain,
    /// nDCG@10 on the half that was held back.
    pub held_back: Gain,
    /// Whether they are better on the held-back half, with its whole interval.
    pub gains: bool,
}

/// Weights of the fusion: the share of dense modules, and late interaction.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Weights {
    alpha: f64,
    late_weight: f64,
}

impl Weights {
    fn with(self, pointer: &str, value: f64) -> Self {
        match pointer {
            ALPHA => Self {
                alpha: value,
                ..self
            },
            _ => Self {
                late_weight: value,
                ..self
            },
        }
    }
}

/// Asks the questions of one half under weights.
struct Trials<'a> {
    gannet: &'a Gannet,
    request: &'a TuneRequest,
    stop: &'a Stop,
}

impl Trials<'_> {
    /// nDCG@10 of each question.
    async fn measure(
        &self,
        weights: Weights,
        questions: &[&Question],
    ) -> Result<Vec<f64>, EvalError> {
        let mode = &self.request.mode;
        let mut config = self.gannet.config().clone();
        if let Some(pipeline) = config.pipelines.get_mut(mode) {
            let fusion = pipeline.settings.entry("fusion").or_insert(json!({}));
            fusion["alpha"] = json!(weights.alpha);
            fusion["late_weight"] = json!(weights.late_weight);
        }
        let gannet = self.gannet.reconfigured(config)?;
        let mut measured = Vec::new();
        for question in questions {
            if self.stop.is_raised() {
                break;
            }
            // Boxed: a search within a search for settings is too deep a type.
            let ranking = Box::pin(rank(&gannet, mode, question)).await?.ranking;
            let grades = &self.request.questions.grades[&question.id];
            measured.push(measure(&ranking, grades).ndcg_at_10);
        }
        Ok(measured)
    }
}

/// Fits the weights, or notes how many questions are missing.
pub(super) async fn fit(
    gannet: &Gannet,
    request: &TuneRequest,
    stop: &Stop,
    progress: &mut impl FnMut(TuneStep),
    notes: &mut Vec<String>,
) -> Result<Option<RankingReport>, EvalError> {
    let before = Weights {
        alpha: setting_now(gannet, &request.mode, ALPHA)?,
        late_weight: setting_now(gannet, &request.mode, LATE_WEIGHT)?,
    };
    let (held_back, learning) = halves(&request.questions);
    if learning.len().min(held_back.len()) < LEAST_QUESTIONS {
        notes.push(format!(
            "the ranking is not tuned: {} of {} judged questions are held back, and each half \
             needs at least {LEAST_QUESTIONS}",
            held_back.len(),
            request.questions.questions.len()
        ));
        return Ok(None);
    }
    let trials = Trials {
        gannet,
        request,
        stop,
    };
    let at_first = trials.measure(before, &learning).await?;
    let (mut best, mut best_measured) = (before, at_first.clone());
    let total = TRIED.iter().map(|(_, values)| values.len()).sum();
    let mut done = 0;
    for (pointer, values) in TRIED {
        for value in values {
            let weights = best.with(pointer, *value);
            let measured = trials.measure(weights, &learning).await?;
            if stop.is_raised() {
                return Ok(None);
            }
            if mean(&measured) > mean(&best_measured) {
                (best, best_measured) = (weights, measured);
            }
            done += 1;
            progress(TuneStep { done, total });
        }
    }
    let held_before = trials.measure(before, &held_back).await?;
    let held_after = trials.measure(best, &held_back).await?;
    if stop.is_raised() {
        return Ok(None);
    }
    let gain = Gain::of(&held_before, &held_after);
    let setting = |pointer: &str, before: f64, after: f64| TunedSetting {
        key: key_of(&request.mode, pointer),
        before,
        after,
    };
    Ok(Some(RankingReport {
        settings: vec![
            setting(ALPHA, before.alpha, best.alpha),
            setting(LATE_WEIGHT, before.late_weight, best.late_weight),
        ],
        learned: Gain::of(&at_first, &best_measured),
        held_back: gain,
        gains: best != before && gain.is_sure(),
    }))
}

/// The questions that are held back, and those to learn from.
fn halves(set: &EvalSet) -> (Vec<&Question>, Vec<&Question>) {
    set.questions
        .iter()
        .partition(|question| is_held_back(&question.text))
}
