//! Files that were uploaded with entries: which of them an entry names, and
//! which are needed no more.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gannet_api::{Attachment, Entry, Filter};
use gannet_store::{Cursor, ListRequest, Page, UPLOADED};
use serde::Deserialize;

use crate::{Gannet, HostError};

/// Entries that are read at once.
const BATCH: usize = 500;
/// Hexadecimal digits of the id that an upload gives a file.
const ID_DIGITS: usize = 32;
/// A file that no entry names is kept so long: its entry may not be stored
/// yet.
const GRACE: Duration = Duration::from_hours(24);
/// How the name of a label ends.
const LABEL_ENDING: &str = ".json";

/// Ids of files, each with the tenants whose entries name it.
#[derive(Debug, Default)]
pub(crate) struct Mentions(BTreeMap<String, BTreeSet<String>>);

/// Entries that are to be deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Going<'a> {
    /// Whose entries; those of all tenants when missing.
    pub(crate) tenant: Option<&'a str>,
    pub(crate) filter: &'a Filter,
}

/// Files that can be removed.
#[derive(Debug, Default)]
pub(crate) struct Unneeded {
    /// Of entries that are deleted.
    pub(crate) of_deleted: BTreeSet<String>,
    /// Older ones that no entry names.
    pub(crate) unnamed: BTreeSet<String>,
}

/// The folder of the files. Beside each there is a label with its tenant.
pub(crate) struct UploadedFiles(PathBuf);

/// What stands beside a file, as far as it matters here.
#[derive(Deserialize)]
struct Label {
    tenant: String,
}

impl Mentions {
    /// Adds the files that an entry of a tenant names.
    pub(crate) fn add(&mut self, tenant: &str, entry: &Entry) {
        for id in entry.attachments.iter().filter_map(uploaded_id) {
            let tenants = self.0.entry(id.to_owned()).or_default();
            tenants.insert(tenant.to_owned());
        }
    }
}

impl Going<'_> {
    fn has(self, tenant: &str, entry: &Entry) -> bool {
        self.tenant.is_none_or(|own| own == tenant) && self.filter.matches(entry)
    }
}

impl Gannet {
    /// Whether there is this entry, and it names this uploaded file.
    ///
    /// # Errors
    /// What the store failed with.
    pub async fn entry_names_file(
        &self,
        tenant: &str,
        entry_id: &str,
        file: &str,
    ) -> Result<bool, HostError> {
        let ids = [entry_id.to_owned()];
        let entry = self.store().entries(tenant, &ids).await?.pop();
        Ok(entry.is_some_and(|entry| names(&entry, file)))
    }

    /// An entry of a tenant that names an uploaded file. The entries of the
    /// tenant are read until one does.
    ///
    /// # Errors
    /// What the store failed with.
    pub async fn entry_with_file(
        &self,
        tenant: &str,
        file: &str,
    ) -> Result<Option<String>, HostError> {
        let mut after = None;
        loop {
            let page = self.entries_page(tenant, &Filter::none(), after).await?;
            let found = page.entries.into_iter().find(|entry| names(entry, file));
            if let Some(entry) = found {
                return Ok(Some(entry.entry_id));
            }
            after = page.next;
            if after.is_none() {
                return Ok(None);
            }
        }
    }

    /// A page of the entries of a tenant that match.
    pub(crate) async fn entries_page(
        &self,
        tenant: &str,
        filter: &Filter,
        after: Option<Cursor>,
    ) -> Result<Page, HostError> {
        let request = ListRequest {
            filter: filter.clone(),
            after,
            ..ListRequest::newest(BATCH)
        };
        Ok(self.store().list(tenant, request).await?)
    }

    /// The files that are needed no more when the entries of `going` are
    /// deleted: those that deleted entries named (`gone`), and older ones, that
    /// no other entry of the file's own tenant names. Other tenants cannot read
    /// a file, so that their entries do not count. Where no entry stays, none
    /// is removed for being unnamed: it may be the wrong store.
    pub(crate) async fn unneeded_files(
        &self,
        gone: &Mentions,
        going: Option<Going<'_>>,
    ) -> Result<Unneeded, HostError> {
        let folder = UploadedFiles::of(self);
        let old = folder.unchanged_for(GRACE)?;
        let mut unneeded = Unneeded::default();
        if gone.0.is_empty() && old.is_empty() {
            return Ok(unneeded);
        }
        let (named, any_stays) = self.mentions_but(going).await?;
        for (id, tenants) in &gone.0 {
            let owner = folder.owner(id)?;
            let is_own = owner.is_none_or(|owner| tenants.contains(&owner));
            if is_own && folder.is_free(id, &named)? {
                unneeded.of_deleted.insert(id.clone());
            }
        }
        for id in old {
            if any_stays && !unneeded.of_deleted.contains(&id) && folder.is_free(&id, &named)? {
                unneeded.unnamed.insert(id);
            }
        }
        Ok(unneeded)
    }

