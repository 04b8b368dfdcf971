//! The files of a folder and of its subfolders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files of a folder at most.
const MAX_FILES: usize = 1_000_000;
/// Folders in each other at most.
const MAX_DEPTH: usize = 64;

/// What a folder holds, in the order of the names.
pub(super) struct FileList {
    pub(super) found: Vec<Found>,
}

/// One file.
pub(super) struct Found {
    /// The path from the folder, with `/`.
    pub(super) name: String,
    /// Where it is read, or why it is not.
    pub(super) path: Result<PathBuf, String>,
}

impl FileList {
    /// A file alone, whatever leads to it.
    pub(super) fn of_file(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        Self {
            found: vec![Found {
                name: name.to_string_lossy().into_owned(),
                path: Ok(path.to_owned()),
            }],
        }
    }

    /// Lists a folder without hidden files and without what is `excluded`, by
    /// its canonical path. Symlinks to folders are not followed.
    ///
    /// # Errors
    /// The folder cannot be read, or has too many files.
    pub(super) fn of(root: &Path, excluded: &[PathBuf]) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let mut found = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let full = root.join(&folder);
            if excluded.contains(&full) {
                continue;
            }
            let members = match fs::read_dir(&full) {
                Ok(_) if folder.iter().count() > MAX_DEPTH => Err("too deep".to_owned()),
                Ok(members) => Ok(members),
                Err(error) if folder.as_os_str().is_empty() => return Err(error),
                Err(error) => Err(format!("cannot be read: {error}")),
            };
            let members = match members {
                Ok(members) => members,
                Err(reason) => {
                    found.push(Found::not_read(&folder, reason));
                    continue;
                }
            };
            for member in members {
                let member = member?;
                let name = member.file_name();
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                let path = folder.join(&name);
                match member.file_type()?.is_dir() {
                    true => folders.push(path),
                    false if excluded.contains(&root.join(&path)) => {}
                    false => found.push(Found::of(&root, &path)),
                }
            }
            if found.len() > MAX_FILES {
                let message = format!("it has more than {MAX_FILES} files");
                return Err(io::Error::other(message));
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self { found })
    }
}

impl Found {
    fn of(root: &Path, path: &Path) -> Self {
        let place = match path.to_str() {
            Some(_) => place_of(root, path),
            None => Err("its name is not UTF-8".to_owned()),
        };
        Self {
            name: name_of(path),
            path: place,
        }
    }

    fn not_read(path: &Path, reason: String) -> Self {
        Self {
            name: name_of(path) + "/",
            path: Err(reason),
        }
    }
}

/// One name on every system.
fn name_of(path: &Path) -> String {
    let parts = path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Where a file is, for a symlink where it leads to.
fn place_of(root: &Path, path: &Path) -> Result<PathBuf, String> {
    let target = root.join(path).canonicalize();
    let target = target.map_err(|error| format!("cannot be read: {error}"))?;
    if !target.starts_with(root) {
        return Err("a symlink that leaves the folder".to_owned());
    }
    if target.is_dir() {
        return Err("a symlink to a folder, which is not followed".to_owned());
    }
    match target.is_file() {
        true => Ok(target),
        false => Err("not a regular file".to_owned()),
    }
}
