//! The plugin's side of the boundary: what a dylib exports.
//!
//! A dylib's own `inventory` is its list of plugins, as it is in a program
//! that links them. [`root`] walks it when a host starts the dylib; each
//! registration becomes an object that answers over the boundary. In a
//! program that links the plugin nothing here runs.

mod call;
mod exports;
mod host;
mod lifecycle;
mod log;
mod modules;
mod providers;
mod records;
pub mod root;
mod runtime;

pub use runtime::{AbortTask, Runtime, RuntimeFactory};