    /// What the entries name that stay, and whether there are any.
    async fn mentions_but(&self, going: Option<Going<'_>>) -> Result<(Mentions, bool), HostError> {
        // A replica may be behind, and lack an entry that names a file.
        self.store().flush().await?;
        let (mut named, mut any_stays) = (Mentions::default(), false);
        for tenant in self.store().tenants().await? {
            let mut after = None;
            loop {
                let page = self.entries_page(&tenant, &Filter::none(), after).await?;
                for entry in &page.entries {
                    if going.is_none_or(|going| !going.has(&tenant, entry)) {
                        any_stays = true;
                        named.add(&tenant, entry);
                    }
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok((named, any_stays))
    }
}

impl UploadedFiles {
    pub(crate) fn of(gannet: &Gannet) -> Self {
        Self(gannet.config().store.attachments())
    }

    /// How many of these files are here.
    pub(crate) fn count(&self, ids: &BTreeSet<String>) -> u64 {
        let here = ids.iter().filter(|id| self.0.join(id).exists());
        here.count() as u64
    }

    /// Removes files with their labels; how many were here. Those that another
    /// host took are there.
    pub(crate) fn remove(&self, ids: &BTreeSet<String>) -> Result<u64, HostError> {
        let mut removed = 0;
        for id in ids {
            // The label first: a file without one is not served.
            remove(&self.label(id))?;
            removed += u64::from(remove(&self.0.join(id))?);
        }
        Ok(removed)
    }

    /// The ids of files that were not written for some time, neither they nor
    /// their labels.
    fn unchanged_for(&self, time: Duration) -> Result<BTreeSet<String>, HostError> {
        let failed = |source| self.failed(source);
        let files = match std::fs::read_dir(&self.0) {
            Ok(files) => files,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(failed(error)),
        };
        let (mut old, mut new) = (BTreeSet::new(), BTreeSet::new());
        for file in files {
            let file = file.map_err(failed)?;
            let name = file.file_name();
            let name = name.to_string_lossy();
            let id = name.strip_suffix(LABEL_ENDING).unwrap_or(&name);
            if id.len() != ID_DIGITS || !is_id(id) {
                continue;
            }
            let changed = file.metadata().and_then(|data| data.modified());
            let age = match changed {
                // Later than now: the clock was set back.
                Ok(changed) => SystemTime::now()
                    .duration_since(changed)
                    .unwrap_or_default(),
                // It was removed meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            match age >= time {
                true => old.insert(id.to_owned()),
                false => new.insert(id.to_owned()),
            };
        }
        Ok(old.difference(&new).cloned().collect())
    }

    /// Whose file it is; `None` where no label says so.
    fn owner(&self, id: &str) -> Result<Option<String>, HostError> {
        match std::fs::read(self.label(id)) {
            Ok(label) => {
                let label: Option<Label> = serde_json::from_slice(&label).ok();
                Ok(label.map(|label| label.tenant))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Whether none of these entries needs the file: it belongs to nobody who
    /// names it.
    fn is_free(&self, id: &str, named: &Mentions) -> Result<bool, HostError> {
        let Some(tenants) = named.0.get(id) else {
            return Ok(true);
        };
        let owner = self.owner(id)?;
        Ok(owner.is_some_and(|owner| !tenants.contains(&owner)))
    }

    fn label(&self, id: &str) -> PathBuf {
        self.0.join(format!("{id}{LABEL_ENDING}"))
    }

    fn failed(&self, source: Error) -> HostError {
        HostError::File {
            path: self.0.clone(),
            source,
        }
    }
}

fn names(entry: &Entry, file: &str) -> bool {
    let mut ids = entry.attachments.iter().filter_map(uploaded_id);
    ids.any(|id| id == file)
}

/// The id of an uploaded file, which is hexadecimal and so no path.
pub(crate) fn uploaded_id(attachment: &Attachment) -> Option<&str> {
    let id = attachment.url.as_deref()?.strip_prefix(UPLOADED)?;
    is_id(id).then_some(id)
}

/// Small letters only: where names of files ignore case, an id has one form.
fn is_id(id: &str) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    !id.is_empty() && id.bytes().all(is_digit)
}

/// Whether there was such a file.
fn remove(path: &Path) -> Result<bool, HostError> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(HostError::File {
            path: path.to_path_buf(),
            source,
        }),
    }
}
