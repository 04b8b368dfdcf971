//! `POST /api/entries`: entries that are written here.

use std::collections::HashMap;

use axum::Json;
use axum::body::Bytes;
use axum::http::HeaderMap;
use gannet_core::api::{Attachment, Entry};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::idempotency::{KeyedWrite, idempotency_key};
use crate::extract::JsonBody;
use crate::new_entry::{NewEntry, Provenance};
use crate::problem::Problem;
use crate::random;
use crate::state::App;
use crate::work::to_its_end;

/// What ARIEL's own entries have as their source.
const SOURCE: &str = "ARIEL Web";
/// Who wrote an entry that names nobody.
const ANONYMOUS: &str = "Anonymous";

/// An entry that is to be written. Credentials for another logbook, which
/// clients of ARIEL send, are ignored like any unknown field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EntryCreateRequest")]
pub(crate) struct CreateBody {
    /// The title.
    #[schemars(length(min = 1))]
    pub subject: String,
    /// The text.
    #[schemars(length(min = 1))]
    pub details: String,
    /// Who writes it; `Anonymous` when missing.
    #[serde(default)]
    pub author: Option<String>,
    /// Which logbook.
    #[serde(default)]
    pub logbook: Option<String>,
    /// Which shift.
    #[serde(default)]
    pub shift: Option<String>,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Files that were uploaded before.
    #[serde(default)]
    pub attachment_ids: Vec<String>,
    /// More fields.
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
    /// When it happened (RFC 3339); now when missing.
    #[serde(default)]
    pub timestamp: Option<String>,
}

/// An entry was written.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryCreateResponse")]
pub(crate) struct CreateReply {
    /// Its id.
    pub entry_id: String,
    /// What was done, in a sentence.
    pub message: String,
    /// `local_only`: it is in this store and in no other logbook.
    pub sync_status: &'static str,
    /// Its source system.
    pub source_system: &'static str,
    /// How many files it has.
    pub attachment_count: usize,
}

/// `POST /api/entries`.
pub(crate) async fn create(
    app: App,
    headers: HeaderMap,
    JsonBody(body): JsonBody<CreateBody>,
) -> Result<Json<CreateReply>, Problem> {
    let key = idempotency_key(&headers)?;
    let mut replies = write(&app, vec![(body, Vec::new())], key).await?;
    let reply = replies.pop();
    reply
        .map(Json)
        .ok_or_else(|| Problem::invalid("there is no entry"))
}

/// A file that is stored with its entry.
pub(crate) struct NewFile {
    pub name: String,
    pub data: Bytes,
}

/// Writes entries with their files. They are found by search as soon as the
/// index has followed; their enhancement goes on in the background. A request
/// that is repeated with its key stores nothing, and one that fails leaves no
/// file. What was begun is done to its end, also when the client disconnects:
/// an entry is not stored without its line in the audit log.
///
/// # Errors
/// 422 for an entry without text, an unknown file, or a key that was used for
/// another request; else what the store failed with.
pub(crate) async fn write(
    app: &App,
    bodies: Vec<(CreateBody, Vec<NewFile>)>,
    key: Option<String>,
) -> Result<Vec<CreateReply>, Problem> {
    let app = app.clone();
    to_its_end(async move { write_all(&app, bodies, key).await }).await?
}

async fn write_all(
    app: &App,
    bodies: Vec<(CreateBody, Vec<NewFile>)>,
    key: Option<String>,
) -> Result<Vec<CreateReply>, Problem> {
    let keyed = key.map(|key| KeyedWrite::new(app.tenant(), &key, &bodies));
    let mut entries = Vec::with_capacity(bodies.len());
    for (at, (body, files)) in bodies.into_iter().enumerate() {
        let entry_id = match &keyed {
            Some(keyed) => keyed.entry_id(at),
            None => format!("ariel-{}", random::hex(12)),
        };
        entries.push((entry(app, entry_id, body).await?, files));
    }
    // Of two requests with one key, the second sees what the first wrote.
    let _turn = match keyed {
        Some(_) => Some(app.lasting.keyed_writes.lock().await),
        None => None,
    };
    let known = match &keyed {
        Some(keyed) => keyed.begin(app, entries.len()).await?,
        None => HashMap::new(),
    };
    let is_new = |entry: &Entry| !known.contains_key(&entry.entry_id);
    let mut stored = Vec::new();
    for (entry, files) in entries.iter_mut().filter(|(entry, _)| is_new(entry)) {
        for file in std::mem::take(files) {
            match app
                .attachments
                .store(app.tenant(), &file.name, file.data)
                .await
            {
                Ok(attachment) => {
                    stored.push(attachment.clone());
                    entry.attachments.push(attachment);
                }
                Err(problem) => return Err(discarded(app, &stored, problem).await),
            }
        }
    }
    let replies = entries.iter().map(|(entry, _)| {
        let entry_id = &entry.entry_id;
        reply(known.get(entry_id).unwrap_or(entry))
    });
    let replies = replies.collect();
    let new = entries.into_iter().map(|(entry, _)| entry);
    match store(app, new.filter(is_new).collect()).await {
        Ok(()) => Ok(replies),
        Err(problem) => Err(discarded(app, &stored, problem).await),
    }
}

async fn store(app: &App, entries: Vec<Entry>) -> Result<(), Problem> {
    if entries.is_empty() {
        return Ok(());
    }
    Ok(app.backend.store(app.caller(), entries).await?)
}

/// The problem, once the files that were stored for nothing are gone.
async fn discarded(app: &App, stored: &[Attachment], problem: Problem) -> Problem {
    for attachment in stored {
        app.attachments.discard(attachment).await;
    }
    problem
}

fn reply(entry: &Entry) -> CreateReply {
    CreateReply {
        message: format!(
            "Entry {} created (saved locally, not published to external logbook)",
            entry.entry_id
        ),
        entry_id: entry.entry_id.clone(),
        sync_status: "local_only",
        source_system: SOURCE,
        attachment_count: entry.attachments.len(),
    }
}

async fn entry(app: &App, entry_id: String, body: CreateBody) -> Result<Entry, Problem> {
    let mut files = Vec::with_capacity(body.attachment_ids.len());
    for id in &body.attachment_ids {
        let file = app.attachments.describe(app.tenant(), id).await?;
        let missing = || Problem::invalid(format!("attachment_ids: no file `{id}`"));
        files.push(file.ok_or_else(missing)?);
    }
    let timestamp = match &body.timestamp {
        None => Timestamp::now(),
        Some(text) => text.parse().map_err(|_| {
            Problem::invalid(format!("timestamp: `{text}` is not a valid RFC 3339 time"))
        })?,
    };
    let new = NewEntry {
        subject: body.subject,
        details: body.details,
        author: body.author,
        logbook: body.logbook,
        shift: body.shift,
        tags: body.tags,
        attachments: files,
        metadata: body.metadata.unwrap_or_default(),
        timestamp,
    };
    if let Some(name) = new.blank_field() {
        return Err(Problem::invalid(format!("{name}: must not be empty")));
    }
    Ok(new.into_entry(Provenance {
        entry_id,
        source_system: SOURCE,
        tenant: app.tenant(),
        anonymous: ANONYMOUS,
    }))
}
