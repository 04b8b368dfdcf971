//! Semantic search: the nearest passages to a question.
//!
//! The question becomes a vector, the host finds the entries whose best
//! passage lies nearest to it, and each hit shows that passage. What is less
//! similar than the threshold is left out: the call's parameter counts before
//! the configuration, which counts before 0.5. Field filters in the question
//! (`author:smith`) are filters here too.
//!
//! ```yaml
//! search_modules:
//!   semantic:
//!     enabled: true
//!     provider: builtin
//!     settings: { similarity_threshold: 0.5 }
//! ```
//!
//! ```
//! use gannet_plugin::prelude::SearchModule;
//! use gannet_semantic::{Semantic, Settings};
//!
//! let descriptor = Semantic::descriptor().with_settings::<Settings>();
//! assert!(descriptor.needs.embedder);
//! assert_eq!(descriptor.parameters[0].default, 0.5);
//! ```

mod examples;
mod question;
#[cfg(test)]
mod tests;

use gannet_plugin::prelude::{
    Context, Descriptor, Error, Hit, Result, SearchModule, SearchRequest, Setup, settings,
};
use gannet_plugin::provider::{EmbedPurpose, EmbedRequest, Embeddings};
use gannet_plugin::search::{Highlight, TextSearch, VectorSearch};
use jiff::tz::TimeZone;

use question::Question;

gannet_plugin::export_plugin! {
    search_modules: [Semantic],
}

/// Finds entries by their meaning.
pub struct Semantic {
    settings: Settings,
    provider: Option<String>,
    zone: TimeZone,
}

/// What the configuration and a call can set.
#[settings]
#[derive(Copy, PartialEq)]
pub struct Settings {
    /// Minimum cosine similarity of a hit.
    #[setting(
        default = 0.5,
        min = 0.0,
        max = 1.0,
        agent,
        section = "Retrieval",
        step = 0.01
    )]
    pub similarity_threshold: f64,
}

impl SearchModule for Semantic {
    const NAME: &'static str = "semantic";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::search_module(
            Self::NAME,
            "Semantic",
            "Semantic search. Use it for a situation or a concept that entries may describe in \
             other words.",
        )
        .needs_embedder()
        .with_query("What to look for, described in plain words.");
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            settings,
            provider: setup.provider.clone(),
            zone: setup.zone()?,
        })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let settings = request.settings(&self.settings)?;
        let Question {
            request,
            exclusions,
        } = question::separate(request, &self.zone, context);
        if request.query.trim().is_empty() {
            return list_by_time(request, exclusions, context).await;
        }

        let question = self.embed(request.query, context).await?;
        let search = VectorSearch::new(question.vector, request.limit)
            .with_model(question.model)
            .with_filter(request.filter)
            .with_min_similarity(settings.similarity_threshold as f32);
        let mut hits = context.vector_search(search).await?;
        hits.iter_mut().for_each(show_passage);
        Ok(hits)
    }
}

/// A question as a vector, and the model that made it.
struct EmbeddedQuestion {
    vector: Vec<f32>,
    model: String,
}

impl Semantic {
    async fn embed(&self, query: String, context: &Context) -> Result<EmbeddedQuestion> {
        let request = EmbedRequest::new(vec![query], EmbedPurpose::Query)
            .with_provider(self.provider.clone());
        let Embeddings {
            mut vectors, model, ..
        } = context.embed(request).await?;
        match vectors.pop() {
            Some(vector) if vectors.is_empty() && !vector.is_empty() => Ok(EmbeddedQuestion {
                vector,
                model: model.name,
            }),
            _ => Err(Error::Provider {
                provider: model.name,
                message: "returned no vector for the question".to_owned(),
                retryable: false,
            }),
        }
    }
}

/// Without a question there is nothing to compare with: the entries that pass
/// the filter and have nothing that is excluded are listed as the text index
/// lists them.
async fn list_by_time(
    request: SearchRequest,
    exclusions: String,
    context: &Context,
) -> Result<Vec<Hit>> {
    let mut listing = TextSearch::new(exclusions, request.limit);
    listing.filter = request.filter;
    context.text_search(listing).await
}

/// The passage that scored best is what a reader wants to see of the entry.
fn show_passage(hit: &mut Hit) {
    if let (Some(passage), true) = (&hit.passage, hit.highlights.is_empty()) {
        hit.highlights
            .push(Highlight::new(passage.text.clone(), Vec::new()));
    }
}
