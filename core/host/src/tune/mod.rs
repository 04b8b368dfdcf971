//! Tuning: the weights of a pipeline's ranking and the threshold of its answers,
//! fitted on one half of the judged questions and measured on the other.

mod gain;
mod halves;
mod ranking;
mod threshold;

use gannet_api::Error;
use serde::Serialize;
use serde_json::Value;

pub use gain::Gain;
pub use ranking::RankingReport;
pub use threshold::{ThresholdCounts, ThresholdReport};

use crate::eval::{EvalError, EvalSet};
use crate::{Feedback, Gannet, HostError, Stop};

/// What is tuned, and on what.
#[derive(Debug, Clone)]
pub struct TuneRequest {
    /// The pipeline.
    pub mode: String,
    /// The judged questions.
    pub questions: EvalSet,
    /// What was said of answers.
    pub feedback: Vec<Feedback>,
}

/// How far tuning is: settings that were tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TuneStep {
    /// Settings that were tried.
    pub done: usize,
    /// Settings that are tried.
    pub total: usize,
}

/// What tuning found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuneReport {
    /// The pipeline.
    pub mode: String,
    /// The weights of the ranking; none with too few judged questions.
    pub ranking: Option<RankingReport>,
    /// The threshold of answers; none with too few judged answers.
    pub threshold: Option<ThresholdReport>,
    /// What is missing, in words.
    pub notes: Vec<String>,
}

/// A setting that tuning would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TunedSetting {
    /// Its key in the configuration.
    pub key: String,
    /// Its value now.
    pub before: f64,
    /// The value that was fitted.
    pub after: f64,
}

impl TuneReport {
    /// The settings that gain on the held-back half.
    pub fn gaining(&self) -> Vec<&TunedSetting> {
        let ranking = self.ranking.iter().filter(|report| report.gains);
        let threshold = self.threshold.iter().filter(|report| report.gains);
        let weights = ranking.flat_map(|report| &report.settings);
        let all = weights.chain(threshold.map(|report| &report.setting));
        all.filter(|setting| setting.before != setting.after)
            .collect()
    }
}

/// Fits weights and threshold. Changes nothing.
///
/// # Errors
/// A mode that is no pipeline with `fusion`; a search that fails.
pub async fn tune(
    gannet: &Gannet,
    request: &TuneRequest,
    stop: &Stop,
    mut progress: impl FnMut(TuneStep),
) -> Result<TuneReport, EvalError> {
    let mut notes = Vec::new();
    let ranking = ranking::fit(gannet, request, stop, &mut progress, &mut notes).await?;
    let threshold = threshold::fit(gannet, request, &mut notes)?;
    Ok(TuneReport {
        mode: request.mode.clone(),
        ranking,
        threshold,
        notes,
    })
}

/// A number of the settings of a pipeline: the configured one, or the plugin's own.
fn setting_now(gannet: &Gannet, mode: &str, pointer: &str) -> Result<f64, HostError> {
    let pipeline = gannet.config().pipelines.get(mode);
    let settings = pipeline.map(|pipeline| Value::Object(pipeline.settings.clone()));
    let configured = settings.as_ref().and_then(|all| all.pointer(pointer));
    let schema = &gannet.mode(mode)?.descriptor.settings_schema;
    let (section, rest) = match pointer[1..].split_once('/') {
        Some((section, rest)) => (section, format!("/{rest}")),
        None => (&pointer[1..], String::new()),
    };
    let default = schema.pointer(&format!("/properties/{section}/default{rest}"));
    configured
        .or(default)
        .and_then(Value::as_f64)
        .ok_or_else(|| {
            let key = key_of(mode, pointer);
            let message = format!("`{mode}` cannot be tuned: `{key}` is not one of its numbers");
            Error::invalid_input(message).into()
        })
}

/// The key in the configuration of a setting.
fn key_of(mode: &str, pointer: &str) -> String {
    format!("pipelines.{mode}.settings{}", pointer.replace('/', "."))
}
