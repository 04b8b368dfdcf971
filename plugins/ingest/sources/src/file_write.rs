//! Writing entries into a logbook that is a file.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use gannet_plugin::prelude::{Error, Record, Result, settings};
use gannet_plugin::publish::{PublishRequest, Published, Writing};
use serde_json::{Map, Value};

use crate::{add_filled, entry_logbook};

/// How entries are written into a file.
#[settings]
#[derive(PartialEq, Eq)]
pub struct FileWriteSettings {
    /// The file that new entries are added to; it is created when it does
    /// not exist. Without one the adapter only reads.
    pub path: Option<String>,
}

impl FileWriteSettings {
    /// What an instance with these settings says of itself. Who may write the
    /// file needs no credentials.
    pub fn writing(&self, source_system: &str) -> Option<Writing> {
        let path = self.path.as_ref();
        path.map(|_| Writing::new(source_system))
    }

    /// Refuses what is not the path of a file.
    ///
    /// # Errors
    /// [`Error::Setting`], where the settings of the adapter are in `write`.
    pub fn check_path(&self) -> Result<()> {
        let is_file = |path: &str| !path.is_empty() && path != "-" && !path.contains("://");
        match self.path.as_deref().is_none_or(is_file) {
            true => Ok(()),
            false => Err(Error::setting("write.path", "must be the path of a file")),
        }
    }

    /// Writes an entry under a new id, `local-` and 12 hexadecimal digits. The
    /// record of `max_bytes` at most is read first as it is read later, so that
    /// none is written that cannot be; then `append` adds it to the file.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where no file is configured,
    /// [`Error::InvalidInput`] for an entry that could not be read, and those
    /// of `append`.
    pub async fn publish<Appended: Future<Output = Result<()>> + Send>(
        &self,
        request: &PublishRequest,
        max_bytes: usize,
        read: impl FnOnce(&str) -> Record,
        append: impl FnOnce(PathBuf, String) -> Appended,
    ) -> Result<Published> {
        let message = "`write.path` of the adapter is not set, so it only reads".to_owned();
        let path = self.path.as_ref().ok_or(Error::Unavailable { message })?;
        let id = new_id();
        let record = Value::from(new_record(&id, request)).to_string();
        let unreadable =
            |why: &str| Error::invalid_input(format!("the entry cannot be read: {why}"));
        if record.len() > max_bytes {
            return Err(unreadable(&format!(
                "{} bytes, more than {max_bytes}",
                record.len()
            )));
        }
        if let Record::Rejected(rejected) = read(&record) {
            return Err(unreadable(&rejected.reason));
        }
        append(PathBuf::from(path), record).await?;
        Ok(Published::new(id))
    }
}

/// An id that no other entry has: a hash whose key the operating system draws.
fn new_id() -> String {
    let number = RandomState::new().hash_one(()) & 0xffff_ffff_ffff;
    format!("local-{number:012x}")
}

/// The record of an entry; what is empty is left out. Files that were uploaded
/// stay in the store.
fn new_record(id: &str, request: &PublishRequest) -> Map<String, Value> {
    let entry = &request.entry;
    let mut metadata = entry.metadata.clone();
    // These have keys of their own.
    let [_, tags, _] = ["title", "tags", "logbook"].map(|key| metadata.shift_remove(key));
    let books = entry_logbook(request).map(|name| vec![name]);
    let mut record = Map::new();
    for (key, value) in [
        ("id", Value::from(id)),
        ("timestamp", Value::from(entry.timestamp.to_string())),
        ("author", Value::from(entry.author.as_str())),
        ("title", Value::from(request.subject())),
        ("text", Value::from(request.details())),
        ("books", Value::from(books)),
        ("tags", Value::from(tags)),
        ("metadata", Value::from(metadata)),
    ] {
        add_filled(&mut record, key, value);
    }
    record
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::cell::RefCell;

    use gannet_plugin::ingest::RejectedRecord;
    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing;
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn request() -> PublishRequest {
        let mut entry = Entry::new("L", "Gannet", Timestamp::UNIX_EPOCH, "RF trip\n\nReset.");
        entry.author = "lee".to_owned();
        let metadata = json!({
            "title": "RF trip", "logbook": "Operations", "tags": ["rf"], "shift": "Day",
        });
        entry.metadata = metadata.as_object().unwrap().clone();
        PublishRequest::new(entry)
    }

    fn settings(path: Value) -> FileWriteSettings {
        testing::settings(json!({ "path": path })).unwrap()
    }

    fn entry(_record: &str) -> Record {
        Record::Entry(Box::new(Entry::new("x", "log", Timestamp::UNIX_EPOCH, "x")))
    }

    #[test]
    fn an_entry_is_written_as_a_record_under_a_new_id() {
        let written = RefCell::new(Vec::new());
        let append = |path: PathBuf, record: String| {
            written.borrow_mut().push((path, record));
            async { Ok(()) }
        };
        let settings = settings(json!("log.json"));
        let request = request();
        let published = settings.publish(&request, 1_000, entry, append);
        let id = pollster::block_on(published).unwrap().entry_id;

        let number = id.strip_prefix("local-").unwrap();
        assert_eq!(number.len(), 12);
        assert!(u64::from_str_radix(number, 16).is_ok(), "{id}");
        let (path, record) = written.borrow_mut().pop().unwrap();
        assert_eq!(path, PathBuf::from("log.json"));
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(
            record,
            json!({
                "id": id, "timestamp": "1970-01-01T00:00:00Z", "author": "lee",
                "title": "RF trip", "text": "Reset.", "books": ["Operations"], "tags": ["rf"],
                "metadata": {"shift": "Day"},
            })
        );
        assert_ne!(new_id(), new_id());
    }

    #[test]
    fn nothing_is_written_without_a_file_or_that_cannot_be_read() {
        let refused = |settings: &FileWriteSettings, max_bytes, read: fn(&str) -> Record| {
            let append = |_, _| async { Err(Error::internal("written")) };
            let request = request();
            let published = settings.publish(&request, max_bytes, read, append);
            pollster::block_on(published).unwrap_err()
        };
        let none = refused(&FileWriteSettings::default(), 1_000, entry);
        assert!(matches!(none, Error::Unavailable { .. }), "{none}");
        let file = settings(json!("log.json"));
        let rejecting = |_: &str| Record::Rejected(RejectedRecord::new("entry 1", "no text", ""));
        for (error, part) in [
            (refused(&file, 10, entry), "bytes, more than 10"),
            (refused(&file, 1_000, rejecting), "no text"),
        ] {
            assert!(matches!(error, Error::InvalidInput { .. }), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn it_says_that_it_writes_where_a_file_is_configured() {
        assert_eq!(settings(json!(null)).writing("log"), None);
        let writing = settings(json!("log.json")).writing("log").unwrap();
        assert_eq!(
            (writing.source_system.as_str(), writing.needs_credentials),
            ("log", false)
        );
        assert!(settings(json!(null)).check_path().is_ok());
        assert!(settings(json!("log.json")).check_path().is_ok());
        for path in ["", "-", "https://log.lab.example"] {
            let refused = settings(json!(path)).check_path();
            assert!(
                matches!(refused, Err(Error::Setting { name, .. }) if name == "write.path"),
                "{path}"
            );
        }
    }
}
