//! Every refusal, with a file of its own.

#![allow(clippy::unwrap_used, clippy::panic)]

mod damage;
mod inspection;
mod manifest;
mod pin;
mod place;

use super::fixtures::{Folders, good_library, good_manifest, rust_library, write};
use super::{DylibWish, LoadError, Preflight, preflight};

/// What becomes of these bytes in an allowed folder.
fn of_bytes(bytes: &[u8]) -> Result<Preflight, LoadError> {
    let folders = Folders::new();
    write(&folders.allowed().join("libpv_search.so"), bytes);
    preflight(&DylibWish::of("libpv_search.so"), &folders.rules())
}

fn gate(bytes: &[u8]) -> &'static str {
    of_bytes(bytes).unwrap_err().gate()
}

#[test]
fn a_good_file_passes_and_gives_what_is_opened() {
    let passed = of_bytes(good_library()).unwrap();
    assert_eq!(passed.manifest.name, "pv-search");
    assert_eq!(passed.bytes, good_library());
    assert_eq!(passed.size, good_library().len() as u64);
    assert_eq!(passed.sha256.len(), 64);
    assert!(passed.path.ends_with("plugins/libpv_search.so"));
}

#[test]
fn what_the_rust_compiler_makes_passes_whole_and_is_refused_in_part() {
    let library = rust_library(&good_manifest("pv-search"));
    assert_eq!(of_bytes(&library).unwrap().manifest.name, "pv-search");
    for percent in [1, 10, 30, 50, 80, 95, 99] {
        let cut = &library[..library.len() * percent / 100];
        assert_eq!(gate(cut), "object", "at {percent} %");
    }
}
