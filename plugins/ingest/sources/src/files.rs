//! Sources that are files: one, those of a folder, or standard input.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use gannet_plugin::ingest::{Opened, RecordStream, RejectedRecord, from_blocking, unreadable};
use gannet_plugin::prelude::{Error, FetchRequest, Record, Result};

type Records = Box<dyn Iterator<Item = Result<Record>>>;

/// The records of a file, or of every file of a folder, one file after
/// another: `open` gives those of one file. It runs on a thread of its own, as
/// in [`from_blocking`], and may block.
///
/// Of a folder and its subfolders the files are read that have one of the
/// `extensions`, in the order of their paths; hidden ones are left out, and
/// symlinks to folders not followed. A symlink that leaves the folder is a
/// rejected record, and so is one that leads to no file. A rejected record then
/// says which file it stands in, and a file that cannot be read ends the stream
/// as an error; where the request names the files of the folder, that is a
/// rejected record too, the last one of the file.
///
/// ```
/// use std::io::{BufRead, BufReader};
///
/// use gannet_plugin::testing::Fetched;
/// use gannet_plugin::prelude::{Entry, FetchRequest, Record};
/// use gannet_plugin::ingest;
///
/// # let folder = tempfile::tempdir().unwrap();
/// for name in ["b.txt", "a.txt", "notes.bak"] {
///     std::fs::write(folder.path().join(name), name).unwrap();
/// }
/// let source = folder.path().to_owned();
/// let stream = gannet_sources::from_files(FetchRequest::default(), source, &["txt"], |path| {
///     let lines = BufReader::new(ingest::open(path)?).lines().map_while(Result::ok);
///     let records = lines.map(|line| {
///         let entry = Entry::new(line, "notes", Default::default(), "text");
///         Ok(Record::Entry(Box::new(entry)))
///     });
///     Ok(ingest::Opened { total: None, records })
/// });
/// let fetched = pollster::block_on(async { Fetched::collect(stream.await?).await }).unwrap();
/// assert_eq!(fetched.ids(), ["a.txt", "b.txt"]);
/// ```
///
/// # Errors
/// Those of `open` for the source itself; [`Error::InvalidInput`] for a folder
/// that cannot be listed or has no such file.
pub async fn from_files<I>(
    request: FetchRequest,
    source: PathBuf,
    extensions: &'static [&'static str],
    mut open: impl FnMut(&Path) -> Result<Opened<I>> + Send + 'static,
) -> Result<RecordStream>
where
    I: Iterator<Item = Result<Record>> + 'static,
{
    let named: Vec<PathBuf> = request.files.iter().map(PathBuf::from).collect();
    from_blocking(request, move || {
        if !source.is_dir() {
            let Opened { total, records } = open(&source)?;
            let records: Records = Box::new(records);
            return Ok(Opened { total, records });
        }
        let is_named = !named.is_empty();
        let files = match is_named {
            true => named,
            false => files_of(&source, extensions)?,
        };
        let records = files
            .into_iter()
            .flat_map(move |path| match place_of(&source, &path) {
                Err(reason) => one(Ok(rejected(&path, reason))),
                Ok(place) => match open(&place) {
                    Ok(opened) => in_file(path, opened.records, is_named),
                    Err(Error::InvalidInput { message }) if is_named => {
                        one(Ok(rejected(&path, message)))
                    }
                    Err(error) => one(Err(error)),
                },
            });
        Ok(Opened {
            total: None,
            records: Box::new(records),
        })
    })
    .await
}

/// The files of a folder and of its subfolders, as paths from the folder.
fn files_of(root: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        let unreadable = |error| unreadable(&full, &error);
        for member in fs::read_dir(&full).map_err(unreadable)? {
            let member = member.map_err(unreadable)?;
            let path = folder.join(member.file_name());
            if is_hidden(&path) {
                continue;
            }
            // A symlink to a folder is not followed: it may lead back.
            let kind = member.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                folders.push(path);
            } else if has_extension(&path, extensions) && (kind.is_file() || kind.is_symlink()) {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(Error::invalid_input(format!(
            "the folder `{}` has no file that ends with .{}",
            root.display(),
            extensions.join(" or .")
        )));
    }
    files.sort();
    Ok(files)
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| extensions.iter().any(|one| own.eq_ignore_ascii_case(one)))
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_none_or(|name| name.starts_with('.'))
}

/// Where a file of the folder is read: for a symlink where it leads to.
///
/// # Errors
/// A reason, for a symlink that leaves the folder or leads to no file.
fn place_of(root: &Path, path: &Path) -> std::result::Result<PathBuf, String> {
    let place = root.join(path);
    let metadata = place.symlink_metadata();
    if !metadata.is_ok_and(|metadata| metadata.is_symlink()) {
        return Ok(place);
    }
    let without_symlinks = |path: &Path| {
        let path = path.canonicalize();
        path.map_err(|error| format!("cannot be read: {error}"))
    };
    let target = without_symlinks(&place)?;
    if !target.starts_with(without_symlinks(root)?) {
        return Err("a symlink that leaves the folder".to_owned());
    }
    match target.is_file() {
        true => Ok(target),
        false => Err("not a regular file".to_owned()),
    }
}

fn rejected(path: &Path, reason: String) -> Record {
    let position = path.display().to_string();
    Record::Rejected(RejectedRecord::new(position, reason, String::new()))
}

fn one(record: Result<Record>) -> Records {
    Box::new(iter::once(record))
}

