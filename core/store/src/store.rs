//! The facade: one store, wherever its entries are kept.

use std::collections::BTreeMap;

use gannet_api::{EmbeddingModel, Enhanced, Entry, FilterField, Found};

use crate::arrivals::Arrivals;
use crate::claim::WorkClaim;
use crate::embedded::EmbeddedStore;
use crate::error::StoreError;
use crate::mirror::{ArielStore, MirroredStore};
use crate::options::StoreOptions;
use crate::postgres::PostgresStore;
use crate::request::{
    IngestionRun, ListRequest, Page, RebuildScope, RunOutcome, StateKey, StatusCounts, StoreStats,
    TextFound, VectorCoverage, VectorRequest, WorkedOn,
};
use crate::token_records::TokenRecords;
use crate::upsert_report::UpsertReport;
use gannet_index::{FieldValues, MatchCounts, MatchRequest, TextRequest};

/// Entries, and the searches over them: in a folder, in PostgreSQL, or in
/// PostgreSQL with a replica in a folder.
///
/// Clones share one store. What [`upsert`](Self::upsert) acknowledged is
/// durable. It is found after a moment, or after [`flush`](Self::flush).
/// Several processes can use one store.
///
/// Timestamps are kept in whole microseconds; what is finer is cut.
#[derive(Clone)]
pub struct Store(Kind);

#[derive(Clone)]
enum Kind {
    Embedded(EmbeddedStore),
    Postgres(PostgresStore),
    Mirrored(MirroredStore),
    Ariel(ArielStore),
}

impl Store {
    /// Opens the store that the options name, and makes it when it is
    /// missing.
    pub async fn open(options: StoreOptions) -> Result<Self, StoreError> {
        Ok(Self(match options {
            StoreOptions::Embedded(options) => Kind::Embedded(EmbeddedStore::open(options).await?),
            StoreOptions::Postgres(options) => Kind::Postgres(PostgresStore::open(options).await?),
            StoreOptions::Mirrored { postgres, folder } => {
                Kind::Mirrored(MirroredStore::open(postgres, folder).await?)
            }
            StoreOptions::Ariel { postgres, folder } => {
                Kind::Ariel(ArielStore::open(postgres, folder).await?)
            }
        }))
    }

    /// Why entries cannot be written here; `None` where they can, as far as the
    /// folder of an embedded store or a replica tells.
    pub fn read_only(&self) -> Option<&str> {
        match &self.0 {
            Kind::Embedded(store) => store.read_only(),
            Kind::Postgres(_) => None,
            Kind::Mirrored(store) => store.read_only(),
            Kind::Ariel(store) => store.read_only(),
        }
    }

    /// Flushes, puts everything on disk and lets go of files and connections.
    /// Other clones of this store cannot be used after it.
    pub async fn close(self) -> Result<(), StoreError> {
        match self.0 {
            Kind::Embedded(store) => store.close().await,
            Kind::Postgres(store) => store.close().await,
            Kind::Mirrored(store) => store.close().await,
            Kind::Ariel(store) => store.close().await,
        }
    }
}

