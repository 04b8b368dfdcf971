//! The built-in reader.

mod answered;
mod candidates;
mod choose;
mod cues;
mod error;
mod features;
mod model;
mod question;
mod reader;
mod weights;

use gannet_plugin::prelude::{Context, Result};
use gannet_plugin::provider::ReadRequest;

pub use answered::AnswerFeatures;
pub use error::ReaderError;
pub use features::SentenceFeatures;
pub use reader::{Trace, TracedSentence};
pub use weights::FEATURES_VERSION;

/// What the reader makes of a request, for training.
///
/// # Errors
/// When the weights cannot be used.
pub async fn trace(request: &ReadRequest, timezone: &str, context: &Context) -> Result<Trace> {
    let (_, trace) = reader::answer(request, timezone, context).await?;
    Ok(trace)
}
