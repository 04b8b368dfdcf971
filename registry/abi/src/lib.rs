//! The contract over the binary boundary.

pub mod contain;
pub mod host;
pub mod layout;
pub mod manifest;
pub mod plugin;
pub mod vtable;

#[doc(hidden)]
pub use abi_stable::library::LibHeader;
#[doc(hidden)]
pub use futures::future::BoxFuture;
#[doc(hidden)]
pub use gannet_api::inventory;
