//! The host's side of the boundary: opening a dylib, and its plugins as if
//! they were linked in.

mod differences;
mod foreign;
mod lent;
mod log;
mod open;
mod records;
mod services;

pub use foreign::ForeignExport;
pub use open::{OpenError, Opening, open};
pub use services::EnterHost;

#[cfg(test)]
pub(crate) use open::{check_both_ways, start};
