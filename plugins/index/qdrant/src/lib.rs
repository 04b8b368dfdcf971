//! A vector index in collections of a Qdrant server (1.10 or later).
//!
//! ```yaml
//! store:
//!   vectors: qdrant
//!   vector_settings:
//!     url: https://vectors.lab.example:6333
//!     api_key: { env: QDRANT_API_KEY }
//! ```
//!
//! Each model has a collection of its own. A passage is a point whose id is made
//! of its entry's row and its ordinal; its payload has the row, `doc`, which
//! filters compare. Filters of entries become sets of rows before they come here,
//! so that the server knows nothing of the entries but rows and vectors.
//!
//! Changes are in memory until they are committed, and are found there. A commit
//! deletes the points of changed entries, writes the new ones in batches, and
//! then a point without a vector that says how far the index got. While points
//! are written that point says so: what a crash leaves is written again.
//!
//! In the folder of the index is one file, which names the collection. It is
//! written at every commit, so that other processes see that there was one.

mod client;
mod collection;
mod commit;
mod engine;
mod error;
mod filter;
mod index;
mod marker;
mod settings;
mod tail;

pub use engine::QdrantEngine;
pub use error::QdrantError;
pub use settings::{Quantization, Settings};
