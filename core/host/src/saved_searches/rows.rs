//! Saved searches, their matches and the position of matching, in the store.

use gannet_api::DEFAULT_TENANT;
use gannet_store::{Store, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::SavedSearch;
use crate::kept_state::{key, read, write};

/// Searches of users, by their ids.
const SEARCHES: &str = "service.saved_searches";
/// The matches of each entry.
const MATCHES: &str = "service.search_matches";
/// The position of matching, and the last change of the searches.
const PROGRESS: &str = "service.search_progress";

/// A search of a user as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredSearch {
    pub search: SavedSearch,
    /// Entries that came after this change are matched.
    pub after: i64,
    /// The vector of the query, where it is matched by meaning.
    pub vector: Option<StoredVector>,
}

/// A vector with its model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredVector {
    pub model: String,
    pub values: Vec<f32>,
}

/// The matches of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MatchRow {
    pub number: i64,
    pub entry_id: String,
    pub at: Timestamp,
    pub searches: Vec<MatchedSearch>,
}

/// A search that an entry matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MatchedSearch {
    pub search: String,
    /// Whether it has the words.
    pub keyword: bool,
    /// The cosine similarity of its best passage, where that is high enough.
    pub similarity: Option<f32>,
}

pub(super) async fn searches(store: &Store, tenant: &str) -> Result<Vec<StoredSearch>, StoreError> {
    let mut searches = Vec::new();
    for key in store.plugin_state_keys(SEARCHES, tenant).await? {
        searches.extend(search(store, tenant, &key).await?);
    }
    searches.sort_by(|a, b| a.search.id.cmp(&b.search.id));
    Ok(searches)
}

pub(super) async fn search(
    store: &Store,
    tenant: &str,
    id: &str,
) -> Result<Option<StoredSearch>, StoreError> {
    read(store, &key(SEARCHES, tenant, id)).await
}

pub(super) async fn set_search(
    store: &Store,
    (tenant, id): (&str, &str),
    search: Option<&StoredSearch>,
) -> Result<(), StoreError> {
    write(store, &key(SEARCHES, tenant, id), search).await
}

/// How many searches of users a tenant has.
pub(super) async fn count(store: &Store, tenant: &str) -> Result<usize, StoreError> {
    Ok(store.plugin_state_keys(SEARCHES, tenant).await?.len())
}

/// The tenants with searches of users.
pub(super) async fn tenants(store: &Store) -> Result<Vec<String>, StoreError> {
    let tenants = read(store, &key(PROGRESS, DEFAULT_TENANT, "tenants")).await?;
    Ok(tenants.unwrap_or_default())
}

/// Notes that the searches of a tenant changed.
pub(super) async fn note_change(store: &Store, tenant: &str) -> Result<(), StoreError> {
    let mut all = tenants(store).await?;
    if !all.iter().any(|one| one == tenant) {
        all.push(tenant.to_owned());
        write(store, &key(PROGRESS, DEFAULT_TENANT, "tenants"), Some(&all)).await?;
    }
    let now = crate::new_entry::local_id();
    // First that of the tenant: whoever sees the other one looks for it.
    write(store, &key(PROGRESS, tenant, "searches"), Some(&now)).await?;
    write(store, &key(PROGRESS, DEFAULT_TENANT, "change"), Some(&now)).await
}

/// Another text whenever searches of users were saved or deleted.
pub(super) async fn last_change(store: &Store) -> Result<Option<String>, StoreError> {
    read(store, &key(PROGRESS, DEFAULT_TENANT, "change")).await
}

/// Another text whenever searches of users of a tenant were.
pub(super) async fn last_change_of(
    store: &Store,
    tenant: &str,
) -> Result<Option<String>, StoreError> {
    read(store, &key(PROGRESS, tenant, "searches")).await
}

/// The change up to which entries were matched.
pub(super) async fn reached(store: &Store) -> Result<Option<i64>, StoreError> {
    read(store, &key(PROGRESS, DEFAULT_TENANT, "reached")).await
}

pub(super) async fn set_reached(store: &Store, reached: i64) -> Result<(), StoreError> {
    write(
        store,
        &key(PROGRESS, DEFAULT_TENANT, "reached"),
        Some(&reached),
    )
    .await
}

pub(super) async fn forget_reached(store: &Store) -> Result<(), StoreError> {
    store
        .set_plugin_state(&key(PROGRESS, DEFAULT_TENANT, "reached"), None)
        .await
}

/// The number of the last entry of a tenant with a match.
pub(super) async fn last_match(store: &Store, tenant: &str) -> Result<i64, StoreError> {
    let last = read(store, &key(PROGRESS, tenant, "last_match")).await?;
    Ok(last.unwrap_or_default())
}

/// Writes the matches of an entry; it replaces them when they are made again.
pub(super) async fn add_matches(
    store: &Store,
    tenant: &str,
    row: &MatchRow,
) -> Result<(), StoreError> {
    let place = format!("{:016x}.{}", row.number, row.entry_id);
    write(store, &key(MATCHES, tenant, &place), Some(row)).await?;
    write(
        store,
        &key(PROGRESS, tenant, "last_match"),
        Some(&row.number),
    )
    .await
}

/// The places of the matches of a tenant, in order.
pub(super) async fn match_places(store: &Store, tenant: &str) -> Result<Vec<String>, StoreError> {
    let mut places = store.plugin_state_keys(MATCHES, tenant).await?;
    places.retain(|place| number_of(place).is_some());
    places.sort_unstable();
    Ok(places)
}

/// Matches at some places, of entries that came after a number.
pub(super) async fn matches(
    store: &Store,
    tenant: &str,
    places: &[String],
    (after, limit): (i64, usize),
) -> Result<Vec<MatchRow>, StoreError> {
    let is_before = |place: &String| number_of(place).is_some_and(|number| number <= after);
    let begin = places.partition_point(is_before);
    let mut rows = Vec::new();
    for place in places.iter().skip(begin) {
        // Some were forgotten since they were listed.
        if rows.len() == limit {
            break;
        }
        rows.extend(read(store, &key(MATCHES, tenant, place)).await?);
    }
    Ok(rows)
}

/// Deletes the matches of a tenant that are older than a time.
pub(super) async fn forget_matches(
    store: &Store,
    tenant: &str,
    before: Timestamp,
) -> Result<(), StoreError> {
    for place in store.plugin_state_keys(MATCHES, tenant).await? {
        let key = key(MATCHES, tenant, &place);
        let row: Option<MatchRow> = read(store, &key).await?;
        if row.is_none_or(|row| row.at < before) {
            store.set_plugin_state(&key, None).await?;
        }
    }
    Ok(())
}

fn number_of(place: &str) -> Option<i64> {
    i64::from_str_radix(place.split_once('.')?.0, 16).ok()
}
