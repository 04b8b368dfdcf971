//! The contract over the binary boundary.
