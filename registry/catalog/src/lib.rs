//! Which plugins there are, and which of them are on.
//!
//! The [`Registry`] is what is linked into the program: every registration,
//! sorted by kind and name, duplicates refused. The [`Catalog`] is what the
//! configuration makes of it: instances, by kind and name, each made from
//! settings that were checked against the plugin's own schema. What keeps
//! plugins in dylibs from being loaded unseen stands in [`loading`].
//!
//! ```
//! use gannet_plugin::descriptor::PluginKind;
//! use gannet_plugin::prelude::*;
//! use gannet_plugin::setup::Registration;
//! use gannet_registry::{Catalog, Registry, Wanted};
//!
//! struct Nothing;
//!
//! impl SearchModule for Nothing {
//!     const NAME: &'static str = "nothing";
//!
//!     type Settings = NoSettings;
//!     fn descriptor() -> Descriptor {
//!         Descriptor::search_module(Self::NAME, "Nothing", "Finds nothing.")
//!     }
//!     fn new(_: NoSettings, _: &Setup) -> Result<Self> {
//!         Ok(Self)
//!     }
//!     async fn search(&self, _: SearchRequest, _: &Context) -> Result<Vec<Hit>> {
//!         Ok(Vec::new())
//!     }
//! }
//!
//! # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::of([Registration::search_module::<Nothing>("example", "1.0.0")])?;
//! let wanted = Wanted::new(PluginKind::SearchModule, "nothing");
//! let catalog = Catalog::build(&registry, vec![wanted]).map_err(|errors| errors[0].to_string())?;
//! assert!(catalog.search_module("nothing").is_some());
//! # Ok(())
//! # }
//! ```

mod bounded;
mod catalog;
mod error;
mod loaded;
pub mod loading;
mod nearest;
mod registry;
pub mod schema;
mod settings;
mod wanted;

pub use bounded::shorten;
pub use catalog::{Catalog, Instance};
pub use error::CatalogError;
pub use gannet_abi::host::EnterHost;
pub use gannet_abi::{contain, exit_guard};
pub use gannet_plugin::testing::conformance;
pub use nearest::{did_you_mean, nearest};
pub use registry::{Origin, Registered, Registry};
pub use wanted::Wanted;