/// Every call goes to the store that was opened.
macro_rules! calls {
    ($(
        $(#[$documentation:meta])*
        $name:ident($($argument:ident: $type:ty),*) -> $output:ty;
    )*) => {
        impl Store {
            $(
                $(#[$documentation])*
                pub async fn $name(&self, $($argument: $type),*) -> Result<$output, StoreError> {
                    match &self.0 {
                        Kind::Embedded(store) => store.$name($($argument),*).await,
                        Kind::Postgres(store) => store.$name($($argument),*).await,
                        Kind::Mirrored(store) => store.$name($($argument),*).await,
                        Kind::Ariel(store) => store.$name($($argument),*).await,
                    }
                }
            )*
        }
    };
}

calls! {
    /// Writes entries in one transaction. When this returns they are
    /// committed, and found as soon as the indexes have followed. An entry
    /// with the same content as before is left alone; one with a new text
    /// loses its vectors and is enhanced anew.
    upsert(entries: Vec<Entry>) -> UpsertReport;

    /// At most `limit` entries of all tenants that came into the store after a
    /// change, in the order in which they came. An entry that is changed keeps
    /// its place; one that is deleted and comes again has a new one.
    arrivals(after: i64, limit: usize) -> Arrivals;

    /// The vectors of the passages of each entry by a model, in the order asked;
    /// none for an entry without any.
    passage_vectors(tenant: &str, model: &str, ids: &[String]) -> Vec<Vec<Vec<f32>>>;

    /// Deletes entries; returns how many there were.
    delete(tenant: &str, ids: &[String]) -> u64;

    /// Entries by id, in the order asked; unknown ones are left out.
    entries(tenant: &str, ids: &[String]) -> Vec<Entry>;

    /// A page of entries in the order of time, then id. Read from the
    /// records: what was just written is in it.
    list(tenant: &str, request: ListRequest) -> Page;

    /// The values of a field with the number of entries that have them, most
    /// frequent first. Members of lists count one by one.
    distinct(tenant: &str, field: &FilterField, limit: usize) -> Vec<(String, u64)>;

    /// The values, in lower case, of every field that has at most `most` of
    /// them, with the number of entries that have each. Follows the text
    /// index. The cost depends on the number of values in the embedded store
    /// and in a replica; PostgreSQL reads the 20,000 entries that
    /// were written last.
    field_values(tenant: &str, most: usize) -> Vec<FieldValues>;

    /// In how many entries each word is, stemmed as in texts. Rough: deleted
    /// entries may count for a while, and new ones not yet.
    document_counts(tenant: &str, words: &[String]) -> Vec<u64>;

    /// The inverse document frequency of each word, stemmed as in texts; of one
    /// that the text index splits, that of its rarest part.
    idfs(tenant: &str, words: &[String]) -> Vec<f64>;

    /// Another number whenever [`field_values`](Self::field_values) may have
    /// changed. Reads no entries.
    values_version() -> u64;

    /// How many entries a tenant has.
    count(tenant: &str) -> u64;

    /// The tenants that have entries, in alphabetical order.
    tenants() -> Vec<String>;

    /// Searches the texts.
    ///
    /// Entries with all words come first; when they are fewer than the limit,
    /// the best ones with some of them follow, marked so. In plain mode the
    /// order is that of the score alone. A query without words lists by time,
    /// newest first, with the time in seconds as score; without words and
    /// filter it finds nothing.
    text_search(tenant: &str, request: TextRequest) -> TextFound;

    /// Counts the entries that match the whole query or, when there are none,
    /// those with some of its words; and the values that they have of some
    /// fields.
    text_matches(tenant: &str, request: MatchRequest) -> MatchCounts;

    /// Searches the vectors of a model. An entry is scored by its best
    /// passage, which the hit carries.
    vector_search(tenant: &str, request: VectorRequest) -> Found;

    /// The token vectors of entries by a model.
    token_records(tenant: &str, model: &str, ids: &[String]) -> TokenRecords;

    /// Notes a model, so that its vectors can be stored. Another variant or
    /// dimension under the same name is [`StoreError::ModelChanged`].
    register_model(model: &EmbeddingModel) -> ();

    /// Forgets a model and all of its vectors, so that another variant or
    /// dimension can take its name.
    forget_model(name: &str) -> ();

    /// How many entries of a tenant there are, and how many of those with a
    /// text have no vector of a model, which may be one that the store does
    /// not know.
    vector_coverage(tenant: &str, model: &str) -> VectorCoverage;

    /// Forgets models whose vectors no store can hold, which an older program
    /// took; returns their names.
    forget_unusable_models() -> Vec<String>;

    /// Puts entries back to pending that a module has completed, and that
    /// have a text and no vector of a model; returns how many.
    reopen_unembedded(module: &str, model: &str) -> u64;

    /// Ends the waiting of entries that failed in a module; returns how many
    /// waited.
    retry_failed(module: &str) -> u64;

    /// Entries of all tenants that a module has to work on.
    /// Those that failed come back after a while.
    pending(module: &str, limit: usize) -> Vec<Entry>;

    /// How many entries a module has not completed, failed ones included.
    pending_count(module: &str) -> u64;

    /// The right to work on what waits for a module; `None` while another
    /// process has it. Nobody is kept from working without it: it saves two
    /// processes from doing the same work.
    claim_enhancement(module: &str) -> Option<WorkClaim>;

    /// The right to follow a source; `None` while another process has it. As
    /// above, it saves two processes from doing the same work.
    claim_source(source: &str) -> Option<WorkClaim>;

    /// Keeps what a module made of entries, each with its tenant, and how far
    /// it got, in one transaction.
    save_enhanced(module: &str, outcomes: Vec<(WorkedOn, Enhanced)>) -> ();

    /// Puts every entry of a module back to pending; returns how many.
    reset_enhancement(module: &str) -> u64;

    /// Complete, failed and pending entries of every module that ever ran.
    enhancement_counts() -> BTreeMap<String, StatusCounts>;

    /// Notes that an ingestion begins; returns its number.
    begin_run(source_system: &str) -> i64;

    /// Notes how an ingestion ended.
    finish_run(run: i64, outcome: RunOutcome) -> ();

    /// The latest ingestion runs, newest first.
    runs(limit: usize) -> Vec<IngestionRun>;

    /// What was remembered under a key.
    plugin_state(key: &StateKey) -> Option<String>;

    /// Remembers a value under a key, or forgets it.
    set_plugin_state(key: &StateKey, value: Option<&str>) -> ();

    /// Bytes of the keys and values that are remembered for one owner.
    plugin_state_bytes(owner: &str) -> u64;

    /// The keys under which something is remembered for one owner and tenant.
    plugin_state_keys(owner: &str, tenant: &str) -> Vec<String>;

    /// The keys and values that are remembered for one owner and tenant.
    plugin_states(owner: &str, tenant: &str) -> Vec<(String, String)>;

    /// Waits until every change committed so far can be found. Where another
    /// process writes the indexes it waits for that one, and gives up with
    /// [`StoreError::Behind`].
    flush() -> ();

    /// Makes indexes again from the records, also damaged ones and such that
    /// lack entries. PostgreSQL keeps its own indexes up; there what is worked
    /// out of each entry is made again, whatever the scope.
    rebuild(scope: RebuildScope) -> ();

    /// Takes what deleted and replaced entries left out of the files: rewrites
    /// the database, and makes the indexes again. Until it is done, or after a
    /// crash on the way once the store is opened again, their bytes are still
    /// there, though nothing finds them. PostgreSQL's own log and backups are
    /// not touched; its tables are locked one after the other.
    erase() -> ();

    /// The state of the store.
    stats() -> StoreStats;
}