/// Records whose positions name their file. What cannot be read ends them, and
/// of a file that was named it is a rejected record.
fn in_file(
    path: PathBuf,
    records: impl Iterator<Item = Result<Record>> + 'static,
    is_named: bool,
) -> Records {
    let name = path.display().to_string();
    let mut is_at_end = false;
    Box::new(records.map_while(move |record| {
        if is_at_end {
            return None;
        }
        Some(match record {
            Ok(Record::Rejected(mut rejected)) => {
                rejected.position = format!("{name}, {}", rejected.position);
                Ok(Record::Rejected(rejected))
            }
            Err(Error::InvalidInput { message }) if is_named => {
                is_at_end = true;
                Ok(rejected(&path, message))
            }
            other => other,
        })
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::ingest;
    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing::Fetched;

    use super::*;

    /// One entry a file, and a rejected record where it is empty.
    fn open(path: &Path) -> Result<Opened<impl Iterator<Item = Result<Record>> + use<>>> {
        let text = fs::read_to_string(path).map_err(|error| ingest::unreadable(path, &error))?;
        let record = match text.is_empty() {
            false => Record::Entry(Box::new(Entry::new(text, "x", Default::default(), "x"))),
            true => Record::Rejected(RejectedRecord::new("line 1", "empty", String::new())),
        };
        Ok(Opened {
            total: Some(1),
            records: iter::once(Ok(record)),
        })
    }

    fn fetched(source: &Path) -> Result<Fetched> {
        let stream = from_files(FetchRequest::default(), source.to_owned(), &["log"], open);
        pollster::block_on(async { Fetched::collect(stream.await?).await })
    }

    #[test]
    fn a_folder_is_read_file_by_file_in_the_order_of_paths() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("b.log", "B"),
            ("a.LOG", "A"),
            ("c.log", ""),
            (".hidden.log", "H"),
            ("notes.txt", "N"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        for name in ["d.log", ".hidden"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("e.log"), name).unwrap();
        }

        let all = fetched(folder.path()).unwrap();
        assert_eq!(all.ids(), ["A", "B", "d.log"]);
        assert_eq!(all.rejected[0].position, "c.log, line 1");
        assert_eq!(all.total, None);

        let one = fetched(&folder.path().join("notes.txt")).unwrap();
        assert_eq!((one.ids(), one.total), (vec!["N"], Some(1)));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_outside_of_the_folder_is_read_by_a_symlink() {
        use std::os::unix::fs::symlink;

        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("logs");
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(outside.path().join("secret.log"), "SECRET").unwrap();
        fs::write(folder.join("sub/b.log"), "B").unwrap();
        for (target, name) in [
            ("../secret.log", "a.log"),
            ("a.log", "chained.log"),
            ("nowhere.log", "broken.log"),
            ("sub", "folder.log"),
            ("sub/b.log", "inside.log"),
        ] {
            symlink(target, folder.join(name)).unwrap();
        }
        symlink(&folder, outside.path().join("linked")).unwrap();

        for source in [folder, outside.path().join("linked")] {
            let fetched = fetched(&source).unwrap();
            assert_eq!(fetched.ids(), ["B", "B"]);
            let rejected = fetched.rejected.iter().map(|rejected| {
                let (position, reason) = (&rejected.position, &rejected.reason);
                format!("{position}: {reason}")
            });
            let rejected: Vec<String> = rejected.collect();
            assert_eq!(rejected[0], "a.log: a symlink that leaves the folder");
            assert!(rejected[1].starts_with("broken.log: cannot be read: "));
            assert_eq!(rejected[2], "chained.log: a symlink that leaves the folder");
            assert_eq!(rejected[3], "folder.log: not a regular file");
            assert_eq!(rejected.len(), 4);
        }
    }

    #[test]
    fn of_the_files_that_are_named_one_that_cannot_be_read_is_a_rejected_record() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.log", "b.txt", "c.log"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let request = FetchRequest::default().with_files(vec![
            "none.log".to_owned(),
            "b.txt".to_owned(),
            "../outside.log".to_owned(),
            "c.log".to_owned(),
        ]);
        let stream = from_files(request, folder.path().to_owned(), &["log"], open);
        let fetched = pollster::block_on(async { Fetched::collect(stream.await?).await }).unwrap();
        assert_eq!(fetched.ids(), ["b.txt", "c.log"]);
        let positions = fetched
            .rejected
            .iter()
            .map(|record| record.position.as_str());
        let positions: Vec<&str> = positions.collect();
        assert_eq!(positions, ["none.log", "../outside.log"]);
    }

    #[test]
    fn a_named_file_that_cannot_be_read_to_its_end_is_rejected_and_the_next_one_read() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.log", "b.log"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let damaged = || Err(Error::invalid_input("damaged"));
        let open = move |path: &Path| {
            let name = fs::read_to_string(path).unwrap();
            let entry = Entry::new(&name, "x", Default::default(), "x");
            let entry = Ok(Record::Entry(Box::new(entry)));
            let records = match name.as_str() {
                "a.log" => vec![entry, damaged(), damaged()],
                _ => vec![entry],
            };
            Ok(Opened {
                total: None,
                records: records.into_iter(),
            })
        };
        let names = vec!["a.log".to_owned(), "b.log".to_owned()];
        let request = FetchRequest::default().with_files(names);
        let stream = from_files(request, folder.path().to_owned(), &["log"], open);
        let fetched = pollster::block_on(async { Fetched::collect(stream.await?).await }).unwrap();
        assert_eq!(fetched.ids(), ["a.log", "b.log"]);
        assert_eq!(fetched.rejected.len(), 1);
        let rejected = &fetched.rejected[0];
        assert_eq!(
            (&*rejected.position, &*rejected.reason),
            ("a.log", "damaged")
        );
    }

    #[test]
    fn a_folder_without_such_a_file_is_an_error_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let error = fetched(folder.path()).unwrap_err().to_string();
        assert!(error.contains("has no file that ends with .log"), "{error}");
        assert!(error.contains(&folder.path().display().to_string()));
    }
}
