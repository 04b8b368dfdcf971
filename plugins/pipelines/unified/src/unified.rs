//! The plugin: what it is, and how an instance of it is made and asked.

use gannet_plugin::descriptor::Category;
use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Pipeline, PipelineRequest, Result, Setup,
};

use crate::aliases::Aliases;
use crate::domains::Domains;
use crate::examples::examples;
use crate::parameters::parameters;
use crate::run::{Known, Run};
use crate::settings::UnifiedSettings;

/// What an agent reads of the pipeline: it gets the entries, and no model
/// phrases an answer for it.
const FOR_AGENTS: &str = "Searches logbooks, documents and other sources of the facility at once \
and returns the entries that fit a question best.

Usage:
- Use it when an answer may be in a document as well as in a logbook, such as how something is done.
- Write the query as one full question in plain words; name devices as they are written.
- Cite an entry that you use as its source, by its id as [#id].
- What is asked about may not be there. When nothing fits, say so.";

/// Searches several domains and groups what it finds by entity.
pub struct Unified {
    settings: UnifiedSettings,
    setup: Setup,
    domains: Domains,
    aliases: Aliases,
}

impl Pipeline for Unified {
    const NAME: &'static str = "unified";

    type Settings = UnifiedSettings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::pipeline(
            Self::NAME,
            "Unified",
            "Answers a question from several domains at once (logbooks, documents, other sources): \
             results grouped by device or document, each with the reason why it is there. The page \
             that is open counts more and hides nothing.",
        )
        .for_agents(FOR_AGENTS)
        .in_category(Category::Llm)
        .with_parameters(parameters());
        let examples = examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: UnifiedSettings, setup: &Setup) -> Result<Self> {
        settings.check(setup)?;
        Ok(Self {
            domains: Domains::of(&settings, &setup.retrieval_modules),
            aliases: Aliases::of(&settings.aliases),
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let known = Known {
            domains: &self.domains,
            aliases: &self.aliases,
        };
        let run = Run::new(&self.settings, &self.setup, known, &request, context);
        let answer = match run.await {
            Ok(run) => run.answer().await,
            Err(refused) => Err(refused),
        };
        // Whoever listens waits for it, whatever happened.
        context.emit(Event::End);
        answer
    }
}
