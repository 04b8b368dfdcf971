//! Files of entries that were uploaded, in a folder beside the store: each
//! with its name and type in a second file. An id is random and hexadecimal,
//! so that no request names another file.

use std::io;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use gannet_core::api::Attachment;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;

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
pub(crate) struct AttachmentFolder(PathBuf);

/// What stands beside a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Label {
    tenant: String,
    filename: String,
    mime_type: String,
}

impl AttachmentFolder {
    /// A folder, which is made when the first file is stored.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// Removes what uploads left that did not end: the process was killed.
    /// Only before the first upload.
    pub fn remove_drafts(&self) {
        // Without a folder nothing was uploaded.
        let files = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let drafts = files.filter(|file| {
            let name = file.file_name();
            name.to_string_lossy().ends_with(DRAFT_ENDING)
        });
        for draft in drafts {
            remove_draft(&draft.path());
        }
    }

    /// Stores a file of a tenant.
    ///
    /// # Errors
    /// 500 or 507 when it cannot be written.
    pub async fn store(
        &self,
        tenant: &str,
        filename: &str,
        data: Bytes,
    ) -> Result<Attachment, Problem> {
        let id = random::hex(ID_DIGITS);
        let label = Label {
            tenant: tenant.to_owned(),
            filename: plain_name(filename),
            mime_type: media_type(&data).to_owned(),
        };
        let text = serde_json::to_vec(&label).map_err(|error| failed(&error))?;
        let folder = tokio::fs::create_dir_all(&self.0).await;
        folder.map_err(not_written)?;
        write_whole(&self.0, &id, &data).await?;
        let stored = attachment(&id, label);
        // The label last: a file without one was not stored to its end.
        if let Err(problem) = write_whole(&self.0, &format!("{id}.json"), &text).await {
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
            match tokio::fs::remove_file(self.0.join(name)).await {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(%error, id, "a file that no entry has was not removed");
                }
                _ => {}
            }
        }
    }

    /// The tenant's file of this id, as an entry names it.
    ///
    /// # Errors
    /// 500 when it cannot be read.
    pub async fn describe(&self, tenant: &str, id: &str) -> Result<Option<Attachment>, Problem> {
        let label = self.label(tenant, id).await?;
        Ok(label.map(|label| attachment(id, label)))
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
        match tokio::fs::read(self.0.join(name)).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }
}

fn attachment(id: &str, label: Label) -> Attachment {
    Attachment::default()
        .with_url(format!("/api/attachments/{id}"))
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

/// `GET /api/attachments/{attachment_id}`: always as a download.
pub(crate) async fn show(app: App, PathOf(id): PathOf<String>) -> Result<Response, Problem> {
    let not_found = || Problem::not_found(format!("Attachment {id} not found"));
    let label = app.attachments.label(app.tenant(), &id).await?;
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
