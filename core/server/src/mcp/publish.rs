//! `entry_publish`: an entry that is kept here goes into the facility's logbook.

use gannet_core::PublishError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::entry_view::WholeEntry;
use super::failure::{FailureKind, ToolFailure};
use super::server::Call;
use crate::work::to_its_end;

pub(super) const NAME: &str = "entry_publish";
pub(super) const DESCRIPTION: &str = "\
Writes an entry that was created here into the facility's logbook, where it gets another id. Call \
it only when the operator agrees: an entry there cannot be taken back.";

/// Which entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishArguments {
    /// Id of the entry, as `entry_create` returned it.
    entry_id: String,
}

/// The entry, as it is stored now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PublishReply {
    /// `published`: it is in the facility's logbook.
    status: &'static str,
    /// The entry under the id that the logbook gave it. The id before is gone.
    entry: WholeEntry,
}

/// Publishes the entry with the credentials of the configuration.
///
/// # Errors
/// A [`ToolFailure`]: not found, credentials, or the logbook did not take it.
pub(super) async fn call(call: &Call<'_>, given: Value) -> Result<PublishReply, ToolFailure> {
    let PublishArguments { entry_id } = arguments::read(given)?;
    let (backend, caller) = (call.backend.clone(), call.caller.clone());
    let publish = async move { backend.publish_stored(&caller, &entry_id).await };
    let entry = to_its_end(publish).await??;
    Ok(PublishReply {
        status: "published",
        entry: call.views.whole(&entry),
    })
}

impl From<PublishError> for ToolFailure {
    fn from(error: PublishError) -> Self {
        let told = error.to_string();
        match error {
            PublishError::Store(error) => error.into(),
            PublishError::UnknownEntry(_) => Self::not_found(told)
                .suggest("use the id that `entry_create` returned; a published entry has another"),
            PublishError::NotWrittenHere { .. } => Self::validation(told),
            PublishError::NotConfigured => Self::new(FailureKind::NotSupported, told),
            PublishError::Credentials(_) => {
                tracing::warn!(error = told, "an entry was not published");
                let message = "the facility's logbook needs a user name and a password";
                Self::new(FailureKind::AuthRequired, message)
                    .suggest("ask the operator to publish the entry in the web interface")
            }
            PublishError::EarlierAttempt | PublishError::Unclear(_) => {
                tracing::warn!(error = told, "an entry was not published");
                let message = "it is not known whether the facility's logbook took the entry";
                Self::new(FailureKind::ServiceUnavailable, message)
                    .suggest("ask the operator to look for it there; do not call this again")
            }
            _ => {
                tracing::warn!(error = told, "an entry was not published");
                let message = "the facility's logbook did not take the entry";
                Self::new(FailureKind::ServiceUnavailable, message)
                    .suggest("show the entry to the operator")
            }
        }
    }
}
