//! What every engine must do, as tests that its crate runs.
//!
//! ```ignore
//! #[test]
//! fn it_keeps_the_contract() {
//!     let folder = tempfile::tempdir().unwrap();
//!     gannet_index::conformance::check_vectors(&MyEngine, folder.path());
//! }
//! ```
//!
//! Each check panics with what was expected. Faults are part of it: work that was
//! not committed when the process ended, files that were cut or have a flipped
//! bit, and an index of other records.
#![allow(clippy::panic, clippy::expect_used)]

mod text;
mod vectors;

use std::path::{Path, PathBuf};

pub use text::check_text;
pub use vectors::check_vectors;

/// The files in a folder that are not empty, those of folders in it included.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files.extend(files_of(&path)),
            false => files.push(path),
        }
    }
    files.retain(|file| std::fs::metadata(file).is_ok_and(|file| file.len() > 0));
    files.sort();
    files
}

/// Puts other bytes in the place of a file, as a new file: one that is mapped
/// into memory stays as it is.
fn replace(file: &Path, bytes: &[u8]) {
    std::fs::remove_file(file).expect("a file of the index can be removed");
    std::fs::write(file, bytes).expect("a file of the index can be written");
}
