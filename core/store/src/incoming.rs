//! Entries on their way into a database.

use std::collections::HashMap;

use gannet_api::{Attachment, Entry};

use crate::content::{content_hash, text_hash};
use crate::error::StoreError;

/// How the address of a file begins that was uploaded to this service. Its id
/// follows.
pub const UPLOADED: &str = "/api/attachments/";

/// An entry on its way into the database.
#[derive(Clone)]
pub(crate) struct Incoming {
    pub(crate) entry: Entry,
    pub(crate) content_hash: Vec<u8>,
    pub(crate) text_hash: i64,
}

impl Incoming {
    /// An entry that comes again without attachments keeps those that it had:
    /// many sources name them once. One that comes with some keeps the files
    /// that were uploaded here, which its source cannot name. The hash is that
    /// of the whole, so that an entry without any other change stays unchanged.
    pub(crate) fn keep_attachments(&mut self, stored: &[Attachment]) {
        let kept: Vec<Attachment> = self.kept_of(stored).cloned().collect();
        if !kept.is_empty() {
            self.entry.attachments.extend(kept);
            self.content_hash = content_hash(&self.entry);
        }
    }

    /// Whether the entry keeps any of the stored attachments that did not come.
    pub(crate) fn keeps_any(&self, stored: &[Attachment]) -> bool {
        self.kept_of(stored).next().is_some()
    }

    fn kept_of<'a>(&'a self, stored: &'a [Attachment]) -> impl Iterator<Item = &'a Attachment> {
        let came = &self.entry.attachments;
        stored.iter().filter(move |file| {
            let is_uploaded = file
                .url
                .as_deref()
                .is_some_and(|url| url.starts_with(UPLOADED));
            let did_come = || came.iter().any(|other| other.url == file.url);
            came.is_empty() || (is_uploaded && !did_come())
        })
    }
}

/// Refuses what cannot be stored. Of two entries with one id, the later one
/// counts.
pub(crate) fn prepare(entries: Vec<Entry>) -> Result<Vec<Incoming>, StoreError> {
    let mut position: HashMap<(String, String), usize> = HashMap::with_capacity(entries.len());
    let mut incoming: Vec<Incoming> = Vec::with_capacity(entries.len());
    for entry in entries {
        check(&entry)?;
        let key = (entry.tenant.clone(), entry.entry_id.clone());
        let item = Incoming {
            content_hash: content_hash(&entry),
            text_hash: text_hash(&entry.raw_text),
            entry,
        };
        match position.get(&key) {
            Some(&earlier) => {
                let before = std::mem::replace(&mut incoming[earlier], item);
                incoming[earlier].keep_attachments(&before.entry.attachments);
            }
            None => {
                position.insert(key, incoming.len());
                incoming.push(item);
            }
        }
    }
    Ok(incoming)
}

fn check(entry: &Entry) -> Result<(), StoreError> {
    let reason = if entry.entry_id.is_empty() {
        "its id is empty"
    } else if entry.tenant.is_empty() {
        "its tenant is empty"
    } else {
        return Ok(());
    };
    Err(StoreError::InvalidEntry {
        entry_id: entry.entry_id.clone(),
        reason: reason.to_owned(),
    })
}
