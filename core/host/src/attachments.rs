//! Files that were uploaded with entries, for plugins that read them.

use std::io::ErrorKind;
use std::path::Path;

use gannet_api::{Attachment, AttachmentRequest, Error, Result};
use serde::Deserialize;

use crate::uploaded_files::uploaded_id;

/// The largest file that is read.
const MOST_BYTES: u64 = 16 << 20;

/// What stands beside a file, as far as it matters here.
#[derive(Deserialize)]
struct Label {
    tenant: String,
}

/// Answers the host service [`AttachmentRequest::SERVICE`] for a tenant.
///
/// # Errors
/// See [`gannet_api::Context::attachment`].
pub(crate) async fn answer(folder: &Path, tenant: &str, payload: &[u8]) -> Result<Vec<u8>> {
    let request: AttachmentRequest = serde_json::from_slice(payload).map_err(|error| {
        let service = AttachmentRequest::SERVICE;
        Error::invalid_input(format!("the request of the service `{service}`: {error}"))
    })?;
    let missing = || Error::NotFound {
        what: "attachment".to_owned(),
        name: request.url.clone(),
        hint: String::new(),
    };
    let attachment = Attachment::default().with_url(request.url.clone());
    let id = uploaded_id(&attachment).ok_or_else(missing)?;
    // A file without a label was not stored to its end.
    let label = read(&folder.join(format!("{id}.json"))).await?;
    let label: Label = serde_json::from_slice(&label.ok_or_else(missing)?)
        .map_err(|error| Error::internal(format!("the label of attachment `{id}`: {error}")))?;
    if label.tenant != tenant {
        return Err(missing());
    }
    read(&folder.join(id)).await?.ok_or_else(missing)
}

async fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let unreadable = |error| Error::internal(format!("reading `{}`: {error}", path.display()));
    match tokio::fs::metadata(path).await {
        Ok(metadata) if metadata.len() > MOST_BYTES => Err(Error::invalid_input(format!(
            "the attachment has {} bytes; {MOST_BYTES} are read at most",
            metadata.len()
        ))),
        Ok(_) => tokio::fs::read(path).await.map(Some).map_err(unreadable),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[tokio::test]
    async fn a_file_is_given_to_its_own_tenant() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("0a1b"), "Trip at 08:30").unwrap();
        std::fs::write(folder.path().join("0a1b.json"), r#"{"tenant":"ring"}"#).unwrap();
        std::fs::write(folder.path().join("0a1c"), "no label").unwrap();
        let ask = async |tenant: &str, url: &str| {
            let payload = serde_json::json!({ "url": url }).to_string();
            answer(folder.path(), tenant, payload.as_bytes()).await
        };
        let own = ask("ring", "/api/attachments/0a1b").await.unwrap();
        assert_eq!(own, b"Trip at 08:30");
        for (tenant, url) in [
            ("linac", "/api/attachments/0a1b"),
            ("ring", "/api/attachments/0a1c"),
            ("ring", "/api/attachments/../0a1b"),
            ("ring", "/api/attachments/"),
            ("ring", "https://log.lab.example/0a1b"),
        ] {
            let refused = ask(tenant, url).await.unwrap_err();
            assert!(
                matches!(refused, Error::NotFound { .. }),
                "{url}: {refused}"
            );
        }
    }
}
