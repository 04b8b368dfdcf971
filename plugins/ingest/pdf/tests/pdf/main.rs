//! Texts of whole files, and files that mean harm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod encrypted;
mod hostile;
mod made;
mod mutated;
mod texts;
