//! What the indexes over the records share: what they take over from the
//! records, what they are asked, sets of rows, and which files of an index were
//! compared with their checksums.
//!
//! An index is a projection of the records: it can be lost and made again at
//! any time. Rows of the records have numbers, and a filter is the set of the
//! rows that pass it.
//!
//! ```
//! use gannet_index::Bitmap;
//!
//! let mut allowed = Bitmap::new(1_000);
//! allowed.set(3);
//! allowed.set(999);
//! assert_eq!(allowed.count_between(0, 500), 1);
//! ```

mod bitmap;
mod changes;
mod field_values;
mod field_weights;
mod matches;
mod micros;
mod text_request;
mod verified_files;

pub use bitmap::Bitmap;
pub use changes::{EntryRow, RowBatch, TextChanges};
pub use field_values::{Collected, FieldValues, LONGEST_VALUE, is_listed};
pub use field_weights::FieldWeights;
pub use matches::{MatchCounts, MatchRequest};
pub use micros::micros_from;
pub use text_request::TextRequest;
pub use verified_files::{UnverifiedFile, VerifiedFiles};
