//! The plugin: what it is, and how an instance of it is made and asked.

use gannet_plugin::descriptor::Category;
use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Pipeline, PipelineRequest, Result, Setup,
};

use crate::examples::examples;
use crate::parameters::parameters;
use crate::run::Run;
use crate::settings::RagSettings;

/// What an agent reads of the pipeline: it gets the entries, and no model
/// phrases an answer for it.
const FOR_AGENTS: &str = "Searches the logbook and returns the entries that fit a question best, \
up to 5 unless configured otherwise: for each its id, time, author, score and the part of its text \
that fits.

Usage:
- Use it when an answer depends on what happened at the facility, rather than on general knowledge.
- Write the query as one full question in plain words; that finds more than keywords do.
- Cite an entry that you use as its source, by its id as [#id].
- What is asked about may not be in the logbook. When nothing fits, say so.";

/// Finds entries with several search modules and answers from them.
pub struct Rag {
    settings: RagSettings,
    setup: Setup,
}

impl Pipeline for Rag {
    const NAME: &'static str = "rag";

    type Settings = RagSettings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::pipeline(
            Self::NAME,
            "RAG",
            "Answers a question with citations, from entries found by several search modules. A \
             chat model phrases the answer if one is configured; otherwise it consists of quoted \
             sentences.",
        )
        .for_agents(FOR_AGENTS)
        .in_category(Category::Llm)
        .with_parameters(parameters());
        let examples = examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: RagSettings, setup: &Setup) -> Result<Self> {
        settings.check(setup)?;
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let answer = match Run::new(&self.settings, &self.setup, &request, context) {
            Ok(run) => run.answer().await,
            Err(refused) => Err(refused),
        };
        // Whoever listens waits for it, whatever happened.
        context.emit(Event::End);
        answer
    }
}
