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
/// `embedders`, `rerankers`, `readers` and `chat_models`; each is written at
/// most once.
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
        $($($crate::of_kind!($kind, $plugin, register_plugin);)+)+
        $crate::abi::plugin_root!(
            $runtime,
            [$($($crate::of_kind!($kind, $plugin, export_of)),+),+]
        );
    };
    ($($kind:ident: [$($plugin:ty),+ $(,)?]),+ $(,)?) => {
        $crate::export_plugin! { runtime: none, $($kind: [$($plugin),+]),+ }
    };
    ($($other:tt)*) => {
        compile_error!(
            "export_plugin! takes lists of types, such as `search_modules: [MySearch]`, none of \
             them empty; `runtime: tokio` stands before them"
        );
    };
}

/// Hands a type with the name and the trait of its kind to another macro; used
/// by [`export_plugin!`].
#[doc(hidden)]
#[macro_export]
macro_rules! of_kind {
    (search_modules, $plugin:ty, $then:ident) => {
        $crate::$then! { search_module, SearchModule, $plugin }
    };
    (pipelines, $plugin:ty, $then:ident) => {
        $crate::$then! { pipeline, Pipeline, $plugin }
    };
    (adapters, $plugin:ty, $then:ident) => {
        $crate::$then! { adapter, Adapter, $plugin }
    };
    (enhancers, $plugin:ty, $then:ident) => {
        $crate::$then! { enhancer, Enhancer, $plugin }
    };
    (embedders, $plugin:ty, $then:ident) => {
        $crate::$then! { embedder, Embedder, $plugin }
    };
    (rerankers, $plugin:ty, $then:ident) => {
        $crate::$then! { reranker, Reranker, $plugin }
    };
    (readers, $plugin:ty, $then:ident) => {
        $crate::$then! { reader, Reader, $plugin }
    };
    (chat_models, $plugin:ty, $then:ident) => {
        $crate::$then! { chat_model, ChatModel, $plugin }
    };
    ($other:ident, $plugin:ty, $then:ident) => {
        compile_error! { concat!(
            "export_plugin! has no list `",
            stringify!($other),
            "`; there are search_modules, pipelines, adapters, enhancers, embedders, rerankers, \
readers and chat_models"
        ) }
    };
}

/// The kind and the name of one type, for the manifest.
#[doc(hidden)]
#[macro_export]
macro_rules! export_of {
    ($kind:ident, $author:ident, $plugin:ty) => {
        (stringify!($kind), <$plugin as $crate::api::$author>::NAME)
    };
}

/// Registers one type.
#[doc(hidden)]
#[macro_export]
macro_rules! register_plugin {
    ($kind:ident, $author:ident, $plugin:ty) => {
        $crate::api::inventory::submit! {
            $crate::api::Registration::$kind::<$plugin>(
                env!("CARGO_PKG_NAME"),
                env!("CARGO_PKG_VERSION"),
            )
        }
    };
}
