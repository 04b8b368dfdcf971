//! A file for each message.

use std::path::Path;

use super::{DeliveryError, Message};
use crate::config::FileDelivery;

/// Writes the file of a message. It replaces one of the same message.
pub(super) async fn write(to: &FileDelivery, message: &Message) -> Result<(), DeliveryError> {
    let path = to.folder.join(format!("{}.txt", message.id));
    let text = format!("{}\n\n{}\n", message.title, message.text);
    replace(&path, text).await
}

/// Replaces a file as a whole, so that nobody reads a half of it.
pub(super) async fn replace(path: &Path, content: String) -> Result<(), DeliveryError> {
    let failed = |source| DeliveryError::File {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await.map_err(failed)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    tokio::fs::write(&beside, content).await.map_err(failed)?;
    tokio::fs::rename(&beside, path).await.map_err(failed)
}
