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
use sha2::{Digest, Sha256};

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
/// Characters of an idempotency key at most.
const LONGEST_KEY: usize = 255;

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

/// The header `Idempotency-Key`: a request that is repeated with it writes
/// nothing twice.
///
/// # Errors
/// 400 for two of them: which one counts would be a guess. 422 for a key that
/// is empty, too long or not ASCII.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    if keys.next().is_some() {
        let detail = "Idempotency-Key: the header is there more than once; send one key";
        return Err(Problem::bad_request("repeated_header", detail));
    }
    let key = key.to_str().unwrap_or_default();
    match (1..=LONGEST_KEY).contains(&key.len()) {
        true => Ok(Some(key.to_owned())),
        false => Err(Problem::invalid(format!(
            "Idempotency-Key: must have 1 to {LONGEST_KEY} ASCII characters"
        ))),
    }
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
    let mut entries = Vec::with_capacity(bodies.len());
    for (at, (body, files)) in bodies.into_iter().enumerate() {
        let entry_id = match &key {
            Some(key) => keyed_id(app.tenant(), key, at),
            None => format!("ariel-{}", random::hex(12)),
        };
        entries.push((entry(app, entry_id, body).await?, files));
    }
    // Of two requests with one key, the second sees what the first wrote.
    let _keyed = match key {
        Some(_) => Some(app.lasting.keyed_writes.lock().await),
        None => None,
    };
    let known = match key {
        Some(_) => known_entries(app, &entries).await?,
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

/// What stands in the store of a repeated request.
async fn known_entries(
    app: &App,
    entries: &[(Entry, Vec<NewFile>)],
) -> Result<HashMap<String, Entry>, Problem> {
    let ids = entries.iter().map(|(entry, _)| entry.entry_id.clone());
    let ids: Vec<String> = ids.collect();
    let known = app.gannet.store().entries(app.tenant(), &ids).await?;
    let known: HashMap<String, Entry> = known
        .into_iter()
        .map(|entry| (entry.entry_id.clone(), entry))
        .collect();
    let is_other = |(entry, _): &(Entry, Vec<NewFile>)| {
        let before = known.get(&entry.entry_id);
        before.is_some_and(|before| !is_repeated(entry, before))
    };
    if entries.iter().any(is_other) {
        let detail = "Idempotency-Key: it was used for a request with another body";
        return Err(Problem {
            code: "idempotency_key_reused",
            ..Problem::invalid(detail)
        });
    }
    Ok(known)
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

/// The id follows from the key, so that a repeated request is known again
/// also after a restart and on another server.
fn keyed_id(tenant: &str, key: &str, at: usize) -> String {
    let mut hash = Sha256::new();
    hash.update(tenant);
    hash.update([0]);
    hash.update(key);
    hash.update((at as u64).to_le_bytes());
    let digest = hash.finalize();
    let digits = digest[..12].iter().map(|byte| format!("{byte:02x}"));
    format!("ariel-{}", digits.collect::<String>())
}

/// Whether an entry is the one that is stored, which may have been enhanced
/// and has its own time and files.
fn is_repeated(entry: &Entry, known: &Entry) -> bool {
    let mut metadata = entry.metadata.iter();
    entry.raw_text == known.raw_text
        && entry.author == known.author
        && metadata.all(|(key, value)| known.metadata.get(key) == Some(value))
}
