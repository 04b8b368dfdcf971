//! Looking at a store from outside, and bringing it up to date.

use std::path::Path;

use crate::embedded::{self, FORMAT};
use crate::error::StoreError;
use crate::finding::Finding;
use crate::migration::MigrationReport;
use crate::options::{EmbeddedOptions, StoreOptions};
use crate::postgres::{self, Owner};
use crate::store::Store;

/// What is to be done without `store.db`.
const RESTORE_RECORDS: &str = "put a copy of `store.db` back and run `gannet index rebuild`, or \
    restore a backup into a new folder with `gannet restore`; without either, remove the folder \
    and ingest the sources again";

impl Store {
    /// Looks at a store without opening or changing it. What is wrong with it
    /// is in the findings, also when it cannot be reached.
    pub async fn examine(options: &StoreOptions) -> Vec<Finding> {
        match options {
            StoreOptions::Embedded(options) => vec![folder(&options.path)],
            StoreOptions::Postgres(options) => postgres::examine(options, Owner::Gannet).await,
            StoreOptions::Mirrored { postgres, folder } => {
                with_copy(postgres::examine(postgres, Owner::Gannet).await, folder)
            }
            StoreOptions::Ariel { postgres, folder } => {
                with_copy(postgres::examine(postgres, Owner::Ariel).await, folder)
            }
        }
    }

    /// Compares the indexes in a store's folder with its records, without
    /// opening the store or changing anything; other processes may go on
    /// working with it. `deep` also reads every byte of the indexes, every
    /// stored vector, and every page of a large database. PostgreSQL keeps its own indexes up: of a store there,
    /// the copy in the folder is looked at, and nothing when it has none.
    pub async fn verify(options: &StoreOptions, deep: bool) -> Vec<Finding> {
        match options {
            StoreOptions::Embedded(folder)
            | StoreOptions::Mirrored { folder, .. }
            | StoreOptions::Ariel { folder, .. } => embedded::verify(folder, deep).await,
            StoreOptions::Postgres(_) => Vec::new(),
        }
    }

    /// Brings a store to this program's schema, and adopts what ARIEL wrote
    /// in its database; in a dry run only says what that would be. A folder's
    /// schema is brought up to date whenever it is opened.
    ///
    /// # Errors
    /// A store that cannot be reached, that a newer program wrote, or whose
    /// server lacks what is needed.
    pub async fn migrate(
        options: StoreOptions,
        dry_run: bool,
    ) -> Result<MigrationReport, StoreError> {
        match options {
            StoreOptions::Embedded(options) => open_and_close(options).await,
            StoreOptions::Postgres(options) => postgres::migrate(options, dry_run).await,
            StoreOptions::Mirrored { postgres, .. } => postgres::migrate(postgres, dry_run).await,
            StoreOptions::Ariel { postgres, .. } => Err(StoreError::OnlyRead {
                database: postgres.database(),
                action: "migrate it",
            }),
        }
    }
}

/// The copy is behind the database's findings.
fn with_copy(mut findings: Vec<Finding>, copy: &EmbeddedOptions) -> Vec<Finding> {
    let copy = folder(&copy.path);
    findings.push(Finding {
        check: "copy".to_owned(),
        ..copy
    });
    findings
}

fn folder(path: &Path) -> Finding {
    let check = "folder";
    let message = path.display().to_string();
    if path.join("store.db").exists() {
        return Finding::ok(check, message);
    }
    if let Err(error) = embedded::check_for_lost_records(path) {
        return Finding::fail(check, error.to_string(), RESTORE_RECORDS);
    }
    Finding::warn(
        check,
        format!("{message} is empty"),
        "nothing: it is created at first use",
    )
}

async fn open_and_close(options: EmbeddedOptions) -> Result<MigrationReport, StoreError> {
    let path = options.path.display().to_string();
    let store = Store::open(StoreOptions::Embedded(options)).await?;
    let entries = store.stats().await?.entries;
    store.close().await?;
    Ok(MigrationReport {
        store: path,
        from: FORMAT,
        to: FORMAT,
        steps: Vec::new(),
        adopted: 0,
        entries,
    })
}
