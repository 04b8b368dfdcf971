//! The contract of indexes, and how a program finds this one.

#![allow(clippy::unwrap_used)]

use gannet_plain_index::PlainEngine;

#[test]
fn it_keeps_the_contract_of_indexes() {
    let folder = tempfile::tempdir().unwrap();
    gannet_index::conformance::check_vectors(&PlainEngine, folder.path());
}

#[test]
fn a_program_that_links_it_finds_it_by_its_name() {
    let found = gannet_index::vector_engine("plain").unwrap();
    assert_eq!(found.name(), "plain");
}
