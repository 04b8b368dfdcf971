//! `entry_create`: a new entry.

use std::time::Instant;

use gannet_core::new_entry::{NewEntry, Provenance, SOURCES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::entry_view::WholeEntry;
use super::failure::{FailureKind, ToolFailure};
use super::server::Call;
use crate::drafts::DraftBody;
use crate::random::random_hex;
use crate::work::to_its_end;

pub(super) const NAME: &str = "entry_create";
pub(super) const DESCRIPTION: &str = "\
Writes a new entry. By default it returns a draft and stores nothing: show the draft to the \
operator, and call again with `draft: false` only when they agree.";

/// The source system of entries that are written here.
const SOURCE_SYSTEM: &str = SOURCES[1];
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
    /// Where the operator can open the draft for an hour, below the address of
    /// this service: a form with its fields filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_path: Option<String>,
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
    let draft = wanted.draft.then(|| DraftBody::from(&wanted));
    let new = NewEntry::from(wanted);
    if let Some(name) = new.blank_field() {
        return Err(ToolFailure::validation(format!("`{name}` is blank")));
    }
    let entry_id = match draft {
        Some(_) => String::new(),
        None => new_id()?,
    };
    let entry = new.into_entry(Provenance {
        entry_id,
        source_system: SOURCE_SYSTEM,
        tenant: &call.caller.tenant,
        anonymous: "",
    });
    if let Some(draft) = draft {
        return Ok(CreateReply {
            status: "draft",
            message: "nothing was stored; show the draft to the operator, and call again with \
                      `draft: false` when they agree",
            draft_path: keep(call, draft),
            entry: call.views.whole(&entry),
        });
    }
    let (backend, caller) = (call.backend.clone(), call.caller.clone());
    let new = vec![entry.clone()];
    to_its_end(async move { backend.store(&caller, new).await }).await??;
    let message = match call.gannet.writing() {
        None => {
            "the entry is stored; searches find it within a second, by its meaning a little \
                 later"
        }
        Some(_) => {
            "the entry is stored here; call `entry_publish` when the operator wants it in \
                    the facility's logbook too"
        }
    };
    Ok(CreateReply {
        status: "stored",
        message,
        draft_path: None,
        entry: call.views.whole(&entry),
    })
}

/// Keeps the draft for the web interface, where there is one and has room:
/// the agent has the draft in any case.
fn keep(call: &Call<'_>, draft: DraftBody) -> Option<String> {
    let drafts = call.backend.drafts.as_ref()?;
    let draft_id = drafts.keep(&call.caller.tenant, draft, Instant::now());
    Some(format!("/new?draft={}", draft_id.ok()?))
}

fn new_id() -> Result<String, ToolFailure> {
    let chance = random_hex(ID_BYTES).map_err(|error| {
        tracing::error!(%error, "no id for a new entry");
        ToolFailure::new(FailureKind::Internal, "no id could be made for the entry")
    })?;
    Ok(format!("gannet-{chance}"))
}

impl From<&CreateArguments> for DraftBody {
    fn from(wanted: &CreateArguments) -> Self {
        Self {
            subject: wanted.subject.clone(),
            details: wanted.details.clone(),
            author: wanted.author.clone(),
            logbook: wanted.logbook.clone(),
            shift: wanted.shift.clone(),
            tags: Some(wanted.tags.clone()),
        }
    }
}

impl From<CreateArguments> for NewEntry {
    fn from(wanted: CreateArguments) -> Self {
        Self {
            author: wanted.author,
            logbook: wanted.logbook,
            shift: wanted.shift,
            tags: wanted.tags,
            ..Self::now(wanted.subject, wanted.details)
        }
    }
}
