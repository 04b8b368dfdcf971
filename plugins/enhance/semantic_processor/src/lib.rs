//! Asks a chat model for a summary and keywords of each entry, which text
//! search then finds it by.
//!
//! A reply that is not the JSON that was asked for is a failure of the entry:
//! it is shown with its reason and tried again, and never counts as done. Of a
//! long entry the model reads the beginning, `max_text_chars`.
//!
//! The entry's own keywords stay; those of the model join them, and are listed
//! in the metadata under `model_keywords`. When the entry is read again, they
//! are replaced.
//!
//! ```yaml
//! enhancement_modules:
//!   semantic_processor:
//!     enabled: true
//!     provider: ollama
//!     model: llama3.2
//! ```
//!
//! ```
//! use gannet_plugin::prelude::Enhancer;
//! use gannet_semantic_processor::SemanticProcessor;
//!
//! let descriptor = SemanticProcessor::descriptor();
//! assert_eq!(descriptor.execution_order, 10);
//! assert!(descriptor.needs.chat);
//! ```

mod ask;
mod examples;
mod reply;

use futures::stream::{self, StreamExt};
use gannet_plugin::descriptor::PluginKind;
use gannet_plugin::enhance::{Enhanced, Patch};
use gannet_plugin::prelude::{
    Context, Descriptor, Enhancer, Entry, Error, Result, Setup, settings,
};
use gannet_stages::check_prompts;
use serde_json::{Map, Value, json};

pub use reply::{Insights, read_reply};

/// The key of the metadata that lists the keywords which a model gave.
const MODEL_KEYWORDS: &str = "model_keywords";

gannet_plugin::export_plugin! {
    enhancers: [SemanticProcessor],
}

/// Adds a summary and keywords to an entry.
pub struct SemanticProcessor {
    settings: Settings,
    setup: Setup,
}

/// What the configuration can set.
#[settings]
#[derive(Copy, PartialEq)]
pub struct Settings {
    /// Characters of an entry that the model reads.
    #[setting(default = 8000, min = 100)]
    pub max_text_chars: usize,
    /// Tokens of a reply at most.
    #[setting(default = 256, min = 32)]
    pub max_tokens: u32,
    /// Sampling temperature.
    #[setting(default = 0.1, min = 0.0, max = 2.0)]
    pub temperature: f64,
    /// Keywords that are kept of a reply.
    #[setting(default = 15, min = 1, max = 100)]
    pub max_keywords: usize,
    /// Requests to the model at a time.
    #[setting(default = 2, min = 1, max = 64)]
    pub concurrent_requests: usize,
    /// Timeout of a request, in seconds.
    #[setting(default = 60, min = 1)]
    pub timeout_seconds: u64,
}

impl Enhancer for SemanticProcessor {
    const NAME: &'static str = "semantic_processor";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let mut descriptor = Descriptor::new(
            PluginKind::Enhancer,
            Self::NAME,
            "Semantic processor",
            "Asks a chat model for a summary and keywords of each entry, for text search.",
        )
        .at_order(10);
        descriptor.needs.chat = true;
        descriptor.deterministic = false;
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    /// # Errors
    /// [`Error::Configuration`] without a provider, and for prompts of the
    /// facility that lack a placeholder.
    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        if setup.provider.is_none() {
            return Err(Error::configuration(
                format!("enhancement_modules.{}.provider", setup.instance),
                "it asks a chat model: name its provider, one of `providers`, here or as \
                 `reasoning.provider`",
            ));
        }
        check_prompts(&ask::PROMPTS, setup)?;
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn enhance(&self, entries: Vec<Entry>, context: &Context) -> Result<Vec<Enhanced>> {
        let asked = entries.into_iter().map(|entry| async move {
            let outcome = self.patch(&entry, context).await;
            Enhanced::new(entry.entry_id, outcome.map_err(|error| error.to_string()))
        });
        let at_a_time = self.settings.concurrent_requests;
        Ok(stream::iter(asked).buffered(at_a_time).collect().await)
    }
}

impl SemanticProcessor {
    async fn patch(&self, entry: &Entry, context: &Context) -> Result<Patch> {
        if entry.raw_text.trim().is_empty() {
            return Ok(Patch::default());
        }
        let reply = self.ask(&entry.raw_text, context).await?;
        let insights = read_reply(&reply).map_err(|wrong| self.malformed(&wrong))?;
        let own = own_keywords(entry);
        let found = self.found_beside(&own, insights.keywords);
        let mut metadata = Map::new();
        // A list that was there and is empty now is emptied.
        if !found.is_empty() || entry.metadata.contains_key(MODEL_KEYWORDS) {
            metadata.insert(MODEL_KEYWORDS.to_owned(), json!(found));
        }
        Ok(Patch::default()
            .with_keywords([own, found].concat())
            .with_summary(insights.summary)
            .with_metadata(metadata))
    }

    fn malformed(&self, wrong: &str) -> Error {
        Error::Provider {
            provider: self.setup.provider.clone().unwrap_or_default(),
            message: format!("the model's reply cannot be used: {wrong}"),
            retryable: true,
        }
    }

    /// The keywords of the model that are not among the entry's own.
    fn found_beside(&self, own: &[String], found: Vec<String>) -> Vec<String> {
        let mut new: Vec<String> = Vec::new();
        for keyword in found.into_iter().take(self.settings.max_keywords) {
            let folded = keyword.to_lowercase();
            let mut known = own.iter().chain(&new);
            if known.all(|known| known.to_lowercase() != folded) {
                new.push(keyword);
            }
        }
        new
    }
}

/// The keywords of an entry without those that a model gave it before.
fn own_keywords(entry: &Entry) -> Vec<String> {
    let before = entry.metadata.get(MODEL_KEYWORDS).and_then(Value::as_array);
    let is_own = |keyword: &&String| {
        let mut before = before.into_iter().flatten();
        !before.any(|earlier| earlier.as_str() == Some(keyword.as_str()))
    };
    entry.keywords.iter().filter(is_own).cloned().collect()
}
