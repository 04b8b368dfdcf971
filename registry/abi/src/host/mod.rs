//! The host's side of the boundary: opening a dylib, and its plugins as if
//! they were linked in.

mod bounded;
mod differences;
mod foreign;
mod instances;
mod lent;
mod log;
mod open;
mod providers;
mod records;
mod services;

pub use foreign::{FailedExport, ForeignExport};
pub use open::{OpenError, Opened, Opening, open};
pub use services::EnterHost;

#[cfg(test)]
pub(crate) use foreign::described;
#[cfg(test)]
pub(crate) use open::{check_both_ways, start};
