//! A pipeline that tells what plan it was given, and asks for another.

use gannet_plugin::prelude::{
    Answer, Context, Descriptor, NoSettings, Pipeline, PipelineRequest, Result, Setup,
};
use serde_json::json;

/// Tells what plan it was given, and asks for another.
pub struct Planning;

impl Pipeline for Planning {
    const NAME: &'static str = "planning";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Planning", "Tells what plan it was given.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let rewritten = context
            .query_plan("vacuum since 2024", &request.filter)
            .await?;
        Ok(Answer::default()
            .with_plan(json!({ "own": true }))
            .with_pipeline_details(json!({ "received": request.plan, "rewritten": rewritten })))
    }
}
