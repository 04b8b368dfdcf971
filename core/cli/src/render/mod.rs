//! How results look on a terminal.

mod answer;
mod entry;
mod hits;
mod safe;
mod style;
mod table;
mod wrap;

pub use answer::{UNCITED, print_answer, with_citations};
pub use entry::{print_entry, title};
pub use hits::print_hits;
pub use safe::{safe, safe_line};
pub use style::{ACCENT, DIM, ERROR, GOOD, HEADING, MARK, WARNING};
pub use table::table;
pub use wrap::{width, wrapped};

use gannet_core::SearchResult;
use gannet_core::api::{Diagnostic, Level};
use serde::Serialize;

use crate::arguments::Format;
use crate::failure::Failure;

/// Prints one value as JSON, in one line or in several.
pub fn print_json(value: &impl Serialize, format: Format) -> Result<(), Failure> {
    let text = match format {
        Format::Jsonl => serde_json::to_string(value)?,
        _ => serde_json::to_string_pretty(value)?,
    };
    anstream::println!("{text}");
    Ok(())
}

/// Prints several values as one JSON list, or each on a line of its own.
pub fn print_json_list(values: &[impl Serialize], format: Format) -> Result<(), Failure> {
    match format {
        Format::Jsonl => values
            .iter()
            .try_for_each(|value| print_json(value, format)),
        _ => print_json(&values, format),
    }
}

/// Prints a result: the answer first where there is one, then the entries,
/// then the notes (on the standard error stream).
pub fn print_result(result: &SearchResult, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => print_json(result, format)?,
        Format::Jsonl => print_json_list(&result.entries, format)?,
        Format::Table => {
            print_answer(result);
            print_hits(result);
            print_footer(result);
            print_notes(&result.diagnostics);
        }
    }
    Ok(())
}

fn print_footer(result: &SearchResult) {
    let entries = match result.entries.len() {
        0 => "nothing found".to_owned(),
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    };
    anstream::println!(
        "{DIM}{entries} · {} · {:.1} ms{DIM:#}",
        result.mode,
        result.took_ms
    );
}

/// Prints what went wrong with one of several things, on the standard error
/// stream.
pub fn print_failure(message: &str) {
    anstream::eprintln!("{ERROR}error{ERROR:#} {}", safe(message));
}

/// Prints notes on the standard error stream.
pub fn print_notes(notes: &[Diagnostic]) {
    for note in notes {
        let (style, word) = match note.level {
            Level::Info => (DIM, "note"),
            Level::Warning => (WARNING, "warning"),
            Level::Error => (ERROR, "error"),
        };
        anstream::eprintln!(
            "{style}{word}{style:#} {}: {}",
            note.source,
            safe(&note.message)
        );
    }
}
