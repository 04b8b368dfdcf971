//! A replica of a database in a folder, which answers at the speed of the
//! embedded store.
//!
//! A task in the background ([`follower`]) copies what changed. One process
//! at a time does so for a folder: the one that holds its lock file. How far
//! the copy is stands in the copy, committed together with what was copied,
//! so that a copy that was cut off goes on where it stopped.
//!
//! - [`MirroredStore`]: the truth is a database of this program's.
//! - [`ArielStore`]: the truth is ARIEL's database, which is only read.

mod ariel;
mod ariel_models;
mod claims;
mod follow_ariel;
mod follow_ariel_vectors;
mod follow_postgres;
mod follower;
mod freshness;
mod mirrored;
mod snapshot;
mod source;

pub(crate) use ariel::ArielStore;
pub(crate) use mirrored::MirroredStore;

/// Entries copied at a time.
const ENTRIES: usize = 2_000;
/// Entries whose vectors are copied at a time.
const VECTORS: usize = 1_000;
/// How long opening waits for the first look, so that a program that opens,
/// searches and ends sees everything that is there.
const CATCH_UP: std::time::Duration = std::time::Duration::from_secs(1);
