//! The contract over the binary boundary: the same plugin, linked in or
//! loaded.
//!
//! Authors see none of this. `gannet-plugin` writes the plugin's side with
//! `export_plugin!`, `gannet-registry` uses the host's side. In between:
//!
//! - [`manifest`]: what a dylib says of itself before any of its code runs;
//! - [`layout`]: the data that crosses, typed where it is hot, JSON where it
//!   is open;
//! - [`vtable`]: the objects that cross, with `abi_stable` to check that both
//!   sides lay them out alike;
//! - [`plugin`]: a dylib's own registrations as such objects, on a runtime of
//!   its own where it asks for one;
//! - [`host`]: such objects as the traits of `gannet-api`, so that nobody
//!   behind them sees a difference;
//! - [`contain`]: panics as errors with text and place, on both sides;
//! - [`exit_guard`]: which plugin ended the process.
//!
//! The version of this crate is that of the contract. Its major moves when
//! plugins must be built anew; until then structs that cross by value are
//! frozen, methods are only appended, and error codes are an open set.
//!
//! ```
//! use gannet_abi::manifest::{CONTRACT, Manifest};
//!
//! let section = b"gannet plugin manifest 1\nname=pv\nversion=2.1.0\ncontract=2.1\n\
//!     abi_stable=0.11\npanic=unwind\nruntime=tokio\nroot=gannet_plugin_root_v1__pv\n\0";
//! let manifests = Manifest::read_section(section)?;
//! assert_eq!(manifests[0].name, "pv");
//! assert_eq!(manifests[0].contract.major, CONTRACT.major);
//! # Ok::<(), gannet_abi::manifest::ManifestError>(())
//! ```

mod chat;
pub mod contain;
mod descriptors;
pub mod exit_guard;
pub mod host;
mod last;
pub mod layout;
pub mod manifest;
pub mod plugin;
#[cfg(test)]
mod tests;
pub mod vtable;

#[doc(hidden)]
pub use abi_stable::library::LibHeader;
#[doc(hidden)]
pub use futures::future::BoxFuture;
#[doc(hidden)]
pub use gannet_api::inventory;
