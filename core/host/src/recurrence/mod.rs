//! Which entries tell of an event of the same kind: a learned model of pairs of
//! entries, over what they say, where and when.
//!
//! - [`candidates`]: the entries that are compared;
//! - [`asked`], [`words`], [`place`]: what an entry is compared by;
//! - [`compare`], [`features`]: what the models see of a pair;
//! - [`model`]: the models and their weights, which `training/recurrence`
//!   makes;
//! - [`why`]: what a pair has in common, in words.

mod asked;
mod candidates;
mod compare;
mod features;
mod model;
mod place;
mod why;
mod words;

use std::collections::HashMap;

use gannet_api::query::named_entry;
use gannet_api::{
    Call, DEFAULT_TENANT, Entry, Filter, Recurrence, RecurrenceRequest, Result, SimilarEvent,
};

use crate::services::Services;
use crate::{Gannet, HostError};
use asked::AskedEvent;
use compare::{PairComparison, add_others};
pub(crate) use model::card;
use model::models;
use why::Common;

pub use features::PairFeatures;

/// An entry that was compared.
struct ComparedEntry {
    entry: Entry,
    features: PairFeatures,
    common: Common,
}

impl Services {
    /// Answers the host service [`RecurrenceRequest::SERVICE`].
    ///
    /// # Errors
    /// [`gannet_api::Error::InvalidInput`] for a payload that is no [`RecurrenceRequest`];
    /// [`gannet_api::Error::Store`].
    pub(crate) async fn answer_recurrence_request(
        &self,
        call: &Call,
        request: &RecurrenceRequest,
    ) -> Result<(Recurrence, Vec<Entry>)> {
        let tenant = &*call.tenant;
        let entry = self.event_entry(tenant, &request.event).await?;
        let asked = match &entry {
            Some(entry) => AskedEvent::entry(self, tenant, entry).await?,
            None => AskedEvent::text(self, tenant, &request.event).await?,
        };
        let found = self.similar_events(tenant, &asked, &request.filter, request.limit);
        let (events, entries) = found.await?.into_iter().unzip();
        let id = entry.map(|entry| entry.entry_id);
        Ok((Recurrence::new(id, events), entries))
    }

    /// The entry that is named by its id, if it is one.
    async fn event_entry(&self, tenant: &str, event: &str) -> Result<Option<Entry>> {
        let Some(id) = named_entry(event) else {
            return Ok(None);
        };
        let entries = self.store().entries(tenant, &[id.to_owned()]).await?;
        Ok(entries.into_iter().next())
    }

    /// The most probable entries.
    ///
    /// # Errors
    /// [`gannet_api::Error::Store`].
    async fn similar_events(
        &self,
        tenant: &str,
        asked: &AskedEvent<'_>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(SimilarEvent, Entry)>> {
        let models = models()?;
        let compared = self.compare_events(tenant, asked, filter).await?;
        let found = compared.into_iter().map(|one| {
            let values = one.features.values();
            let same_kind = f64::from(models.same_kind.probability(&values));
            // A text has no time.
            let probability = match asked.entry {
                Some(_) => f64::from(models.same_event.probability(&values)),
                None => same_kind,
            };
            let mut event = SimilarEvent::new(&one.entry.entry_id, probability, same_kind);
            event.why = one.common.why;
            event.device = one.common.device;
            event.words = one.common.words;
            (event, one.entry)
        });
        let mut found: Vec<(SimilarEvent, Entry)> = found.collect();
        found.sort_by(|(a, _), (b, _)| {
            let by_probability = b.probability.total_cmp(&a.probability);
            let by_kind = by_probability.then(b.same_kind.total_cmp(&a.same_kind));
            by_kind.then_with(|| a.entry_id.cmp(&b.entry_id))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// Compares the candidates.
    ///
    /// # Errors
    /// [`gannet_api::Error::Store`].
    async fn compare_events(
        &self,
        tenant: &str,
        asked: &AskedEvent<'_>,
        filter: &Filter,
    ) -> Result<Vec<ComparedEntry>> {
        let candidates = self.recurrence_candidates(tenant, asked, filter).await?;
        let ids: Vec<String> = candidates.iter().map(|one| one.entry_id.clone()).collect();
        let entries = self.store().entries(tenant, &ids).await?;
        let found: HashMap<&str, _> = candidates
            .iter()
            .map(|one| (one.entry_id.as_str(), one))
            .collect();
        let mut comparison = PairComparison::new(asked);
        let compared = entries.into_iter().filter_map(|entry| {
            let candidate = found.get(entry.entry_id.as_str())?;
            let (features, words) = comparison.compare(candidate, &entry);
            Some(ComparedEntry {
                common: Common::of(asked, &entry, &words),
                entry,
                features,
            })
        });
        let mut compared: Vec<ComparedEntry> = compared.collect();
        let mut pairs: Vec<&mut PairFeatures> =
            compared.iter_mut().map(|one| &mut one.features).collect();
        add_others(&mut pairs);
        Ok(compared)
    }
}

impl Gannet {
    /// The entries that tell of an event like that of an entry, most probable
    /// first.
    ///
    /// # Errors
    /// [`HostError::Store`] and [`HostError::Plugin`].
    pub(crate) async fn events_like(
        &self,
        tenant: &str,
        entry: &Entry,
        limit: usize,
    ) -> std::result::Result<Vec<(SimilarEvent, Entry)>, HostError> {
        let services = self.services();
        let asked = AskedEvent::entry(services, tenant, entry).await?;
        let filter = Filter::none();
        Ok(services
            .similar_events(tenant, &asked, &filter, limit)
            .await?)
    }

    /// What the candidates of an entry are compared by, for training; `None`
    /// where the store does not hold the entry.
    ///
    /// # Errors
    /// [`HostError::Store`] and [`HostError::Plugin`].
    pub async fn pair_features(
        &self,
        entry_id: &str,
    ) -> std::result::Result<Option<Vec<(String, PairFeatures)>>, HostError> {
        let Some(entry) = self.entry(DEFAULT_TENANT, entry_id).await? else {
            return Ok(None);
        };
        let services = self.services();
        let asked = AskedEvent::entry(services, DEFAULT_TENANT, &entry).await?;
        let filter = Filter::none();
        let compared = services.compare_events(DEFAULT_TENANT, &asked, &filter);
        let compared = compared.await?.into_iter();
        Ok(Some(
            compared
                .map(|one| (one.entry.entry_id, one.features))
                .collect(),
        ))
    }
}
