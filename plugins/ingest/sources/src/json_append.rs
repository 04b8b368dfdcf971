//! Adding a member to the list in a JSON file.
//!
//! The rest of the file stays as it is, byte for byte. The new file is written
//! beside the old one and takes its place, so that a reader and a crash find
//! one of the two, whole. Writers wait for each other.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gannet_plugin::prelude::{Error, Result};
use serde_json::Value;

use crate::JsonListOptions;
use crate::json_list::{find_list, read_bytes};
use crate::locked_file::{LockedFile, hidden_beside, on_thread, unwritable};

/// Adds a member, given as its JSON, to the end of the list in a JSON file.
/// The list is found as [`JsonList::read`](crate::JsonList::read) finds it; a
/// file that does not exist is created, with the list under the first of the
/// keys. What is written is on the disk when this returns.
///
/// ```
/// use gannet_sources::{JsonListOptions, append_to_json_list};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("log.json");
/// std::fs::write(&path, r#"{"by": "ops", "entries": [{"id": 1}]}"#).unwrap();
/// let options = JsonListOptions {
///     keys: vec!["entries".to_owned()],
///     max_bytes: 1 << 20,
///     is_whole: true,
/// };
/// let member = r#"{"id": 2}"#.to_owned();
/// pollster::block_on(append_to_json_list(path.clone(), options, member)).unwrap();
/// let text = std::fs::read_to_string(&path).unwrap();
/// assert_eq!(text, "{\"by\": \"ops\", \"entries\": [{\"id\": 1},\n  {\"id\": 2}\n]}");
/// ```
///
/// # Errors
/// [`Error::InvalidInput`] for a file that cannot be read or has no such list,
/// and where it would have more than `max_bytes`; [`Error::Unavailable`] where
/// it cannot be written. After these nothing was written. [`Error::Internal`]
/// where it is not known whether the member survives a crash.
pub async fn append_to_json_list(
    path: PathBuf,
    options: JsonListOptions,
    member: String,
) -> Result<()> {
    on_thread(path, move |path| append(path, &options, &member)).await
}

fn append(path: &Path, options: &JsonListOptions, member: &str) -> Result<()> {
    let failed = |error| unwritable(path, &error);
    let locked = LockedFile::wait_for(path)?;
    let old = match locked.exists {
        true => {
            // A file that nobody may write to is not replaced either.
            let writable = OpenOptions::new().write(true).open(&locked.target);
            writable.map_err(failed)?;
            read_bytes(&locked.target, options.max_bytes)?
        }
        false => empty_document(&options.keys),
    };
    let new = with_member(path, &old, options, member)?;
    replace(&locked.target, &new).map_err(failed)?;
    locked.sync_name()
}

/// The document of a new file, with an empty list.
fn empty_document(keys: &[String]) -> Vec<u8> {
    let key = keys.first().map_or("", String::as_str);
    let parts = key.split('.').filter(|part| !part.is_empty());
    let document = parts.rev().fold("[]".to_owned(), |inner, part| {
        format!("{{{}: {inner}}}", Value::from(part))
    });
    format!("{document}\n").into_bytes()
}

/// The bytes of the file with one more member.
fn with_member(
    path: &Path,
    old: &[u8],
    options: &JsonListOptions,
    member: &str,
) -> Result<Vec<u8>> {
    let keys: Vec<&str> = options.keys.iter().map(String::as_str).collect();
    let place = find_list(path, old, &keys)?;
    let (before, behind) = old.split_at(place.end);
    let separator: &[u8] = match place.count {
        0 => b"\n  ",
        _ => b",\n  ",
    };
    let new = [
        before.trim_ascii_end(),
        separator,
        member.as_bytes(),
        b"\n",
        behind,
    ]
    .concat();
    if new.len() as u64 > options.max_bytes {
        return Err(Error::invalid_input(format!(
            "`{}` would be larger than `max_bytes` ({}) with the entry: begin a new file, or raise \
             the setting",
            path.display(),
            options.max_bytes
        )));
    }
    // A good file is never replaced by one that cannot be read.
    match find_list(path, &new, &keys)?.count == place.count + 1 {
        true => Ok(new),
        false => Err(Error::invalid_input(
            "what is to be added is not one JSON value",
        )),
    }
}

/// Writes the bytes beside the file, and puts them in its place.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = hidden_beside(target, ".unfinished")?;
    let replaced = write_draft(&draft, target, bytes).and_then(|()| fs::rename(&draft, target));
    if replaced.is_err() {
        // The first error is the one that counts, and the next writer begins
        // the file anew.
        let _ = fs::remove_file(&draft);
    }
    replaced
}

