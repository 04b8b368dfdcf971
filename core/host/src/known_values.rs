//! The values that the store knows, kept in memory for query plans.

use std::collections::BTreeSet;
use std::sync::Arc;

use gannet_api::{Condition, FilterClause, FilterField, TimeRange};
use gannet_store::{FieldValues, ListRequest, Store, StoreError};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::ValueNames;
use crate::kept::Kept;
use crate::plan::{KnownField, Lexicon, Month, WordCounts};

/// Values of a field at most; a field with more is a text or an id.
const MOST_VALUES: usize = 4000;
/// A field whose entries nearly all have a value of their own is a text or an
/// id as well: at most this part of them may be distinct ...
const DISTINCT_PART: f64 = 0.8;
/// ... where there are more values than this.
const FEW_VALUES: usize = 20;
/// The title is a text in every store.
const TITLE: &str = "meta.title";
/// Months with entries that are known at most.
const MOST_MONTHS: usize = 120;

/// The values of each tenant, read again when the entries have changed.
#[derive(Default)]
pub(crate) struct KnownValues {
    lexicons: Kept<Lexicon>,
    /// Names of fields and values that pages ask for.
    names: Kept<Vec<String>>,
    /// Names of values that the configuration gives.
    value_names: ValueNames,
}

impl KnownValues {
    /// With names of values.
    pub(crate) fn named(value_names: ValueNames) -> Self {
        Self {
            value_names,
            ..Self::default()
        }
    }

    /// The values of a tenant. Costs a look at the store's version; reading the
    /// values costs what [`Store::field_values`] says, once after a change.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) async fn lexicon(
        &self,
        store: &Store,
        tenant: &str,
    ) -> Result<Arc<Lexicon>, StoreError> {
        let read = read(store, tenant, &self.value_names);
        self.lexicons.get(store, tenant, read).await
    }

    /// Names of fields or values, by what they are kept under.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) async fn names(
        &self,
        store: &Store,
        kept_as: &str,
        read: impl Future<Output = Result<Vec<String>, StoreError>>,
    ) -> Result<Vec<String>, StoreError> {
        Ok(self.names.get(store, kept_as, read).await?.to_vec())
    }
}

async fn read(store: &Store, tenant: &str, names: &ValueNames) -> Result<Lexicon, StoreError> {
    let fields = store.field_values(tenant, MOST_VALUES).await?;
    let entries = entries_of(&fields);
    let named = fields.into_iter().filter(names_things);
    let fields: Vec<KnownField> = named
        .map(|known| KnownField {
            field: known.field,
            values: known.values,
        })
        .collect();
    let words = Lexicon::words_to_count(&fields);
    let counts = store.document_counts(tenant, &words).await?;
    let counts = WordCounts {
        entries,
        with_word: words.into_iter().zip(counts).collect(),
    };
    let newest = newest_before(store, tenant, None).await?;
    let lexicon = Lexicon::of(&fields, &counts).with_names(&fields, &counts, names);
    Ok(lexicon.with_newest(newest))
}

/// Reads the latest months that have entries, unless these values have them.
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn read_months(
    store: &Store,
    tenant: &str,
    lexicon: &Lexicon,
) -> Result<(), StoreError> {
    if lexicon.months().is_none() {
        let months = months_with_entries(store, tenant, lexicon.newest()).await?;
        lexicon.keep_months(months);
    }
    Ok(())
}

/// The latest months in which there are entries, up to [`MOST_MONTHS`]: one
/// look at the store for each.
async fn months_with_entries(
    store: &Store,
    tenant: &str,
    newest: Option<Timestamp>,
) -> Result<BTreeSet<Month>, StoreError> {
    let mut months = BTreeSet::new();
    let mut next = newest;
    while let Some(at) = next.filter(|_| months.len() < MOST_MONTHS) {
        let first = at.to_zoned(TimeZone::UTC).date().first_of_month();
        months.insert((first.year(), first.month()));
        // Before the first month that times can have, there is nothing.
        next = match first.to_zoned(TimeZone::UTC) {
            Ok(start) => newest_before(store, tenant, Some(start.timestamp())).await?,
            Err(_) => None,
        };
    }
    Ok(months)
}

async fn newest_before(
    store: &Store,
    tenant: &str,
    until: Option<Timestamp>,
) -> Result<Option<Timestamp>, StoreError> {
    let mut request = ListRequest::newest(1);
    let range = TimeRange { from: None, until };
    request.filter.clauses.extend(until.map(|_| FilterClause {
        field: FilterField::Timestamp,
        condition: Condition::Time(range),
    }));
    let page = store.list(tenant, request).await?;
    Ok(page.entries.first().map(|entry| entry.timestamp))
}

/// Every entry has a kind, so that its counts are those of the entries.
fn entries_of(fields: &[FieldValues]) -> u64 {
    let sums = fields.iter().map(sum_of);
    sums.max().unwrap_or(0)
}

fn sum_of(known: &FieldValues) -> u64 {
    known.values.iter().map(|(_, entries)| entries).sum()
}

/// Whether the values of a field are names, and no texts or ids.
pub(crate) fn names_things(known: &FieldValues) -> bool {
    let distinct = known.values.len();
    let is_own = distinct as f64 > DISTINCT_PART * sum_of(known) as f64;
    known.field.query_name() != TITLE && (distinct <= FEW_VALUES || !is_own)
}
