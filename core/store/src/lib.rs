//! Stores: one truth and its projections.
//!
//! The records (SQLite) are the truth: what is committed there is
//! acknowledged. The text index and the vector indexes are projections: they
//! follow the records' sequence of changes, know how far they got, replay what
//! they lack when they are opened, and are made anew when they are damaged.
//! [`Store`] joins them. Of an index it knows the traits of [`gannet_index`]
//! and the name, by which it finds the engine among those that are linked into
//! the program.
//!
//! The truth can also be a PostgreSQL database, for many hosts. A copy of it
//! in a folder ([`StoreOptions::Mirrored`]) then answers searches at the
//! speed of the embedded store, and goes on while the database is away.
//! ARIEL's database can be searched in the same way without being changed
//! ([`StoreOptions::Ariel`]).
//!
//! ```
//! use gannet_api::query::{QueryOptions, parse};
//! use gannet_api::{Entry, Filter, QuerySyntax};
//! use gannet_store::{Store, StoreOptions, TextRequest};
//! // These lines link the indexes.
//! use {gannet_index_flat as _, gannet_index_tantivy as _};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let store = Store::open(StoreOptions::at(folder.path())).await?;
//! store
//!     .upsert(vec![
//!         Entry::new("1", "demo", "2024-06-12T08:00:00Z".parse()?, "RF-2 tripped, beam lost"),
//!         Entry::new("2", "demo", "2024-06-12T09:00:00Z".parse()?, "Vacuum is fine"),
//!     ])
//!     .await?;
//! store.flush().await?;
//!
//! let request = TextRequest {
//!     query: parse("RF-2 trip", QuerySyntax::Operators, &QueryOptions::default()),
//!     filter: Filter::none(),
//!     limit: 10,
//!     fuzzy: true,
//! };
//! let found = store.text_search("default", request).await?;
//! assert_eq!(found.hits[0].entry_id, "1");
//! let shown = found.highlighter.highlight("RF-2 tripped, beam lost");
//! assert_eq!(shown[0].text, "RF-2 tripped, beam lost");
//! store.close().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod from_row;

// Linked, so that the tests find them.
#[cfg(test)]
use {gannet_index_flat as _, gannet_index_tantivy as _};

mod arrivals;
mod backup;
mod claim;
mod content;
mod cursor;
mod embedded;
mod error;
mod examination;
mod finding;
mod incoming;
mod late_interaction;
mod migration;
mod mirror;
mod models;
mod options;
mod postgres;
mod request;
mod span_similarity;
mod store;
mod stored;
mod summary;
mod token_records;
mod upsert_report;

pub use arrivals::{Arrival, Arrivals};
pub use backup::RecordCounts;
pub use claim::WorkClaim;
pub use embedded::EmbeddedStore;
pub use error::StoreError;
pub use finding::{Finding, Health, counted};
pub use gannet_index::{
    FieldValues, FieldWeights, IndexError, MatchCounts, MatchRequest, TextRequest,
    configured_vector_engine, text_engine,
};
pub use incoming::UPLOADED;
pub use late_interaction::LateInteraction;
pub use migration::MigrationReport;
pub use models::fail_unusable;
pub use options::{EmbeddedOptions, StoreOptions};
pub use postgres::{Migrate, PostgresOptions, PostgresStore};
pub use request::{
    Cursor, INCOMPLETE_INDEX, IngestionRun, ListRequest, Page, RebuildScope, RunOutcome, RunStatus,
    StateKey, StatusCounts, StoreStats, TextFound, VectorCoverage, VectorRequest, WorkedOn,
};
pub use span_similarity::SpanRequest;
pub use store::Store;
pub use summary::Summary;
pub use token_records::{EntryTokens, PassageTokens, TokenRecords};
pub use upsert_report::{ReplacedSource, UpsertReport};
