//! `gannet vocabulary`: the facility's short forms.

use std::path::Path;

use gannet_core::{VocabularyError, read_vocabulary};
use serde_json::json;

use crate::arguments::{Common, Format, VocabularyCommand};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, WARNING, number, print_json};

/// Checks a file.
pub fn run(common: &Common, command: VocabularyCommand) -> Result<Exit, Failure> {
    match command {
        VocabularyCommand::Check { path } => check(common, &path),
    }
}

fn check(common: &Common, path: &Path) -> Result<Exit, Failure> {
    let (concepts, warnings) = read_vocabulary(path).map_err(|error| match error {
        VocabularyError::File { .. } => Failure::usage(error),
        error => Failure::plugin(error),
    })?;
    let count = concepts.len() as u64;
    match common.format {
        Format::Table => {
            for warning in &warnings {
                outln!("{WARNING}warning{WARNING:#} {warning}");
            }
            outln!(
                "{GOOD}valid{GOOD:#} {}",
                number::count(count, "concept", "concepts")
            );
        }
        format => print_json(&json!({ "concepts": count, "warnings": warnings }), format)?,
    }
    Ok(Exit::Done)
}