fn write_draft(draft: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(draft)?;
    match fs::metadata(target) {
        Ok(metadata) => {
            file.set_permissions(metadata.permissions())?;
            // Last: afterwards it may be the file of somebody else.
            keep_owner(&file, &metadata);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives the new file the owner and the group of the old one, as far as this
/// process may: only root gives files away, others choose among their groups.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let group = Some(old.gid());
    if fchown(file, Some(old.uid()), group).is_err() {
        // Then it belongs to the user of this process, as documented.
        let _ = fchown(file, None, group);
    }
}

/// Other systems give a file the owner of its folder, or none.
#[cfg(not(unix))]
fn keep_owner(_file: &File, _old: &Metadata) {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::thread;

    use tempfile::TempDir;

    use super::*;
    use crate::JsonList;

    fn options(key: &str) -> JsonListOptions {
        JsonListOptions {
            keys: vec![key.to_owned()],
            max_bytes: 1_000,
            is_whole: true,
        }
    }

    /// Adds a member to a file with this text; what is in it then.
    fn appended(text: &[u8], key: &str, member: &str) -> (Result<()>, Vec<u8>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        fs::write(&path, text).unwrap();
        let outcome = append(&path, &options(key), member);
        (outcome, fs::read(&path).unwrap(), folder)
    }

    fn names(folder: &TempDir) -> Vec<String> {
        let files = fs::read_dir(folder.path()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn the_rest_of_the_file_stays_as_it_was_byte_for_byte() {
        for (old, new) in [
            ("[]", "[\n  7\n]"),
            (" [ 1, \"]\" ]\n", " [ 1, \"]\",\n  7\n]\n"),
            (
                "{\"n\": 1.0e2, \"a\": {\"b\": [\n{}\n]}, \"z\": [2]}",
                "{\"n\": 1.0e2, \"a\": {\"b\": [\n{},\n  7\n]}, \"z\": [2]}",
            ),
            (
                "\u{feff}{\"a.b\": 1, \"a\": {\"b\": [ ] } }",
                "\u{feff}{\"a.b\": 1, \"a\": {\"b\": [\n  7\n] } }",
            ),
        ] {
            let (outcome, bytes, folder) = appended(old.as_bytes(), "a.b", "7");
            assert_eq!(outcome, Ok(()), "{old}");
            assert_eq!(String::from_utf8(bytes).unwrap(), new);
            assert_eq!(names(&folder), [".log.json.lock", "log.json"]);
        }
    }

    #[test]
    fn a_file_that_does_not_exist_is_made_with_the_list_under_the_first_key() {
        for (key, text) in [
            ("entries", "{\"entries\": [\n  7\n]}\n"),
            ("data.items", "{\"data\": {\"items\": [\n  7\n]}}\n"),
            ("", "[\n  7\n]\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.json");
            append(&path, &options(key), "7").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("no/such/folder.json");
        let refused = append(&nowhere, &options("entries"), "7").unwrap_err();
        assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
        assert!(refused.to_string().contains("folder.json"), "{refused}");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_refused_and_left_as_it_was() {
        let large = format!("[\"{}\"]", "x".repeat(995));
        let too_large = format!("[\"{}\"]", "x".repeat(1_995));
        for (text, member, part) in [
            ("{\"other\": []}", "7", "no such key"),
            ("[1, ", "7", "neither a JSON array"),
            ("", "7", "neither a JSON array"),
            (
                large.as_str(),
                "7",
                "would be larger than `max_bytes` (1000)",
            ),
            (too_large.as_str(), "7", "is larger than `max_bytes` (1000)"),
            ("[1]", "7, 8", "not one JSON value"),
            ("[1]", "{", "neither a JSON array"),
        ] {
            let (outcome, bytes, folder) = appended(text.as_bytes(), "entries", member);
            let refused = outcome.unwrap_err();
            assert!(matches!(refused, Error::InvalidInput { .. }), "{text}");
            assert!(refused.to_string().contains(part), "{refused}");
            assert_eq!(bytes, text.as_bytes());
            assert_eq!(names(&folder), [".log.json.lock", "log.json"]);
        }
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..8 {
                        let member = (writer * 8 + number).to_string();
                        append(path, &options("entries"), &member).unwrap();
                    }
                });
            }
        });
        let list = JsonList::read(&path, 1_000, &["entries"]).unwrap();
        let mut numbers: Vec<u32> = list.map(|one| one.unwrap().parse().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..32).collect::<Vec<u32>>());
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_stays_and_so_do_the_permissions_of_the_file() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        let link = folder.path().join("link.json");
        fs::write(&path, "[1]").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();

        append(&link, &options("entries"), "7").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "[1,\n  7\n]");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
    }

    /// Fails with the rights of root alone; others cannot give a file away.
    #[cfg(unix)]
    #[test]
    fn owner_and_group_of_the_file_stay_where_they_may_be_set() {
        use std::os::unix::fs::{MetadataExt, chown};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        fs::write(&path, "[1]").unwrap();
        // Where this is refused, it is the file of this user.
        let _ = chown(&path, Some(65_534), Some(65_534));
        let owned = |path: &Path| fs::metadata(path).map(|file| (file.uid(), file.gid()));
        let before = owned(&path).unwrap();

        append(&path, &options("entries"), "7").unwrap();
        assert_eq!(owned(&path).unwrap(), before);
    }
}
