//! What a plugin author depends on: the contract, and [`export_plugin!`].
//!
//! A plugin is a type that implements one of the four exported kinds
//! ([`SearchModule`](prelude::SearchModule), [`Pipeline`](prelude::Pipeline),
//! [`Adapter`](prelude::Adapter), [`Enhancer`](prelude::Enhancer)) or a
//! [`provider`], and one line that makes it
//! known to the host. This is a whole search module:
//!
//! ```standalone_crate
//! use gannet_plugin::filter::{FilterField, Condition};
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
//!         Descriptor::search_module(Self::NAME, "Day shift", "Finds entries of the day shift.")
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
//! let names: Vec<String> = gannet_plugin::setup::Registration::linked()
//!     .map(|registration| (registration.describe)().name)
//!     .collect();
//! assert_eq!(names, ["day_shift"]);
//! ```
//!
//! The host then lists it, and a configuration switches it on:
//!
//! ```yaml
//! search_modules:
//!   day_shift: { enabled: true }
//! pipelines:
//!   rag: { retrieval_modules: [keyword, day_shift] }
//! ```
//!
//! A setting that is a key or a password is a [`setup::Secret`].
//!
//! The [`prelude`] has what nearly every plugin uses; everything else stands in
//! a module by what it is about, and in one only. Two of them are for authors
//! alone:
//!
//! - [`testing`] has a host in memory, to call a plugin in its own tests, and
//!   the conformance test, one line that asks of it what every plugin must do;
//! - [`ingest`] has what adapters share: times, ids, opening the source and
//!   selecting from it.

pub mod ingest;
mod modules;
pub mod prelude;
pub mod testing;
#[cfg(doctest)]
mod wrong_settings;

#[doc(hidden)]
pub use gannet_abi as abi;
#[doc(hidden)]
pub use gannet_api as api;
pub use gannet_api::{limits, query};
pub use modules::{
    descriptor, enhance, entry, filter, host, http, pipeline, plan, provider, publish, search,
    setup,
};
#[doc(hidden)]
pub use schemars;
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json;

/// Makes plugins known to the host: a list of types for each kind.
///
/// The kinds are `search_modules`, `pipelines`, `adapters`, `enhancers`,
/// `embedders`, `rerankers` and `chat_models`; each is written at most once.
/// The crate's name and version are registered beside them. It stands once in
/// a crate, and the same crate is linked in or, as a cdylib, loaded.
///
/// A plugin that uses tokio, or anything that needs it, says so first. Loaded
/// as a dylib it then has a runtime of its own, made with the crate's own
/// tokio (feature `rt-multi-thread`); linked in it uses the host's.
///
/// ```ignore
/// gannet_plugin::export_plugin! {
///     runtime: tokio,
///     search_modules: [Live],
/// }
/// ```
#[macro_export]
macro_rules! export_plugin {
    (runtime: $runtime:ident, $($kind:ident: [$($plugin:ty),+ $(,)?]),+ $(,)?) => {
        $($($crate::register_plugin!($kind, $plugin);)+)+
        $crate::abi::plugin_root!(
            $runtime,
            [$($($crate::export_of!($kind, $plugin)),+),+]
        );
    };
    ($($kind:ident: [$($plugin:ty),+ $(,)?]),+ $(,)?) => {
        $crate::export_plugin! { runtime: none, $($kind: [$($plugin),+]),+ }
    };
}

/// The kind and the name of one type, for the manifest; used by
/// [`export_plugin!`].
#[doc(hidden)]
#[macro_export]
macro_rules! export_of {
    (search_modules, $plugin:ty) => {
        (
            "search_module",
            <$plugin as $crate::api::SearchModule>::NAME,
        )
    };
    (pipelines, $plugin:ty) => {
        ("pipeline", <$plugin as $crate::api::Pipeline>::NAME)
    };
    (adapters, $plugin:ty) => {
        ("adapter", <$plugin as $crate::api::Adapter>::NAME)
    };
    (enhancers, $plugin:ty) => {
        ("enhancer", <$plugin as $crate::api::Enhancer>::NAME)
    };
    (embedders, $plugin:ty) => {
        ("embedder", <$plugin as $crate::api::Embedder>::NAME)
    };
    (rerankers, $plugin:ty) => {
        ("reranker", <$plugin as $crate::api::Reranker>::NAME)
    };
    (chat_models, $plugin:ty) => {
        ("chat_model", <$plugin as $crate::api::ChatModel>::NAME)
    };
}

/// Registers one type; used by [`export_plugin!`].
#[doc(hidden)]
#[macro_export]
macro_rules! register_plugin {
    (search_modules, $plugin:ty) => {
        $crate::register_plugin!(@ search_module, $plugin);
    };
    (pipelines, $plugin:ty) => {
        $crate::register_plugin!(@ pipeline, $plugin);
    };
    (adapters, $plugin:ty) => {
        $crate::register_plugin!(@ adapter, $plugin);
    };
    (enhancers, $plugin:ty) => {
        $crate::register_plugin!(@ enhancer, $plugin);
    };
    (embedders, $plugin:ty) => {
        $crate::register_plugin!(@ embedder, $plugin);
    };
    (rerankers, $plugin:ty) => {
        $crate::register_plugin!(@ reranker, $plugin);
    };
    (chat_models, $plugin:ty) => {
        $crate::register_plugin!(@ chat_model, $plugin);
    };
    (@ $constructor:ident, $plugin:ty) => {
        $crate::api::inventory::submit! {
            $crate::api::Registration::$constructor::<$plugin>(
                env!("CARGO_PKG_NAME"),
                env!("CARGO_PKG_VERSION"),
            )
        }
    };
}
