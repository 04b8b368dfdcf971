//! The stores through their public surface. One program, since each one links
//! the whole store.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// Linked, so that stores find them.
use {gannet_index_flat as _, gannet_index_tantivy as _};

#[macro_use]
mod common;

mod attachments;
mod backup;
mod claims;
mod coverage;
mod durability;
mod enhancement;
mod erase;
mod field_values;
mod filters;
mod fuzz_seeds;
mod late_interaction;
mod many_passages;
mod matches;
mod mirror;
mod mirror_ariel;
mod mirror_away;
mod nothing_found;
mod other_engine;
mod other_sources;
mod postgres;
mod postgres_ariel;
mod postgres_follow;
mod postgres_load;
mod postgres_outage;
mod postgres_replica;
mod postgres_setup;
mod read_only;
mod records;
mod records_enhanced;
mod records_filters;
mod restored;
mod store_copy;
mod text_damage;
mod text_plain;
mod text_search;
mod text_without_spaces;
mod text_writings;
mod times_of_entries;
mod unusable_vectors;
mod vectors;
mod vectors_of_two;
mod verify_records;
mod verify_vectors;
