//! The built-in reader.

mod answered;
mod candidates;
mod choose;
mod cues;
mod entry_fit;
mod error;
mod features;
mod marks;
mod numbered_names;
mod question;
mod question_vectors;
mod reader;
mod scope;
#[cfg(test)]
mod tests;
mod weights;
mod word_model;
mod word_scores;
mod words;

use gannet_plugin::prelude::{Context, Descriptor, Error, NoSettings, Result, Setup};
use gannet_plugin::provider::{ReadRequest, Reader, Reading};

pub use answered::AnswerFeatures;
pub use error::ReaderError;
pub use features::SentenceFeatures;
pub use question_vectors::QuestionVectors;
pub use reader::{Trace, TracedSentence};
pub use weights::FEATURES_VERSION;
pub use words::{Word, WordFeatures};

use reader::Read;
use weights::Weights;

gannet_plugin::export_plugin! {
    readers: [BuiltinReader],
}

/// The built-in reader.
pub struct BuiltinReader {
    timezone: String,
    weights: &'static Weights,
}

impl Reader for BuiltinReader {
    const NAME: &'static str = "builtin";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::reader(
            Self::NAME,
            "Builtin reader",
            "Chooses the sentences that answer a question, and how probable that is, by small \
             learned models without a server or a download.",
        );
        match Weights::builtin() {
            Ok(weights) => descriptor.with_model(weights.card.clone()),
            // `new` says what is wrong with them.
            Err(_) => descriptor,
        }
    }

    fn new(_: NoSettings, setup: &Setup) -> Result<Self> {
        let weights = Weights::builtin().map_err(|error| Error::internal(error.to_string()))?;
        Ok(Self {
            timezone: setup.timezone.clone(),
            weights,
        })
    }

    async fn read(&self, request: ReadRequest, context: &Context) -> Result<Reading> {
        let read = Read::new(&request, &self.timezone, context).await;
        Ok(read.reading(self.weights, context).await)
    }
}

/// What the reader makes of a request before any weights come in, for
/// training.
pub async fn trace(request: &ReadRequest, timezone: &str, context: &Context) -> Trace {
    let read = Read::new(request, timezone, context).await;
    read.trace(context).await
}
