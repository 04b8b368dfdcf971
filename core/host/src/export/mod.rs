//! Entries out of the store, in forms that others read.

mod eln;
mod lines;

pub use eln::ElnReport;
