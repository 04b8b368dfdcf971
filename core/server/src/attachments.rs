//! Files of entries that were uploaded, in a folder beside the store: each
//! with its name and type in a second file. An id is random and hexadecimal,
//! so that no request names another file.

use std::io;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use gannet_core::Gannet;
use gannet_core::api::{Attachment, Entry};
use gannet_core::store::UPLOADED;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;

use crate::extract::PathOf;
use crate::problem::Problem;
use crate::random;
use crate::state::App;

/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 32;
/// How the name of a file ends that is not written to its end.
const DRAFT_ENDING: &str = ".part";
/// Bytes of a file's name at most.
const LONGEST_NAME: usize = 200;

/// The folder.
pub(crate) struct AttachmentFolder {
    path: PathBuf,
    /// Held while all entries are read for the one that names a file, which is
    /// done for one file at a time.
    lookup: Mutex<()>,
}

/// What stands beside a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Label {
    tenant: String,
    filename: String,
    mime_type: String,
    /// The entry that names the file, as far as it is known: one that was
    /// published or ingested again may have another id now.
    #[serde(default)]
    entry_id: Option<String>,
}

impl AttachmentFolder {
    /// A folder, which is made when the first file is stored.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            path: folder,
            lookup: Mutex::new(()),
        }
    }

    /// Removes what uploads left that did not end: the process was killed.
    /// Only before the first upload.
    pub fn remove_drafts(&self) {
        // Without a folder nothing was uploaded.
        let files = std::fs::read_dir(&self.path)
            .into_iter()
            .flatten()
            .flatten();
        let drafts = files.filter(|file| {
            let name = file.file_name();
            name.to_string_lossy().ends_with(DRAFT_ENDING)
        });
        for draft in drafts {
            remove_draft(&draft.path());
        }
    }

    /// Stores a file of an entry that is to be written.
    ///
    /// # Errors
    /// 500 or 507 when it cannot be written.
    pub async fn store(
        &self,
        entry: &Entry,
        filename: &str,
        data: Bytes,
    ) -> Result<Attachment, Problem> {
        let id = random::hex(ID_DIGITS);
        let label = Label {
            tenant: entry.tenant.clone(),
            filename: plain_name(filename),
            mime_type: media_type(&data).to_owned(),
            entry_id: Some(entry.entry_id.clone()),
        };
        let folder = tokio::fs::create_dir_all(&self.path).await;
        folder.map_err(not_written)?;
        write_whole(&self.path, &id, &data).await?;
        // The label last: a file without one was not stored to its end.
        let labelled = self.write_label(&id, &label).await;
        let stored = attachment(&id, label);
        if let Err(problem) = labelled {
            self.discard(&stored).await;
            return Err(problem);
        }
        Ok(stored)
    }

    /// Removes a file that no entry came to name.
    pub async fn discard(&self, stored: &Attachment) {
        let id = stored.url.as_deref().and_then(|url| url.rsplit('/').next());
        let Some(id) = id.filter(|id| is_id(id)) else {
            return;
        };
        // The label first: a file without one does not count as stored.
        for name in [format!("{id}.json"), id.to_owned()] {
            match tokio::fs::remove_file(self.path.join(name)).await {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(%error, id, "a file that no entry has was not removed");
                }
                _ => {}
            }
        }
    }

    /// The tenant's file of this id, as an entry names it; none where no entry
    /// does any more.
    ///
    /// # Errors
    /// 500 when it cannot be read, and what the store failed with.
    pub async fn describe(
        &self,
        gannet: &Gannet,
        tenant: &str,
        id: &str,
    ) -> Result<Option<Attachment>, Problem> {
        let label = self.label_in_use(gannet, tenant, id).await?;
        Ok(label.map(|label| attachment(id, label)))
    }

    /// The label of a file that an entry of the tenant names.
    async fn label_in_use(
        &self,
        gannet: &Gannet,
        tenant: &str,
        id: &str,
    ) -> Result<Option<Label>, Problem> {
        let Some(label) = self.label(tenant, id).await? else {
            return Ok(None);
        };
        let is_named = match &label.entry_id {
            Some(entry_id) => gannet.entry_names_file(tenant, entry_id, id).await?,
            None => false,
        };
        if is_named {
            return Ok(Some(label));
        }
        let _one = self.lookup.lock().await;
        let Some(entry_id) = gannet.entry_with_file(tenant, id).await? else {
            return Ok(None);
        };
        let label = Label {
            entry_id: Some(entry_id),
            ..label
        };
        // It saves the next reader the search, and is no reason to fail.
        if let Err(problem) = self.write_label(id, &label).await {
            tracing::debug!(id, status = problem.status, "a label was not written");
        }
        Ok(Some(label))
    }

    async fn write_label(&self, id: &str, label: &Label) -> Result<(), Problem> {
        let text = serde_json::to_vec(label).map_err(|error| failed(&error))?;
        write_whole(&self.path, &format!("{id}.json"), &text).await
    }

    async fn label(&self, tenant: &str, id: &str) -> Result<Option<Label>, Problem> {
        if !is_id(id) {
            return Ok(None);
        }
        let Some(text) = self.read(&format!("{id}.json")).await? else {
            return Ok(None);
        };
        let label: Label = serde_json::from_slice(&text).map_err(|error| failed(&error))?;
        Ok((label.tenant == tenant).then_some(label))
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        match tokio::fs::read(self.path.join(name)).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }
}

