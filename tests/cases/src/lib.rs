//! Inputs with what the source systems give for them, from the folder
//! `shared/cases` beside the repository.
//!
//! ```
//! // Empty where the folder is not there, with a line that says so.
//! for case in gannet_test_cases::cases("ariel.jsonl", "rrf") {
//!     assert_eq!(case["area"], "rrf");
//! }
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on should stop where it stands"
)]

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder that the cases lie in, where they are at hand.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases")
}

/// The cases of one area of a file, or none with a line that says so.
pub fn cases(file: &str, area: &str) -> Vec<Value> {
    let path = folder().join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        // Not `eprintln!`: the test harness hides that of a test that passes.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {area} needs {}",
            path.display()
        );
        return Vec::new();
    };
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_area: Vec<Value> = cases.filter(|case| case["area"] == area).collect();
    assert!(!of_area.is_empty(), "no case of area {area} in {file}");
    of_area
}

/// The texts of a list.
pub fn strings(value: &Value) -> Vec<String> {
    let members = value.as_array().unwrap().iter();
    members
        .map(|member| member.as_str().unwrap().to_owned())
        .collect()
}
