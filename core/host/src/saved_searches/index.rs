//! The saved searches of a tenant as entries are matched against them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gannet_analysis::{Percolator, PercolatorBuilder};
use gannet_api::query::parse;
use gannet_api::{Call, Deadline, EmbedPurpose, EmbedRequest, Entry, QuerySyntax};
use gannet_vectors::ThresholdScan;
use tokio::sync::Mutex;

use super::SavedSearch;
use super::rows::{self, MatchedSearch, StoredSearch, StoredVector};
use crate::{Gannet, HostError};

/// Searches that are embedded at a time.
const EMBEDDED_AT_ONCE: usize = 64;

/// The indexes of all tenants, and where their matches are.
#[derive(Default)]
pub(crate) struct SavedIndexes {
    made: Mutex<Option<Made>>,
    /// Where the matches of each tenant are.
    listed: Mutex<HashMap<String, Listed>>,
}

/// The places of matches, in order, and the number of the last one.
struct Listed {
    last: i64,
    places: Arc<Vec<String>>,
}

struct Made {
    change: Option<String>,
    by_tenant: BTreeMap<String, MadeIndex>,
}

/// An index, and the change of the searches of its tenant that it has.
#[derive(Clone)]
struct MadeIndex {
    change: Option<String>,
    index: Arc<SavedIndex>,
}

impl Made {
    fn indexes(&self) -> BTreeMap<String, Arc<SavedIndex>> {
        let by_tenant = self.by_tenant.iter();
        by_tenant
            .map(|(tenant, made)| (tenant.clone(), made.index.clone()))
            .collect()
    }
}

/// The saved searches of a tenant.
pub(super) struct SavedIndex {
    searches: Vec<StoredSearch>,
    /// The number of each search by its id.
    numbers: HashMap<String, usize>,
    percolator: Percolator,
    /// The model of the vectors, and the search of each.
    meaning: Option<Meaning>,
}

struct Meaning {
    model: String,
    scan: ThresholdScan,
    searches: Vec<usize>,
}

impl SavedIndex {
    /// The model whose vectors an entry is matched by; none where all searches
    /// ask for words.
    pub(super) fn model(&self) -> Option<&str> {
        self.meaning.as_ref().map(|meaning| meaning.model.as_str())
    }

    pub(super) fn search(&self, id: &str) -> Option<&SavedSearch> {
        self.number(id).map(|number| &self.searches[number].search)
    }

    /// What marks the words of a search in a text.
    pub(super) fn highlighter(&self, id: &str) -> gannet_analysis::Highlighter {
        let number = self.number(id);
        number
            .map(|number| self.percolator.highlighter(number))
            .unwrap_or_default()
    }

    fn number(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// The searches that an entry matches which came with this number.
    pub(super) fn matches(
        &self,
        (number, entry): (i64, &Entry),
        vectors: &[Vec<f32>],
    ) -> Vec<MatchedSearch> {
        let mut found: BTreeMap<usize, MatchedSearch> = BTreeMap::new();
        let matched = |at: usize| MatchedSearch {
            search: self.searches[at].search.id.clone(),
            keyword: false,
            similarity: None,
        };
        for at in self.percolator.matches(entry) {
            if self.searches[at].search.by.has_keyword() {
                found.entry(at).or_insert_with(|| matched(at)).keyword = true;
            }
        }
        for (at, cosine) in self.near(vectors) {
            if self.percolator.passes_filter(at, entry) {
                let one = found.entry(at).or_insert_with(|| matched(at));
                let best = one.similarity.unwrap_or(cosine).max(cosine);
                one.similarity = Some(best);
            }
        }
        found.retain(|at, _| self.searches[*at].after < number);
        found.into_values().collect()
    }

    /// The searches whose vectors are near to one of these, with the cosine.
    fn near(&self, vectors: &[Vec<f32>]) -> Vec<(usize, f32)> {
        let Some(meaning) = &self.meaning else {
            return Vec::new();
        };
        let mut near = Vec::new();
        for vector in vectors {
            match meaning.scan.near(vector) {
                Ok(rows) => near.extend(
                    rows.into_iter()
                        .map(|(row, cosine)| (meaning.searches[row], cosine)),
                ),
                // Such as one of a model that was replaced.
                Err(error) => tracing::debug!(%error, "a vector is not compared"),
            }
        }
        near
    }
}

impl Gannet {
    /// The indexes of all tenants with saved searches.
    pub(super) async fn saved_indexes(
        &self,
    ) -> Result<BTreeMap<String, Arc<SavedIndex>>, HostError> {
        let change = rows::last_change(self.store()).await?;
        let mut made = self.services().saved_indexes().made.lock().await;
        if let Some(made) = made.as_ref().filter(|made| made.change == change) {
            return Ok(made.indexes());
        }
        let mut by_tenant = BTreeMap::new();
        for tenant in self.tenants_with_searches().await? {
            let change = rows::last_change_of(self.store(), &tenant).await?;
            let known = made.as_ref().and_then(|made| made.by_tenant.get(&tenant));
            if let Some(known) = known.filter(|known| known.change == change) {
                by_tenant.insert(tenant, known.clone());
                continue;
            }
            let mut searches = self.configured_searches(&tenant);
            searches.extend(rows::searches(self.store(), &tenant).await?);
            if !searches.is_empty() {
                let index = Arc::new(self.index(&tenant, searches).await?);
                by_tenant.insert(tenant, MadeIndex { change, index });
            }
        }
        let made = made.insert(Made { change, by_tenant });
        Ok(made.indexes())
    }