fn attachment(id: &str, label: Label) -> Attachment {
    Attachment::default()
        .with_url(format!("{UPLOADED}{id}"))
        .with_mime_type(label.mime_type)
        .with_filename(label.filename)
}

/// Whole or not at all, also when the power fails: written under another name
/// first.
async fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Problem> {
    let draft = folder.join(format!("{name}{DRAFT_ENDING}"));
    let written = async {
        let mut open = tokio::fs::File::create(&draft).await?;
        open.write_all(bytes).await?;
        open.sync_all().await?;
        tokio::fs::rename(&draft, folder.join(name)).await?;
        sync_folder(folder).await
    };
    let written = written.await;
    if written.is_err() {
        // It may hold the last space of the disk.
        remove_draft(&draft);
    }
    written.map_err(not_written)
}

fn remove_draft(draft: &Path) {
    match std::fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let path = draft.display();
            tracing::warn!(%error, %path, "an upload that did not end was not removed");
        }
        _ => {}
    }
}

/// Makes the names of files last over a power failure. Elsewhere than on Unix
/// a folder cannot be opened for this, and a rename is written through.
async fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        tokio::fs::File::open(folder).await?.sync_all().await?;
    }
    Ok(())
}

fn not_written(error: io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Problem::disk_full(&error),
        _ => failed(&error),
    }
}

fn failed(error: &dyn std::fmt::Display) -> Problem {
    tracing::error!(%error, "an attachment could not be read or written");
    let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
    Problem::new(
        status,
        "internal",
        "the attachment could not be read or written",
    )
}

fn is_id(id: &str) -> bool {
    id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The last part of a path, without control characters.
fn plain_name(filename: &str) -> String {
    let name = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut name: String = name.chars().filter(|letter| !letter.is_control()).collect();
    name.truncate(name.floor_char_boundary(LONGEST_NAME));
    match name.is_empty() {
        true => "file".to_owned(),
        false => name,
    }
}

/// The type by the content: what a client says may be a page with a script.
fn media_type(data: &[u8]) -> &'static str {
    let types: [(&[u8], &str); 5] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
    ];
    let known = types.into_iter().find(|(start, _)| data.starts_with(start));
    match known {
        Some((_, media)) => media,
        None if data.starts_with(b"RIFF") && data.get(8..12) == Some(b"WEBP") => "image/webp",
        None if std::str::from_utf8(data).is_ok_and(|text| !text.contains('\0')) => {
            "text/plain; charset=utf-8"
        }
        None => "application/octet-stream",
    }
}

/// `GET /api/attachments/{attachment_id}`: always as a download, as long as an
/// entry names the file.
pub(crate) async fn show(app: App, PathOf(id): PathOf<String>) -> Result<Response, Problem> {
    let not_found = || Problem::not_found(format!("Attachment {id} not found"));
    let folder = &app.attachments;
    let label = folder.label_in_use(&app.gannet, app.tenant(), &id).await?;
    let label = label.ok_or_else(not_found)?;
    let data = app.attachments.read(&id).await?.ok_or_else(not_found)?;
    let mut response = data.into_response();
    let headers = response.headers_mut();
    let values = [
        (header::CONTENT_TYPE, label.mime_type),
        (header::CONTENT_DISPOSITION, disposition(&label.filename)),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (
            header::CONTENT_SECURITY_POLICY,
            "sandbox; default-src 'none'".to_owned(),
        ),
    ];
    for (name, value) in values {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    Ok(response)
}

/// The name in the form of RFC 6266.
fn disposition(filename: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._- ".contains(letter);
    let plain: String = filename
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .collect();
    let encoded: String = filename
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_name_is_the_last_part_of_a_path() {
        for (given, kept) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\temp\\scope.png", "scope.png"),
            ("a\r\nb\".txt", "ab\".txt"),
            ("", "file"),
        ] {
            assert_eq!(plain_name(given), kept);
        }
        assert_eq!(
            disposition("Über \"1\".txt"),
            "attachment; filename=\"_ber _1_.txt\"; filename*=UTF-8''%C3%9Cber%20%221%22.txt"
        );
    }

    #[test]
    fn a_page_with_a_script_is_text() {
        assert_eq!(
            media_type(b"<script>alert(1)</script>"),
            "text/plain; charset=utf-8"
        );
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n..."), "image/png");
        assert_eq!(media_type(&[0, 159, 146]), "application/octet-stream");
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        // A folder of the file's name is in the way.
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let problem = write_whole(folder.path(), "a", b"text").await.unwrap_err();
        assert_eq!(problem.status, 500);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let full = not_written(io::ErrorKind::StorageFull.into());
        assert_eq!((full.status, full.code), (507, "disk_full"));
    }

    #[test]
    fn other_names_are_no_ids() {
        for other in ["", "..", "../store.db", "0123456789abcdef0123456789abcdeg"] {
            assert!(!is_id(other), "{other}");
        }
        assert!(is_id(&random::hex(ID_DIGITS)));
    }
}
