//! The text index: a projection of the records, in tantivy.
//!
//! It follows the changes of the records and knows how far it got; one that is
//! lost or damaged is made again from the records. A query is compiled from its
//! syntax tree ([`gannet_analysis::Wanted`]), prefixes, patterns and misspelt
//! words are found in the term dictionary, a filter becomes a set of documents,
//! and the best hits are collected in a total order.
//!
//! ```
//! use gannet_api::query::{QueryOptions, parse};
//! use gannet_api::{Entry, Filter, QuerySyntax};
//! use gannet_index::{EntryRow, FieldWeights, Position, TextChanges, TextEngine, TextRequest};
//! use gannet_index_tantivy::TantivyEngine;
//!
//! # let folder = tempfile::tempdir()?;
//! let index = TantivyEngine.create(&folder.path().join("text"), FieldWeights::default())?;
//! let mut writer = index.writer(Position::begin("a database"))?;
//! let at = "2024-06-12T08:00:00Z".parse()?;
//! writer.apply(&TextChanges {
//!     changed: vec![EntryRow {
//!         doc: 1,
//!         created_seq: 1,
//!         entry: Entry::new("1", "demo", at, "RF-2 tripped, beam lost"),
//!     }],
//!     deleted: Vec::new(),
//!     reached: 1,
//!     mark: None,
//!     more: false,
//!     bytes: 23,
//! })?;
//! writer.commit()?;
//! index.reload()?;
//!
//! let found = index.search(
//!     "default",
//!     &TextRequest {
//!         query: parse("RF-2 trip", QuerySyntax::Operators, &QueryOptions::default()),
//!         filter: Filter::none(),
//!         limit: 10,
//!         fuzzy: true,
//!     },
//! )?;
//! assert_eq!(found.hits[0].entry_id, "1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compile;
mod contents;
mod directory;
mod docs;
mod document;
mod engine;
mod error;
mod expand;
mod facets;
#[cfg(debug_assertions)]
pub mod faults;
mod filter;
mod idf;
mod index;
mod matching;
mod payload;
mod recovery;
mod schema;
mod search;
mod segment_files;
mod spelling;
mod statistics;
mod top;
#[cfg(test)]
mod traversal_tests;
mod values;
mod verified;
mod writer;

pub use engine::TantivyEngine;
pub use error::TextError;