    /// The places of the matches of a tenant up to the last one, in order. They
    /// are listed once for each number that is the last one, whoever asks.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub(super) async fn match_places(
        &self,
        tenant: &str,
        last: i64,
    ) -> Result<Arc<Vec<String>>, HostError> {
        let mut listed = self.services().saved_indexes().listed.lock().await;
        if let Some(known) = listed.get(tenant).filter(|known| known.last == last) {
            return Ok(known.places.clone());
        }
        let places = Arc::new(rows::match_places(self.store(), tenant).await?);
        let known = places.clone();
        listed.insert(tenant.to_owned(), Listed { last, places });
        Ok(known)
    }

    /// Whether there are, or were, searches to match entries against.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub(crate) async fn has_saved_searches(&self) -> Result<bool, HostError> {
        Ok(!self.tenants_with_searches().await?.is_empty())
    }

    async fn tenants_with_searches(&self) -> Result<Vec<String>, HostError> {
        let mut tenants = rows::tenants(self.store()).await?;
        let configured = self.config().searches.values();
        tenants.extend(
            configured
                .filter(|one| one.enabled)
                .map(|one| one.tenant.clone()),
        );
        tenants.sort_unstable();
        tenants.dedup();
        Ok(tenants)
    }

    /// The searches of the configuration of a tenant.
    pub(super) fn configured_searches(&self, tenant: &str) -> Vec<StoredSearch> {
        let configured = self.config().searches.iter();
        let own = configured.filter(|(_, one)| one.enabled && one.tenant == tenant);
        own.map(|(name, config)| StoredSearch {
            search: SavedSearch {
                id: name.clone(),
                name: name.clone(),
                owner: None,
                query: config.query.clone(),
                filter: config.filter.clone(),
                by: config.by,
                min_similarity: config.min_similarity,
                deliver_to: config.deliver_to.clone(),
                created_at: None,
            },
            after: 0,
            vector: None,
        })
        .collect()
    }

    /// Indexes searches. One that cannot be read any more matches nothing.
    pub(super) async fn index(
        &self,
        tenant: &str,
        mut searches: Vec<StoredSearch>,
    ) -> Result<SavedIndex, HostError> {
        let mut builder = PercolatorBuilder::default();
        let options = self.services().query_options();
        searches.retain(|stored| {
            let search = &stored.search;
            let pairs: Vec<(String, String)> = search.filter.clone().into_iter().collect();
            match self.filter(&pairs) {
                Ok(filter) => {
                    builder.add(
                        parse(&search.query, QuerySyntax::Operators, &options),
                        filter,
                    );
                    true
                }
                Err(error) => {
                    tracing::warn!(search = search.id, %error, "a saved search is left out");
                    false
                }
            }
        });
        let counts = self
            .store()
            .document_counts(tenant, &builder.terms())
            .await?;
        let meaning = self.meaning(&mut searches).await?;
        // Of two with one id the first counts.
        let numbered = searches.iter().enumerate().rev();
        let numbers = numbered.map(|(number, stored)| (stored.search.id.clone(), number));
        Ok(SavedIndex {
            percolator: builder.build(&counts),
            numbers: numbers.collect(),
            searches,
            meaning,
        })
    }

    /// The vectors of the searches that are matched by meaning; none without an
    /// embedder.
    async fn meaning(&self, searches: &mut [StoredSearch]) -> Result<Option<Meaning>, HostError> {
        let has_meaning = |stored: &StoredSearch| {
            stored.search.by.has_meaning() && !stored.search.query.trim().is_empty()
        };
        let numbers = searches.iter().enumerate();
        let numbers: Vec<usize> = numbers
            .filter(|(_, stored)| has_meaning(stored))
            .map(|(number, _)| number)
            .collect();
        if numbers.is_empty() {
            return Ok(None);
        }
        let provider = self.services().default_embedder();
        let Ok(embedder) = self.services().embedder(provider) else {
            tracing::warn!("saved searches match by words only: there is no embedder");
            return Ok(None);
        };
        let model = embedder.model();
        let is_known = |stored: &StoredSearch| {
            let vector = stored.vector.as_ref();
            vector.is_some_and(|vector| vector.model == model.name)
        };
        let (known, unknown): (Vec<usize>, Vec<usize>) = numbers
            .iter()
            .partition(|number| is_known(&searches[**number]));
        drop(known);
        for some in unknown.chunks(EMBEDDED_AT_ONCE) {
            let texts = some
                .iter()
                .map(|number| searches[*number].search.query.clone());
            let vectors = self.embed_queries(texts.collect()).await?;
            for (number, values) in some.iter().zip(vectors) {
                searches[*number].vector = Some(StoredVector {
                    model: model.name.clone(),
                    values,
                });
            }
        }
        let mut meaning = Meaning {
            scan: ThresholdScan::new(model.dimension),
            model: model.name,
            searches: Vec::new(),
        };
        for number in numbers {
            let stored = &searches[number];
            let vector = stored
                .vector
                .as_ref()
                .map(|vector| vector.values.as_slice());
            let pushed = meaning
                .scan
                .push(vector.unwrap_or_default(), stored.search.min_similarity);
            match pushed {
                Ok(()) => meaning.searches.push(number),
                Err(error) => {
                    tracing::warn!(search = stored.search.id, %error, "matched by words only");
                }
            }
        }
        Ok(Some(meaning))
    }

    /// The vectors of queries by the default embedder.
    pub(super) async fn embed_queries(
        &self,
        texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, HostError> {
        let deadline = Deadline::after(self.request_timeout());
        let call = Call::new(self.next_request_id(), gannet_api::DEFAULT_TENANT, deadline);
        let request = EmbedRequest::new(texts, EmbedPurpose::Query);
        let embeddings = self.services().embed_by(&call, request).await?;
        Ok(embeddings.vectors)
    }
}
