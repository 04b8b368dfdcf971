//! A store as the copy of another one.

use std::path::Path;

use crate::embedded::projector::Command;
use crate::embedded::records::Records;
use crate::embedded::{EmbeddedStore, Inner};
use crate::error::StoreError;
use crate::options::EmbeddedOptions;

/// What a folder is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be the truth.
    Store,
    /// To be the replica of a database.
    Copy,
}

/// Keeps the two apart: what is written into a copy would be lost, and a copy
/// made in a store would delete it.
pub(super) async fn check(
    records: &Records,
    purpose: Purpose,
    folder: &Path,
) -> Result<(), StoreError> {
    let refuse = |what: &str| {
        let folder = folder.display();
        Err(StoreError::InvalidRequest {
            message: format!("{folder} holds {what}; name another folder"),
        })
    };
    match (purpose, records.is_copy().await?) {
        (Purpose::Store, false) | (Purpose::Copy, true) => Ok(()),
        (Purpose::Store, true) => refuse("the replica of a database"),
        (Purpose::Copy, false) if records.is_used().await? => refuse("a store of its own"),
        (Purpose::Copy, false) => records.become_copy().await,
    }
}

impl EmbeddedStore {
    /// Opens the replica of a database in a folder.
    pub(crate) async fn open_copy(options: EmbeddedOptions) -> Result<Self, StoreError> {
        Self::open_as(options, Purpose::Copy).await
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.inner().shared.options.path
    }

    pub(crate) fn copied(&self) -> &Records {
        self.records()
    }

    /// Tells the indexes that there are changes.
    pub(crate) fn wake(&self) {
        self.inner().projector.wake();
    }

    /// Brings in what is committed, as far as this process may.
    pub(crate) async fn catch_up(&self) -> Result<(), StoreError> {
        self.inner().projector.ask(Command::CatchUp).await
    }

    fn inner(&self) -> &Inner {
        &self.0
    }
}
