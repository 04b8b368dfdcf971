//! A host in memory, for the tests of plugins.
//!
//! [`FakeHost`] holds the entries that a test puts in and answers as a host
//! does, in a simple way that is easy to foresee. What a test wants otherwise
//! it scripts (`on_…`), and what the plugin asked for is in
//! [`FakeHost::calls`]. Nothing waits for anything, so any executor will do;
//! here it is `pollster`.
//!
//! ```
//! use gannet_plugin::testing::FakeHost;
//! use gannet_plugin::{
//!     Condition, Context, Descriptor, Entry, FilterField, Hit, NoSettings, Result, SearchModule,
//!     SearchRequest, Setup, TextSearch,
//! };
//!
//! /// Finds entries of the day shift only.
//! struct DayShift;
//!
//! impl SearchModule for DayShift {
//!     type Settings = NoSettings;
//!
//!     fn descriptor() -> Descriptor {
//!         Descriptor::search_module("day_shift", "Day shift", "Finds entries of the day shift.")
//!     }
//!
//!     fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
//!         Ok(Self)
//!     }
//!
//!     async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
//!         let day = Condition::Equals("Day".to_owned());
//!         let mut search = TextSearch::new(request.query, request.limit);
//!         search.filter = request.filter.and(FilterField::from_name("shift"), day);
//!         context.text_search(search).await
//!     }
//! }
//!
//! let time = "2024-01-05T08:30:00Z".parse().unwrap();
//! let mut day = Entry::new("E1", "log", time, "RF tripped, reset");
//! day.metadata.insert("shift".to_owned(), "Day".into());
//! let mut owl = Entry::new("E2", "log", time, "RF tripped again");
//! owl.metadata.insert("shift".to_owned(), "Owl".into());
//! let host = FakeHost::default().with_entries([day, owl]);
//!
//! let request = SearchRequest::new("rf tripped", 10);
//! let hits = pollster::block_on(DayShift.search(request, &host.context())).unwrap();
//!
//! assert_eq!(hits.len(), 1);
//! assert_eq!(hits[0].entry_id, "E1");
//! assert_eq!(host.calls().text_searches[0].query, "rf tripped");
//! ```

mod calls;
mod fake_host;
mod fetched;
mod hash_embedder;
mod modules;
mod query;
mod services;
#[cfg(test)]
mod tests;
mod text;
mod vectors;

pub use calls::{Calls, ModuleCall};
pub use fake_host::FakeHost;
pub use fetched::Fetched;
pub use hash_embedder::HashEmbedderForTests;

use crate::Context;

/// A context of the tenant `default`, without a deadline, on a host that holds
/// nothing. A test of another tenant or deadline sets it in `call`.
pub fn context() -> Context {
    FakeHost::default().context()
}
