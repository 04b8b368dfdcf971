//! The test kit: a host in memory, and a test that every plugin has to pass.
//!
//! Two things are tested of a plugin. That it stands whatever a host does to
//! it is the same for all plugins: [`conformance`](mod@conformance) asks it
//! hostile questions, drops its calls, gives it a host that fails, and runs
//! the examples of its descriptor. That it does what it is for is its own;
//! what an [`Example`](gannet_api::Example) cannot say, a test says on a
//! [`FakeHost`].
//!
//! The host holds the entries that a test puts in and answers as a host does,
//! in a simple way that is easy to foresee. What a test wants otherwise it
//! scripts (`on_…`), and what the plugin asked for is in [`FakeHost::calls`].
//! Nothing waits for anything, so any executor will do; here it is
//! `pollster`.
//!
//! ```standalone_crate
//! use gannet_plugin::testing::{self, FakeHost};
//! use gannet_plugin::filter::{Condition, FilterField};
//! use gannet_plugin::prelude::*;
//! use gannet_plugin::search::TextSearch;
//!
//! /// Finds entries of the day shift only.
//! struct DayShift;
//!
//! impl SearchModule for DayShift {
//!     const NAME: &'static str = "day_shift";
//!
//!     type Settings = NoSettings;
//!
//!     fn descriptor() -> Descriptor {
//!         let example = Example::new("leaves out the other shifts", "tripped")
//!             .with_entries([
//!                 entry("E1", "Day", "RF tripped, reset"),
//!                 entry("E2", "Owl", "RF tripped again"),
//!             ])
//!             .finds(["E1"]);
//!         Descriptor::search_module(Self::NAME, "Day shift", "Finds entries of the day shift.")
//!             .with_example(example)
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
//! gannet_plugin::export_plugin! {
//!     search_modules: [DayShift],
//! }
//!
//! fn entry(id: &str, shift: &str, text: &str) -> Entry {
//!     let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
//!     let mut entry = Entry::new(id, "log", time, text);
//!     entry.metadata.insert("shift".to_owned(), shift.into());
//!     entry
//! }
//!
//! # fn main() {
//! // The first test: all plugins of this crate, in one line.
//! testing::assert_conforms();
//!
//! // The second: the question reaches the host's text search as it is.
//! let host = FakeHost::default().with_entries([entry("E1", "Day", "RF tripped")]);
//! let request = SearchRequest::new("\"rf tripped\"", 10);
//! let hits = pollster::block_on(DayShift.search(request, &host.context())).unwrap();
//!
//! assert_eq!(hits.len(), 1);
//! assert_eq!(host.calls().text_searches[0].query, "\"rf tripped\"");
//! # }
//! ```

mod calls;
pub mod conformance;
mod fake_host;
mod fetched;
mod hash_embedder;
mod modules;
mod query;
mod services;
mod sets;
#[cfg(test)]
mod tests;
mod text;
mod vectors;

pub use calls::{Calls, ModuleCall};
pub use conformance::{assert_conforms, conformance};
pub use fake_host::FakeHost;
pub use fetched::Fetched;
pub use hash_embedder::HashEmbedderForTests;

use gannet_api::{Context, Result, Settings};

/// A context of the tenant `default`, without a deadline, on a host that holds
/// nothing. A test of another tenant or deadline sets it in `call`.
pub fn context() -> Context {
    FakeHost::default().context()
}

/// Settings as a configuration has them: read, and refused where a value has a
/// wrong type or is out of its bounds. What a host does before it makes an
/// instance.
///
/// ```
/// use gannet_plugin::prelude::settings;
/// use gannet_plugin::testing;
/// use serde_json::json;
///
/// /// What the configuration can set.
/// #[settings]
/// struct Settings {
///     /// How many records are asked for.
///     #[setting(default = 50, min = 1, max = 500)]
///     records: usize,
/// }
///
/// assert_eq!(testing::settings::<Settings>(json!({})).unwrap().records, 50);
/// let refused = testing::settings::<Settings>(json!({ "records": 0 })).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "setting `records`: must be between 1 and 500, found 0"
/// );
/// ```
///
/// # Errors
/// [`Error::Configuration`](gannet_api::Error::Configuration) for a wrong type or an
/// unknown key, [`Error::Setting`](gannet_api::Error::Setting) out of bounds.
pub fn settings<S: Settings>(settings: serde_json::Value) -> Result<S> {
    gannet_api::read_settings(settings)
}
