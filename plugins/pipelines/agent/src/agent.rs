//! The pipeline, as the host calls it.

use gannet_plugin::descriptor::Category;
use gannet_plugin::pipeline::{AnswerStatus, Event};
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Error, Pipeline, PipelineRequest, Result, Setup,
};
use gannet_plugin::query::QueryOptions;
use gannet_stages::check_prompts;
use jiff::tz::TimeZone;

use crate::examples::examples;
use crate::prompts::PROMPTS;
use crate::run::Run;
use crate::settings::{AgentSettings, parameters};
use crate::trace::Trace;

/// Lets a chat model search with tools until it can answer.
pub struct Agent {
    settings: AgentSettings,
    setup: Setup,
    zone: TimeZone,
}

impl Pipeline for Agent {
    const NAME: &'static str = "agent";

    type Settings = AgentSettings;

    fn descriptor() -> Descriptor {
        let mut descriptor = Descriptor::pipeline(
            Self::NAME,
            "Agent",
            "A chat model searches with tools, step by step, and answers with citations. Use it \
             for questions that need more than one search. Without a model, each tool is called \
             once and the answer consists of quoted sentences.",
        )
        .in_category(Category::Llm)
        .with_parameters(parameters());
        descriptor.deterministic = false;
        let examples = examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: AgentSettings, setup: &Setup) -> Result<Self> {
        settings.check()?;
        check_prompts(&PROMPTS, setup)?;
        let is_itself = |name: &String| !setup.instance.is_empty() && *name == setup.instance;
        if setup.retrieval_modules.iter().any(is_itself) {
            let key = format!("pipelines.{}.retrieval_modules", setup.instance);
            let message = "an agent cannot be its own tool; take its name out";
            return Err(Error::configuration(key, message));
        }
        Ok(Self {
            settings,
            setup: setup.clone(),
            zone: setup.zone()?,
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let answer = self.answer(&request, context).await;
        context.emit(Event::End);
        answer
    }
}

impl Agent {
    async fn answer(&self, request: &PipelineRequest, context: &Context) -> Result<Answer> {
        let settings = self.settings.for_request(request)?;
        if request.query.trim().is_empty() && request.filter.is_empty() {
            return Ok(blank(&request.query, context));
        }
        let deadline = context.call.deadline.at_most(settings.total_timeout());
        let options = QueryOptions {
            timezone: self.zone.clone(),
            ..QueryOptions::default()
        };
        let context = context.with_deadline(deadline);
        let run = Run::new(&settings, &self.setup, request, options, context)?;
        run.answer().await
    }
}

fn blank(question: &str, context: &Context) -> Answer {
    Answer::default()
        .with_answer_status(AnswerStatus::Insufficient)
        .with_reasoning("The question is empty; nothing was searched.")
        .with_pipeline_details(Trace::of(question, context).details())
}
