//! Files of a backup: copied, described and compared.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Backup, file_error, refused};
use crate::error::HostError;

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// Its size.
    pub bytes: u64,
    /// Hexadecimal.
    pub sha256: String,
}

/// Makes a folder that only its owner may enter: a backup has the entries of
/// all tenants.
pub(super) fn make_folder(folder: &Path) -> Result<(), HostError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    made.map_err(|error| file_error(folder, error))
}

/// Copies the files of a folder, if there is one. Files that are still being
/// written (`.part`) are left out.
pub(super) fn copy_folder(from: &Path, to: &Path) -> Result<(), HostError> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(file_error(from, error)),
    };
    make_folder(to)?;
    for entry in entries {
        let entry = entry.map_err(|error| file_error(from, error))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry
            .file_type()
            .map_err(|error| file_error(&path, error))?;
        let is_whole = path.extension().is_none_or(|ending| ending != "part");
        // A symlink may lead out of the folder.
        if kind.is_file() && is_whole {
            let copied = to.join(name);
            fs::copy(&path, &copied).map_err(|error| file_error(&path, error))?;
            sync(&copied)?;
        }
    }
    Ok(())
}

fn sync(path: &Path) -> Result<(), HostError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| file_error(path, error))
}

/// Every file below a folder.
pub(super) fn describe(folder: &Path) -> Result<BTreeMap<String, BackupFile>, HostError> {
    let mut files = BTreeMap::new();
    describe_below(folder, "", &mut files)?;
    Ok(files)
}

fn describe_below(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, BackupFile>,
) -> Result<(), HostError> {
    for entry in fs::read_dir(folder).map_err(|error| file_error(folder, error))? {
        let entry = entry.map_err(|error| file_error(folder, error))?;
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match path.is_dir() {
            true => describe_below(&path, &format!("{name}/"), files)?,
            false => drop(files.insert(name, file_of(&path)?)),
        }
    }
    Ok(())
}

fn file_of(path: &Path) -> Result<BackupFile, HostError> {
    let mut file = File::open(path).map_err(|error| file_error(path, error))?;
    let mut hash = HashWriter(Sha256::new());
    let bytes = io::copy(&mut file, &mut hash).map_err(|error| file_error(path, error))?;
    let digest = hash.0.finalize();
    let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(BackupFile { bytes, sha256 })
}

struct HashWriter(Sha256);

impl io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compares files with their description.
///
/// # Errors
/// The first file that is missing or another one.
pub(super) fn compare(
    folder: &Path,
    described: &BTreeMap<String, BackupFile>,
) -> Result<(), HostError> {
    for (name, expected) in described {
        let path = folder.join(name);
        if !path.is_file() {
            return Err(refused(format!(
                "{} is missing; use another backup",
                path.display()
            )));
        }
        if file_of(&path)? != *expected {
            return Err(refused(format!(
                "{} is damaged: its size or SHA-256 is another one; use another backup",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The last file of a backup.
pub(super) fn write_description(path: &Path, backup: &Backup) -> Result<(), HostError> {
    let text = serde_json::to_vec_pretty(backup)
        .map_err(|error| file_error(path, io::Error::other(error)))?;
    fs::write(path, text).map_err(|error| file_error(path, error))?;
    sync(path)
}
