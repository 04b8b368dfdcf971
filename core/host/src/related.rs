//! Entries that belong to an entry: those that it names by id, those that name
//! it, and those that tell of a similar event.

use std::collections::BTreeSet;

use gannet_api::query::{first_named_ids, named_ids, parse, reference_query};
use gannet_api::{Entry, Filter, QuerySyntax};
use gannet_store::TextRequest;

use crate::{Gannet, HostError};

/// Ids that are looked up at most; a text names few.
const MOST_IDS: usize = 200;
/// Entries of each list at most.
const MOST_ENTRIES: usize = 8;

/// Entries that belong to an entry; each is in one list only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RelatedEntries {
    /// Those whose id stands in its text or metadata, in the order of time.
    pub links: Vec<Entry>,
    /// Those whose text or metadata names it, in the order of time.
    pub linked_from: Vec<Entry>,
    /// Those that tell of a similar event, most probable first.
    pub similar: Vec<SimilarEntry>,
}

/// An entry that tells of a similar event.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarEntry {
    /// The entry.
    pub entry: Entry,
    /// The probability that it is about the same event or fault, 0 to 1.
    pub probability: f64,
    /// What both have in common, the most telling first.
    pub why: Vec<String>,
}

impl Gannet {
    /// The entries that belong to an entry; `None` where there is no such
    /// entry.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read, else what the
    /// search for similar entries failed with.
    pub async fn related(
        &self,
        tenant: &str,
        id: &str,
    ) -> Result<Option<RelatedEntries>, HostError> {
        let Some(entry) = self.entry(tenant, id).await? else {
            return Ok(None);
        };
        let named = first_named_ids(&entry, MOST_IDS);
        let links = self.store().entries(tenant, &named).await?;
        let mut shown: BTreeSet<String> = links.iter().map(|one| one.entry_id.clone()).collect();
        shown.insert(entry.entry_id.clone());
        let linked_from = self.linked_from(tenant, &entry, &shown).await?;
        shown.extend(linked_from.iter().map(|one| one.entry_id.clone()));
        let similar = self.similar(tenant, &entry, &shown).await?;
        let mut related = RelatedEntries {
            links,
            linked_from,
            similar,
        };
        related.links.sort_by_key(|one| one.timestamp);
        related.linked_from.sort_by_key(|one| one.timestamp);
        Ok(Some(related))
    }

    async fn linked_from(
        &self,
        tenant: &str,
        entry: &Entry,
        shown: &BTreeSet<String>,
    ) -> Result<Vec<Entry>, HostError> {
        let options = self.services().query_options();
        let request = TextRequest {
            query: parse(
                &reference_query(&entry.entry_id),
                QuerySyntax::Operators,
                &options,
            ),
            filter: Filter::none(),
            limit: MOST_ENTRIES * 4,
            fuzzy: false,
        };
        let found = self.store().text_search(tenant, request).await?;
        let ids: Vec<String> = found.hits.into_iter().map(|hit| hit.entry_id).collect();
        let mut entries = self.store().entries(tenant, &ids).await?;
        entries.retain(|one| {
            !shown.contains(&one.entry_id) && named_ids(one).contains(&entry.entry_id)
        });
        entries.truncate(MOST_ENTRIES);
        Ok(entries)
    }

    async fn similar(
        &self,
        tenant: &str,
        entry: &Entry,
        shown: &BTreeSet<String>,
    ) -> Result<Vec<SimilarEntry>, HostError> {
        let limit = MOST_ENTRIES + shown.len();
        let found = self.events_like(tenant, entry, limit).await?.into_iter();
        let found = found.map(|(event, entry)| SimilarEntry {
            entry,
            probability: event.probability,
            why: event.why,
        });
        let mut similar: Vec<SimilarEntry> = found.collect();
        similar.retain(|one| !shown.contains(&one.entry.entry_id));
        similar.truncate(MOST_ENTRIES);
        Ok(similar)
    }
}
