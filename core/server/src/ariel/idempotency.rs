//! The header `Idempotency-Key`: a request that is repeated with its key writes
//! nothing twice, also after a restart and on another server of the store, until
//! the key expires.

use std::collections::HashMap;

use axum::http::HeaderMap;
use gannet_core::api::Entry;
use gannet_core::store::{StateKey, StoreError};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::create::{CreateBody, NewFile};
use super::key_use::KeyUse;
use crate::problem::Problem;
use crate::state::App;

/// Characters of a key at most.
pub(crate) const LONGEST_KEY: usize = 255;
/// For whom the store remembers what keys were used for.
const OWNER: &str = "service.idempotency";

/// The key of a request, with the request that it stands for.
pub(crate) struct RequestKey {
    key: String,
    /// Method and path. A key is one of its route: the same key on another
    /// route is another key.
    route: &'static str,
}

/// The key of a request with this method and path.
///
/// # Errors
/// 400 for two of them: which one counts would be a guess. 422 for a key that
/// is empty, too long or not ASCII.
pub(crate) fn idempotency_key(
    headers: &HeaderMap,
    route: &'static str,
) -> Result<Option<RequestKey>, Problem> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    if keys.next().is_some() {
        let detail = "Idempotency-Key: the header is there more than once; send one key";
        return Err(Problem::bad_request("repeated_header", detail));
    }
    let key = key.to_str().unwrap_or_default();
    match (1..=LONGEST_KEY).contains(&key.len()) {
        true => Ok(Some(RequestKey {
            key: key.to_owned(),
            route,
        })),
        false => Err(Problem::invalid(format!(
            "Idempotency-Key: must have 1 to {LONGEST_KEY} ASCII characters"
        ))),
    }
}

/// A write with a key.
pub(super) struct KeyedWrite {
    tenant: String,
    /// Of the tenant, the key and its route.
    id: Sha256,
    /// Of the route and everything that the request says.
    request: String,
    /// Which use of the key it is; known once the write [begins](Self::begin).
    number: u64,
}

impl KeyedWrite {
    /// The write of these entries with their files.
    pub fn new(tenant: &str, key: &RequestKey, bodies: &[(CreateBody, Vec<NewFile>)]) -> Self {
        let mut id = Sha256::new();
        id.update(tenant);
        id.update([0]);
        id.update(&key.key);
        // Keys of the first route are those of versions that had one key for
        // all routes: a write that is repeated after an upgrade is known.
        if key.route != super::create::ROUTE {
            id.update([0]);
            id.update(key.route);
        }
        Self {
            tenant: tenant.to_owned(),
            id,
            request: digest_of(key.route, bodies),
            number: 0,
        }
    }

    /// The id of the entry at this place of the request. It follows from the
    /// key and the number of its use, so that servers of one store agree.
    pub fn entry_id(&self, at: usize) -> String {
        let mut hash = self.id.clone();
        hash.update((at as u64).to_le_bytes());
        self.add_number(&mut hash);
        format!("ariel-{}", hex(&hash.finalize()[..12]))
    }

    /// A name for this use of the key that the store can keep.
    pub fn name(&self) -> String {
        let mut hash = self.id.clone();
        self.add_number(&mut hash);
        hex(&hash.finalize())
    }

    /// Adds nothing for the first use: ids are those of versions whose keys did
    /// not expire.
    fn add_number(&self, hash: &mut Sha256) {
        if self.number > 0 {
            hash.update("\0use");
            hash.update(self.number.to_le_bytes());
        }
    }

    /// Notes what the key is used for. The entries of the request that are
    /// stored already are returned: all of them where it is repeated, some
    /// where the first attempt was broken off. From here on
    /// [`entry_id`](Self::entry_id) and [`name`](Self::name) are those of this
    /// use of the key.
    ///
    /// # Errors
    /// 422 for a key that another request was written with; else what the
    /// store failed with.
    pub async fn begin(
        &mut self,
        app: &App,
        count: usize,
    ) -> Result<HashMap<String, Entry>, Problem> {
        let store = app.gannet.store();
        let place = StateKey {
            owner: OWNER.to_owned(),
            tenant: self.tenant.clone(),
            // One for all uses of the key.
            key: hex(&self.id.clone().finalize()),
        };
        let (now, hours) = (Timestamp::now(), app.config().idempotency_key_hours);
        let stored = store.plugin_state(&place).await?;
        let before = stored.as_deref().map(|text| KeyUse::read(text, now));
        let mut current = KeyUse::after(before, &self.request, now, hours);
        self.number = current.number;
        let is_other = current.body != self.request;
        // A request that failed has used its key for nothing.
        let is_reused = is_other && self.wrote_something(app).await?;
        if is_other && !is_reused {
            current = KeyUse::begun(self.number, &self.request, now);
        }
        let text = current.text();
        if stored.as_ref() != Some(&text) {
            store.set_plugin_state(&place, Some(&text)).await?;
        }
        match is_reused {
            true => Err(Problem {
                code: "idempotency_key_reused",
                ..Problem::invalid(
                    "Idempotency-Key: it was used for another body on this route; a key stands \
                     for one body",
                )
            }),
            false => Ok(self.stored(app, count).await?),
        }
    }

    /// Whether an earlier request of this use of the key stored or published an
    /// entry, or may have published one.
    async fn wrote_something(&self, app: &App) -> Result<bool, StoreError> {
        let name = self.name();
        let earlier = app.gannet.earlier_attempt(&self.tenant, &name);
        Ok(earlier.await?.is_some() || !self.stored(app, 1).await?.is_empty())
    }

    /// Those of the first entries that are in the store, by the ids that follow
    /// from the key.
    async fn stored(&self, app: &App, count: usize) -> Result<HashMap<String, Entry>, StoreError> {
        let store = app.gannet.store();
        let ids: Vec<String> = (0..count).map(|at| self.entry_id(at)).collect();
        let entries = store.entries(&self.tenant, &ids).await?;
        let by_id = entries
            .into_iter()
            .map(|entry| (entry.entry_id.clone(), entry));
        let mut stored: HashMap<String, Entry> = by_id.collect();
        // A published entry has the id that the logbook gave it.
        let name = self.name();
        let earlier = app.gannet.earlier_attempt(&self.tenant, &name);
        if let Some(Some(published)) = earlier.await? {
            let entry = store.entries(&self.tenant, &[published]).await?.pop();
            stored.extend(entry.map(|entry| (self.entry_id(0), entry)));
        }
        Ok(stored)
    }
}

fn digest_of(route: &str, bodies: &[(CreateBody, Vec<NewFile>)]) -> String {
    let mut hash = Sha256::new();
    part(&mut hash, route.as_bytes());
    for (body, files) in bodies {
        // Strings, numbers and lists of them: they are always JSON.
        part(&mut hash, &serde_json::to_vec(body).unwrap_or_default());
        for file in files {
            part(&mut hash, file.name.as_bytes());
            part(&mut hash, &file.data);
        }
        hash.update([0]);
    }
    hex(&hash.finalize())
}

/// With its length, so that no two lists of parts read the same.
fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64 + 1).to_le_bytes());
    hash.update(bytes);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
