//! The contract over the binary boundary.

pub mod manifest;
