//! Where a dylib may lie.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::LoadError;

/// A regular file in an allowed folder; both without links and `..`.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// The allowed folder that it lies in, perhaps some levels down.
    pub(super) dir: PathBuf,
}

/// The place of a file. A relative name is looked for in the folders, in
/// their order.
pub(super) fn find(file: &str, dirs: &[PathBuf]) -> Result<Place, LoadError> {
    if dirs.is_empty() {
        return Err(LoadError::NoFolders);
    }
    let path = without_links(&named(file, dirs)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => LoadError::NotFound {
            file: file.to_owned(),
            folders: list(dirs),
        },
        _ => unreadable(Path::new(file), &error),
    })?;
    let Some(dir) = innermost(&path, dirs) else {
        return Err(LoadError::Outside {
            path,
            folders: list(dirs),
        });
    };
    // A pipe or a device is not even opened.
    if !path.is_file() {
        return Err(LoadError::NotAFile { path });
    }
    Ok(Place { path, dir })
}

/// The path without links and `..`.
pub(super) fn without_links(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize()
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> LoadError {
    LoadError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

/// The first folder that has something of this name; the name in the first
/// folder when none has. An absolute name stays what it is.
fn named(file: &str, dirs: &[PathBuf]) -> PathBuf {
    let candidates = || dirs.iter().map(|dir| dir.join(file));
    candidates()
        .find(|path| path.symlink_metadata().is_ok())
        .or_else(|| candidates().next())
        .unwrap_or_default()
}

/// The deepest allowed folder that holds the path: what lies above it was
/// allowed separately.
fn innermost(path: &Path, dirs: &[PathBuf]) -> Option<PathBuf> {
    dirs.iter()
        .filter_map(|dir| without_links(dir).ok())
        .filter(|dir| path.starts_with(dir) && path != dir)
        .max_by_key(|dir| dir.components().count())
}

fn list(dirs: &[PathBuf]) -> String {
    let dirs: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
    dirs.join(", ")
}
