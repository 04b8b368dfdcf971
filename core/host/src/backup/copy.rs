//! One store to another, with uploaded files and API keys.

use std::path::{Path, PathBuf};

use gannet_store::{RecordCounts, Store};

use super::file_error;
use super::files::{copy_folder, make_folder};
use crate::config::Config;
use crate::error::HostError;
use crate::store_options::store_options;

/// Copies the store of one configuration to the empty one of another, with
/// entries of all tenants, vectors, states, uploaded files and API keys. A copy
/// that was cut off goes on where it stopped. `progress` is told the step, how
/// many entries are copied, and how many there are.
///
/// # Errors
/// A target with other entries; a source that cannot be read or changed since
/// the copy was begun; a copy that does not hold what was copied.
pub async fn copy(
    from: &Config,
    to: &Config,
    mut progress: impl FnMut(&'static str, u64, u64),
) -> Result<RecordCounts, HostError> {
    let options = (store_options(&from.store), store_options(&to.store));
    let counts = Store::copy(&options.0, options.1, &mut progress).await?;
    if !is_same(&from.store.path, &to.store.path) {
        // Every file that an entry names is there by now.
        copy_folder(&from.store.attachments(), &to.store.attachments())?;
    }
    copy_keys(&keys_of(from), &keys_of(to))?;
    Ok(counts)
}

fn keys_of(config: &Config) -> PathBuf {
    config.server.auth.keys_path(&config.store.path)
}

fn is_same(from: &Path, to: &Path) -> bool {
    from == to
        || matches!((from.canonicalize(), to.canonicalize()), (Ok(from), Ok(to)) if from == to)
}

/// Copies a file of keys, unless there is none or the target has one.
pub(super) fn copy_keys(from: &Path, to: &Path) -> Result<(), HostError> {
    if from.exists() && !to.exists() {
        to.parent().map_or(Ok(()), make_folder)?;
        std::fs::copy(from, to).map_err(|error| file_error(to, error))?;
    }
    Ok(())
}
