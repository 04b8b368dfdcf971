//! The built-in reader.

mod answered;
mod candidates;
mod choose;
mod cues;
mod error;
mod features;
mod marks;
mod model;
mod question;
mod reader;
mod weights;

use gannet_plugin::prelude::{Context, Descriptor, NoSettings, Result, Setup};
use gannet_plugin::provider::{ReadRequest, Reader, Reading};

pub use answered::AnswerFeatures;
pub use error::ReaderError;
pub use features::SentenceFeatures;
pub use reader::{Trace, TracedSentence};
pub use weights::FEATURES_VERSION;

use reader::Read;

gannet_plugin::export_plugin! {
    readers: [BuiltinReader],
}

/// The built-in reader.
pub struct BuiltinReader {
    timezone: String,
}

impl Reader for BuiltinReader {
    const NAME: &'static str = "builtin";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reader(
            Self::NAME,
            "Builtin reader",
            "Chooses the sentences that answer a question, and how probable that is, by small \
             learned models without a server or a download.",
        )
    }

    fn new(_: NoSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            timezone: setup.timezone.clone(),
        })
    }

    async fn read(&self, request: ReadRequest, context: &Context) -> Result<Reading> {
        Ok(Read::new(&request, &self.timezone, context)
            .await?
            .reading())
    }
}

/// What the reader makes of a request, for training.
///
/// # Errors
/// When the weights cannot be used.
pub async fn trace(request: &ReadRequest, timezone: &str, context: &Context) -> Result<Trace> {
    Ok(Read::new(request, timezone, context).await?.trace())
}
