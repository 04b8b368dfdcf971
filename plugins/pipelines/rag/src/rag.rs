//! The plugin: what it is, and how an instance of it is made and asked.

use gannet_plugin::{
    Answer, Category, Context, Descriptor, Event, Pipeline, PipelineRequest, Result, Setup,
};

use crate::examples::examples;
use crate::parameters::parameters;
use crate::run::Run;
use crate::settings::RagSettings;

/// Finds entries with several search modules and answers from them.
pub struct Rag {
    settings: RagSettings,
    setup: Setup,
}

impl Pipeline for Rag {
    type Settings = RagSettings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::pipeline(
            "rag",
            "RAG",
            "Answers a question from the entries that several search modules find together, \
             with citations. A chat model words the answer where one is configured; without \
             one it is made of the entries' own sentences.",
        )
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
