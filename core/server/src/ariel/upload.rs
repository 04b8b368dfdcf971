//! `POST /api/entries/upload`: an entry with files.

use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use schemars::JsonSchema;
use serde_json::Value;

use super::create::{CreateBody, CreateReply, Destination, NewFile, write};
use super::idempotency::idempotency_key;
use super::multipart::{Part, parts};
use super::publication::{GivenCredentials, Password};
use crate::problem::Problem;
use crate::state::App;

/// What a key of this route stands for.
const ROUTE: &str = "POST /api/entries/upload";
/// Files of an entry at most.
const MOST_FILES: usize = 20;

/// The fields of the form.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct UploadForm {
    /// The title.
    subject: String,
    /// The text.
    details: String,
    /// Who writes it.
    author: Option<String>,
    /// Which logbook.
    logbook: Option<String>,
    /// Which shift.
    shift: Option<String>,
    /// Its tags, separated by commas.
    tags: Option<String>,
    /// More fields, as a JSON object.
    metadata: Option<String>,
    /// When it happened (RFC 3339); now when missing.
    timestamp: Option<String>,
    /// The user name for the facility's logbook.
    auth_user: Option<String>,
    /// The password for the facility's logbook.
    auth_password: Option<String>,
    /// Files, 10 MiB each by default.
    files: Option<Vec<UploadedFile>>,
}

/// The bytes of a file, in a part of the form with its name.
#[derive(JsonSchema)]
#[schemars(extend("contentMediaType" = "application/octet-stream"))]
#[allow(dead_code, reason = "only its schema is used")]
struct UploadedFile(String);

/// `POST /api/entries/upload`. Files are checked before anything is written.
pub(crate) async fn create(
    app: App,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<CreateReply>, Problem> {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|media| media.to_str().ok()).unwrap_or("");
    if !media
        .to_ascii_lowercase()
        .starts_with("multipart/form-data")
    {
        let detail = "the body must be a form, with `Content-Type: multipart/form-data`";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Problem::new(status, "unsupported_media_type", detail));
    }
    let key = idempotency_key(&headers, ROUTE)?;
    let parts = parts(media, &body).map_err(|fault| Problem::invalid(format!("form: {fault}")))?;
    let is_file = |part: &Part| part.name == "files";
    let (files, fields): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(is_file);
    check_fields(&fields)?;
    let entry = entry_of(&fields)?;
    let is_named = |file: &Part| file.filename.as_ref().is_some_and(|name| !name.is_empty());
    let files: Vec<Part> = files.into_iter().filter(is_named).collect();
    check_files(&app, &files)?;
    let files = files.into_iter().map(|file| NewFile {
        name: file.filename.unwrap_or_default(),
        data: file.data,
    });
    let entries = vec![(entry, files.collect())];
    let mut replies = write(&app, entries, key, Destination::Logbook).await?;
    let reply = replies.pop();
    reply
        .map(Json)
        .ok_or_else(|| Problem::invalid("there is no entry"))
}

/// A file of another field would be lost without a word.
fn check_fields(fields: &[Part]) -> Result<(), Problem> {
    let mut named = fields.iter().filter_map(|part| {
        let file = part.filename.as_deref().filter(|name| !name.is_empty())?;
        Some((file, &part.name))
    });
    match named.next() {
        None => Ok(()),
        Some((file, field)) => Err(Problem::invalid(format!(
            "form: the file `{file}` is in the field `{field}`; files belong into `files`"
        ))),
    }
}

fn check_files(app: &App, files: &[Part]) -> Result<(), Problem> {
    if files.len() > MOST_FILES {
        return Err(Problem::invalid(format!(
            "files: at most {MOST_FILES} files"
        )));
    }
    let limit = app.config().max_attachment_bytes;
    match files.iter().find(|file| file.data.len() > limit) {
        None => Ok(()),
        Some(file) => Err(Problem::bad_request(
            "file_too_large",
            format!(
                "the file `{}` has {} bytes, more than `server.max_attachment_bytes` ({limit})",
                file.filename.as_deref().unwrap_or_default(),
                file.data.len()
            ),
        )),
    }
}

fn entry_of(fields: &[Part]) -> Result<CreateBody, Problem> {
    let field = |name: &str| {
        let part = fields.iter().find(|part| part.name == name)?;
        let text = String::from_utf8_lossy(&part.data).trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let required = |name: &str| {
        field(name).ok_or_else(|| Problem::invalid(format!("{name}: must not be empty")))
    };
    let metadata = match field("metadata") {
        None => None,
        Some(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(metadata)) => Some(metadata),
            _ => return Err(Problem::invalid("metadata: must be a JSON object")),
        },
    };
    let tags = field("tags").unwrap_or_default();
    let tags = tags.split(',').map(str::trim).filter(|tag| !tag.is_empty());
    Ok(CreateBody {
        subject: required("subject")?,
        details: required("details")?,
        author: field("author"),
        logbook: field("logbook"),
        shift: field("shift"),
        tags: tags.map(str::to_owned).collect(),
        attachment_ids: Vec::new(),
        metadata,
        timestamp: field("timestamp"),
        credentials: GivenCredentials {
            auth_user: field("auth_user"),
            auth_password: field("auth_password").map(Password),
        },
    })
}
