//! The configuration file that settings are written into.

use std::path::{Path, PathBuf};

use gannet_core::config::EditError;

use crate::arguments::Common;
use crate::failure::Failure;
use crate::render::GOOD;

/// The file that settings are written into.
pub fn config_file(common: &Common) -> PathBuf {
    let named = common.config.clone();
    named.unwrap_or_else(|| PathBuf::from("config.yml"))
}

/// Changes the text of the configuration file, and keeps the file of before.
/// `what` names the change; `by_hand` says what to do where the text cannot be
/// changed.
pub fn rewrite(
    common: &Common,
    what: &str,
    by_hand: &str,
    change: impl FnOnce(String) -> Result<String, EditError>,
) -> Result<(), Failure> {
    let file = config_file(common);
    let failed = |error: std::io::Error| Failure::store(format!("{}: {error}", file.display()));
    let old = match std::fs::read_to_string(&file) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let new = change(old.clone().unwrap_or_default())
        .map_err(|error| Failure::usage(format!("{}: {error}; {by_hand}", file.display())))?;
    let backup = match &old {
        Some(old) => Some(keep(&file, old).map_err(failed)?),
        None => None,
    };
    replace(&file, &new).map_err(failed)?;
    let kept = backup.map(|backup| format!("; the file of before is {}", backup.display()));
    errln!(
        "{GOOD}wrote{GOOD:#} {what} into {}{}",
        file.display(),
        kept.unwrap_or_default()
    );
    Ok(())
}

/// Writes a configuration file that is not there yet.
pub fn write_new(file: &Path, text: &str) -> Result<(), Failure> {
    use std::io::Write;

    let new = std::fs::File::create_new(file);
    let written = new.and_then(|mut new| new.write_all(text.as_bytes()));
    written.map_err(|error| Failure::store(format!("{}: {error}", file.display())))
}

/// Copies a text to the first name `FILE.bak`, `FILE.bak2`, … that is free.
fn keep(file: &Path, text: &str) -> std::io::Result<PathBuf> {
    use std::io::Write;

    let mut number = 1;
    loop {
        let mut name = file.as_os_str().to_owned();
        name.push(match number {
            1 => ".bak".to_owned(),
            number => format!(".bak{number}"),
        });
        match std::fs::File::create_new(&name) {
            Ok(mut backup) => {
                // It may hold what others must not read.
                keep_access(file, Path::new(&name))?;
                backup.write_all(text.as_bytes())?;
                return Ok(PathBuf::from(name));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Writes a file as a whole: whoever reads it meanwhile sees the old or the new
/// one.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;

    // A symlink stays one.
    let Ok(file) = file.canonicalize() else {
        return std::fs::write(file, text);
    };
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut new = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    keep_access(&file, new.path())?;
    new.persist(&file)?;
    Ok(())
}

/// Gives a new file the owner, the group and the permissions of an old one.
fn keep_access(old: &Path, new: &Path) -> std::io::Result<()> {
    let known = old.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, chown};

        let own = new.metadata()?;
        if (own.uid(), own.gid()) != (known.uid(), known.gid()) {
            chown(new, Some(known.uid()), Some(known.gid()))?;
        }
    }
    std::fs::set_permissions(new, known.permissions())
}
