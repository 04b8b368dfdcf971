//! `POST /api/entries`: entries that are written here.

use std::collections::HashMap;

use axum::Json;
use axum::body::Bytes;
use axum::http::HeaderMap;
use gannet_core::api::{Attachment, Entry};
use gannet_core::new_entry::{NewEntry, Provenance, SOURCES};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::idempotency::{KeyedWrite, RequestKey, idempotency_key};
use super::publication::{GivenCredentials, Publication};
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::random;
use crate::state::App;
use crate::work::to_its_end;

/// What a key of this route stands for.
pub(super) const ROUTE: &str = "POST /api/entries";
/// What ARIEL's own entries have as their source.
const SOURCE: &str = SOURCES[0];
/// Who wrote an entry that names nobody.
const ANONYMOUS: &str = "Anonymous";

/// An entry that is to be written: into the facility's logbook where one is
/// configured (`ingestion.publish_to`), otherwise into this store only.
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
    /// Who writes, for the facility's logbook. A request may be repeated with
    /// other credentials under the same key.
    #[serde(flatten, skip_serializing)]
    pub credentials: GivenCredentials,
}

/// Where entries go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Into the facility's logbook, where one is configured.
    Logbook,
    /// Into this store only.
    Here,
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
    /// `pending_sync`: it is in the facility's logbook, and here as it was
    /// written; the next time that the logbook is read, it is replaced by what
    /// the logbook has.
    pub sync_status: &'static str,
    /// Its source system.
    pub source_system: String,
    /// How many files it has.
    pub attachment_count: usize,
}

/// `POST /api/entries`.
pub(crate) async fn create(
    app: App,
    headers: HeaderMap,
    JsonBody(body): JsonBody<CreateBody>,
) -> Result<Json<CreateReply>, Problem> {
    let key = idempotency_key(&headers, ROUTE)?;
    let mut replies = write(&app, vec![(body, Vec::new())], key, Destination::Logbook).await?;
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
/// another request; 401, 409 and 502 for an entry that was not published; else
/// what the store failed with.
pub(crate) async fn write(
    app: &App,
    bodies: Vec<(CreateBody, Vec<NewFile>)>,
    key: Option<RequestKey>,
    destination: Destination,
) -> Result<Vec<CreateReply>, Problem> {
    let app = app.clone();
    to_its_end(async move { write_all(&app, bodies, key, destination).await }).await?
}

async fn write_all(
    app: &App,
    bodies: Vec<(CreateBody, Vec<NewFile>)>,
    key: Option<RequestKey>,
    destination: Destination,
) -> Result<Vec<CreateReply>, Problem> {
    let mut keyed = key.map(|key| KeyedWrite::new(app.tenant(), &key, &bodies));
    let mut publication = Publication::of(app, destination, &bodies)?;
    let mut entries = Vec::with_capacity(bodies.len());
    for (body, files) in bodies {
        let entry_id = format!("ariel-{}", random::hex(12));
        entries.push((entry(app, entry_id, body).await?, files));
    }
    // Of two requests with one key, the second sees what the first wrote.
    let mut turn = match keyed {
        Some(_) => Some(app.lasting.keyed_writes.lock().await),
        None => None,
    };
    let known = match &mut keyed {
        Some(keyed) => keyed.begin(app, entries.len()).await?,
        None => HashMap::new(),
    };
    if let Some(keyed) = &keyed {
        for (at, (entry, _)) in entries.iter_mut().enumerate() {
            entry.entry_id = keyed.entry_id(at);
        }
    }
    let is_new = |entry: &Entry| !known.contains_key(&entry.entry_id);
    if let Some(publication) = publication.as_mut().filter(|_| known.is_empty()) {
        publication.begin(app, keyed.as_ref()).await?;
        // The logbook may be slow, and the attempt keeps a second one off.
        turn = None;
    }
    let mut stored = Vec::new();
    for (entry, files) in entries.iter_mut().filter(|(entry, _)| is_new(entry)) {
        match written(
            app,
            entry,
            std::mem::take(files),
            &mut publication,
            &mut stored,
        )
        .await
        {
            Ok(()) => {}
            Err(problem) => return Err(discarded(app, &stored, problem).await),
        }
    }
    let replies = entries.iter().map(|(entry, _)| {
        let entry = known.get(&entry.entry_id).unwrap_or(entry);
        reply(app, entry)
    });
    let replies = replies.collect();
    let new = entries.into_iter().map(|(entry, _)| entry);
    let outcome = store(app, new.filter(is_new).collect()).await;
    drop(turn);
    match outcome {
        Ok(()) => Ok(replies),
        Err(problem) => Err(discarded(app, &stored, problem).await),
    }
}

/// Stores the files of an entry, and publishes it where that is wanted.
async fn written(
    app: &App,
    entry: &mut Entry,
    files: Vec<NewFile>,
    publication: &mut Option<Publication>,
    stored: &mut Vec<Attachment>,
) -> Result<(), Problem> {
    for file in files {
        let kept = app.attachments.store(entry, &file.name, file.data);
        let attachment = kept.await?;
        stored.push(attachment.clone());
        entry.attachments.push(attachment);
    }
    if let Some(publication) = publication {
        publication.publish(app, entry).await?;
    }
    Ok(())
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

fn reply(app: &App, entry: &Entry) -> CreateReply {
    let writing = app.gannet.writing();
    let is_published = writing.is_some_and(|writing| writing.source_system == entry.source_system);
    let (entry_id, source_system) = (&entry.entry_id, &entry.source_system);
    let message = match (is_published, entry.attachments.len()) {
        (false, _) => {
            format!("Entry {entry_id} created (saved locally, not published to external logbook)")
        }
        (true, 0) => format!("Entry {entry_id} published to {source_system}"),
        (true, _) => {
            format!("Entry {entry_id} published to {source_system}; its files are kept here")
        }
    };
    CreateReply {
        message,
        entry_id: entry_id.clone(),
        sync_status: match is_published {
            true => "pending_sync",
            false => "local_only",
        },
        source_system: source_system.clone(),
        attachment_count: entry.attachments.len(),
    }
}

async fn entry(app: &App, entry_id: String, body: CreateBody) -> Result<Entry, Problem> {
    let mut files = Vec::with_capacity(body.attachment_ids.len());
    for id in &body.attachment_ids {
        let file = app.attachments.describe(&app.gannet, app.tenant(), id);
        let file = file.await?;
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
