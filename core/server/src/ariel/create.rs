//! `POST /api/entries`: entries that are written here.

use axum::Json;
use axum::http::HeaderMap;
use gannet_core::api::{Attachment, Entry};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::random;
use crate::state::App;

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
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let key = key.to_str().unwrap_or_default();
    match (1..=LONGEST_KEY).contains(&key.len()) {
        true => Ok(Some(key.to_owned())),
        false => Err(Problem::invalid(format!(
            "Idempotency-Key: must have 1 to {LONGEST_KEY} ASCII characters"
        ))),
    }
}

/// Writes entries with the files that were stored for them. They are found by
/// search as soon as the index has followed; their enhancement goes on in the
/// background.
///
/// # Errors
/// 422 for an entry without text, an unknown file, or a key that was used for
/// another request; else what the store failed with.
pub(crate) async fn write(
    app: &App,
    bodies: Vec<(CreateBody, Vec<Attachment>)>,
    key: Option<String>,
) -> Result<Vec<CreateReply>, Problem> {
    let mut entries = Vec::with_capacity(bodies.len());
    for (at, (body, files)) in bodies.into_iter().enumerate() {
        let entry_id = match &key {
            Some(key) => keyed_id(app.tenant(), key, at),
            None => format!("ariel-{}", random::hex(12)),
        };
        entries.push(entry(app, entry_id, body, files).await?);
    }
    let replies = entries.iter().map(reply).collect();
    // Of two requests with one key, the second sees what the first wrote.
    let _keyed = match key {
        Some(_) => Some(app.keyed_writes.lock().await),
        None => None,
    };
    if key.is_some() {
        let ids: Vec<String> = entries.iter().map(|entry| entry.entry_id.clone()).collect();
        for known in app.gannet.store().entries(app.tenant(), &ids).await? {
            let repeated = entries
                .iter()
                .position(|entry| entry.entry_id == known.entry_id);
            let repeated = repeated.map(|at| entries.remove(at));
            if repeated.is_some_and(|entry| !is_repeated(&entry, &known)) {
                let detail = "Idempotency-Key: it was used for a request with another body";
                return Err(Problem {
                    code: "idempotency_key_reused",
                    ..Problem::invalid(detail)
                });
            }
        }
    }
    if !entries.is_empty() {
        app.gannet.store().upsert(entries).await?;
        app.background.wake();
    }
    Ok(replies)
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

async fn entry(
    app: &App,
    entry_id: String,
    body: CreateBody,
    mut files: Vec<Attachment>,
) -> Result<Entry, Problem> {
    for (name, text) in [("subject", &body.subject), ("details", &body.details)] {
        if text.trim().is_empty() {
            return Err(Problem::invalid(format!("{name}: must not be empty")));
        }
    }
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
    let text = format!("{}\n\n{}", body.subject, body.details);
    let mut entry = Entry::new(entry_id, SOURCE, timestamp, text);
    app.tenant().clone_into(&mut entry.tenant);
    let author = body.author.filter(|author| !author.trim().is_empty());
    entry.author = author.unwrap_or_else(|| ANONYMOUS.to_owned());
    entry.attachments = files;
    let fields = [
        ("title", Value::from(body.subject)),
        ("logbook", body.logbook.into()),
        ("shift", body.shift.into()),
        ("tags", body.tags.into()),
    ];
    let is_given =
        |value: &Value| !value.is_null() && value.as_array().is_none_or(|all| !all.is_empty());
    for (name, value) in fields {
        if is_given(&value) {
            entry.metadata.insert(name.to_owned(), value);
        }
    }
    entry.metadata.extend(body.metadata.unwrap_or_default());
    Ok(entry)
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
