//! `entry_create`: a new entry.

use gannet_core::api::Entry;
use gannet_core::{EnhanceRequest, Gannet, Stop};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments;
use super::entry_view::WholeEntry;
use super::failure::{FailureKind, ToolFailure};
use super::server::Call;
use crate::auth::AuditEvent;
use crate::random::random_hex;

pub(super) const NAME: &str = "entry_create";
pub(super) const DESCRIPTION: &str = "\
Writes a new entry. By default it returns a draft and stores nothing: show the draft to the \
operator, and call again with `draft: false` only when they agree.";

/// The source system of entries that are written here.
const SOURCE_SYSTEM: &str = "Gannet";
/// Bytes of chance in an id.
const ID_BYTES: usize = 6;

/// The entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// The title.
    #[schemars(length(min = 1, max = 500))]
    subject: String,
    /// The text.
    #[schemars(length(min = 1, max = 100000))]
    details: String,
    /// Who writes it.
    #[schemars(length(max = 200))]
    author: Option<String>,
    /// The logbook that it belongs to.
    #[schemars(length(max = 200))]
    logbook: Option<String>,
    /// The shift.
    #[schemars(length(max = 200))]
    shift: Option<String>,
    /// Tags.
    #[serde(default)]
    #[schemars(length(max = 50))]
    tags: Vec<String>,
    /// `true` returns the entry without storing it.
    #[serde(default = "yes")]
    draft: bool,
}

/// The entry, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CreateReply {
    /// `draft`: nothing was stored. `stored`: it is in the store.
    status: &'static str,
    /// What to do next.
    message: &'static str,
    /// The entry. The id of a draft is empty.
    entry: WholeEntry,
}

fn yes() -> bool {
    true
}

/// Makes a draft, or stores the entry.
///
/// # Errors
/// A [`ToolFailure`] for a blank subject or text, and for a store that cannot
/// be written.
pub(super) async fn call(call: &Call<'_>, given: Value) -> Result<CreateReply, ToolFailure> {
    let wanted: CreateArguments = arguments::read(given)?;
    for (name, text) in [("subject", &wanted.subject), ("details", &wanted.details)] {
        if text.trim().is_empty() {
            return Err(ToolFailure::validation(format!("`{name}` is blank")));
        }
    }
    let is_draft = wanted.draft;
    let mut entry = wanted.entry();
    entry.tenant.clone_from(&call.caller.tenant);
    if is_draft {
        return Ok(CreateReply {
            status: "draft",
            message: "nothing was stored; show the draft to the operator, and call again with \
                      `draft: false` when they agree",
            entry: call.views.whole(&entry),
        });
    }
    let chance = random_hex(ID_BYTES).map_err(|error| {
        tracing::error!(%error, "no id for a new entry");
        ToolFailure::new(FailureKind::Internal, "no id could be made for the entry")
    })?;
    entry.entry_id = format!("gannet-{chance}");
    call.gannet.store().upsert(vec![entry.clone()]).await?;
    let event = AuditEvent::EntryStored {
        entry_id: &entry.entry_id,
    };
    call.audit.add(&call.caller.name, &event);
    tokio::spawn(make_findable(call.gannet.clone()));
    Ok(CreateReply {
        status: "stored",
        message: "the entry is stored; searches find it within a second, by its meaning a little \
                  later",
        entry: call.views.whole(&entry),
    })
}

/// Embeds the new entry. It is stored already: what fails here is done by the
/// next `gannet enhance`.
async fn make_findable(gannet: Gannet) {
    let everything = EnhanceRequest::default();
    let enhanced = gannet.enhance(everything, &Stop::default(), |_| {}).await;
    if let Err(error) = enhanced {
        tracing::warn!(%error, "the new entry is not enhanced; run `gannet enhance`");
    }
}

impl CreateArguments {
    /// The entry, without an id.
    fn entry(self) -> Entry {
        let text = format!("{}\n\n{}", self.subject.trim(), self.details);
        let mut entry = Entry::new("", SOURCE_SYSTEM, Timestamp::now(), text);
        entry.author = self.author.unwrap_or_default();
        let mut metadata = Map::new();
        metadata.insert("title".to_owned(), self.subject.trim().into());
        for (key, value) in [("logbook", self.logbook), ("shift", self.shift)] {
            metadata.extend(value.map(|value| (key.to_owned(), value.into())));
        }
        if !self.tags.is_empty() {
            metadata.insert("tags".to_owned(), json!(self.tags));
        }
        entry.metadata = metadata;
        entry
    }
}
