//! Taking out of the files what deleted entries left there: free pages of the
//! database and its log, documents of text segments, rows of vector segments.
//!
//! The process that writes the indexes does it. A file in the store's folder
//! asks for it, so that another process can ask, and that a crash on the way
//! leaves the request behind.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Command, EmbeddedStore};
use crate::error::StoreError;

/// How long a process waits for the one that writes the indexes.
const PATIENCE: Duration = Duration::from_secs(600);

fn request(folder: &Path) -> PathBuf {
    folder.join("erase.requested")
}

/// Whether somebody asked for it.
pub(super) fn is_requested(folder: &Path) -> bool {
    request(folder).exists()
}

/// Notes that it is done.
pub(super) fn done(folder: &Path) -> Result<(), StoreError> {
    let path = request(folder);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(StoreError::io("remove", &path, error))
        }
        _ => Ok(()),
    }
}

impl EmbeddedStore {
    /// Takes what deleted entries left out of the files, see
    /// [`Store::erase`](crate::Store::erase).
    pub async fn erase(&self) -> Result<(), StoreError> {
        let shared = &self.0.shared;
        shared
            .records
            .refuse_when_read_only("erase what was deleted")?;
        let folder = &shared.options.path;
        let path = request(folder);
        std::fs::write(&path, []).map_err(|error| StoreError::io("write", &path, error))?;
        match self.0.projector.ask(Command::Erase).await {
            Err(StoreError::NotTheWriter { .. }) => self.wait_for_writer().await,
            outcome => outcome,
        }
    }

    /// Waits until the process that writes the indexes has done it, or until
    /// this one has become the writer and does it.
    async fn wait_for_writer(&self) -> Result<(), StoreError> {
        let options = &self.0.shared.options;
        let patience = Instant::now() + PATIENCE;
        while is_requested(&options.path) {
            if Instant::now() > patience {
                return Err(StoreError::NotTheWriter {
                    path: options.path.clone(),
                });
            }
            tokio::time::sleep(options.commit_every).await;
        }
        // The new indexes are opened here too.
        self.0.projector.ask(Command::CatchUp).await
    }
}
