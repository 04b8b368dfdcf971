//! Cuts entries into passages and embeds them.
//!
//! A text that is longer than `passage_chars` is cut into passages on the ends
//! of sentences ([`passages`]); a shorter one is one passage. Passages after
//! the first are embedded with the entry's title before them, because what
//! they are about often stands only there.
//!
//! Where the provider computes vectors of single words too, and the store keeps
//! them, their signs are stored with each passage, for late interaction.
//!
//! Passages of many entries go to the provider together, `batch_passages` at
//! a time. When a batch fails, its entries fail with the error and are tried
//! again; the others are done.
//!
//! ```yaml
//! enhancement_modules:
//!   text_embedding:
//!     enabled: true
//!     provider: builtin
//!     settings: { passage_chars: 500, passage_overlap: 80 }
//! ```
//!
//! ```
//! use gannet_plugin::prelude::Enhancer;
//! use gannet_text_embedding::TextEmbedding;
//!
//! let descriptor = TextEmbedding::descriptor();
//! assert_eq!(descriptor.execution_order, 20);
//! assert!(descriptor.needs.embedder);
//! ```

mod batch;
mod examples;
pub mod passages;
mod places;
mod sentences;
#[cfg(test)]
mod tests;

use gannet_plugin::enhance::Enhanced;
use gannet_plugin::prelude::{
    Context, Descriptor, Enhancer, Entry, Error, Result, Setup, settings,
};
use gannet_plugin::provider::{EmbedPurpose, EmbedRequest, Embeddings};

use batch::Batch;

gannet_plugin::export_plugin! {
    enhancers: [TextEmbedding],
}

/// Adds the vectors of its passages to an entry.
pub struct TextEmbedding {
    settings: Settings,
    provider: Option<String>,
}

/// What the configuration can set.
#[settings]
#[derive(Copy, PartialEq, Eq)]
pub struct Settings {
    /// Characters of a passage at most. 500 are some 128 tokens of English.
    #[setting(default = 500, min = 100)]
    pub passage_chars: usize,
    /// How many characters of a passage may be those of the one before it;
    /// at most half of `passage_chars`.
    #[setting(default = 80)]
    pub passage_overlap: usize,
    /// How many passages go to the provider at once.
    #[setting(default = 64, min = 1)]
    pub batch_passages: usize,
}

impl Enhancer for TextEmbedding {
    const NAME: &'static str = "text_embedding";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::enhancer(
            Self::NAME,
            "Text embedding",
            "Splits entries into passages and computes their embeddings, for semantic search.",
        )
        .at_order(20)
        .needs_embedder();
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        if settings.passage_overlap > settings.passage_chars / 2 {
            let message = "must be at most half of passage_chars";
            return Err(Error::setting("passage_overlap", message));
        }
        Ok(Self {
            settings,
            provider: setup.provider.clone(),
        })
    }

    async fn enhance(&self, entries: Vec<Entry>, context: &Context) -> Result<Vec<Enhanced>> {
        let mut batch = Batch::new(&entries, &self.settings);
        while let Some(texts) = batch.next_texts(self.settings.batch_passages) {
            let outcome = self.embed(texts, context).await;
            batch.keep(outcome);
        }
        Ok(batch.into_enhanced())
    }
}

impl TextEmbedding {
    async fn embed(&self, texts: Vec<String>, context: &Context) -> Result<Embeddings> {
        let wanted = texts.len();
        let request = EmbedRequest::new(texts, EmbedPurpose::Document)
            .with_provider(self.provider.clone())
            .with_tokens(true);
        let embeddings = context.embed(request).await?;
        let message = match (embeddings.vectors.len(), embeddings.tokens.len()) {
            (vectors, _) if vectors != wanted => {
                format!("returned {vectors} vectors for {wanted} texts")
            }
            (_, tokens) if tokens != 0 && tokens != wanted => {
                format!("returned token vectors of {tokens} of {wanted} texts")
            }
            _ => return Ok(embeddings),
        };
        Err(Error::Provider {
            provider: embeddings.model.name,
            message,
            retryable: false,
        })
    }
}
