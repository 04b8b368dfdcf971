//! Pipelines that another plugin runs.

use serde::{Deserialize, Serialize};

use crate::readable::known;
use crate::{Answer, Diagnostic, Event, PipelineRequest};

/// What the host service [`RunRequest::SERVICE`] is asked, as JSON. It answers
/// with a [`PipelineRun`]. Plugins use it through
/// [`Context::run_pipeline`](crate::Context::run_pipeline).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunRequest {
    /// The pipeline, by the name that it has in the configuration.
    pub pipeline: String,
    /// What it is asked.
    pub request: PipelineRequest,
}

impl RunRequest {
    /// The name of the service for [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "run_pipeline";

    /// A request to the pipeline of this name.
    pub fn new(pipeline: impl Into<String>, request: PipelineRequest) -> Self {
        Self {
            pipeline: pipeline.into(),
            request,
        }
    }
}

/// What came of a pipeline that another plugin ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PipelineRun {
    /// Its answer, checked as one for a surface is.
    pub answer: Answer,
    /// What it told while it worked, in order, without the end; at most
    /// [`limits::EVENTS`](crate::limits::EVENTS).
    #[serde(deserialize_with = "known")]
    pub events: Vec<Event>,
    /// Its notes; [`Context::run_pipeline`](crate::Context::run_pipeline)
    /// moves them to those of the call.
    #[serde(deserialize_with = "known")]
    pub diagnostics: Vec<Diagnostic>,
}

impl PipelineRun {
    /// An answer without events and notes.
    pub fn new(answer: Answer) -> Self {
        Self {
            answer,
            ..Self::default()
        }
    }
}
