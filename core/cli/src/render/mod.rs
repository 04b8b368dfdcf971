//! Results as text for people, and as JSON.

mod answer;
mod clock;
mod counts;
mod csv;
mod entry;
mod extension;
mod facets;
mod hits;
pub mod number;
mod plan;
mod quoted;
mod safe;
mod sources;
mod style;
mod table;
mod trend;
mod wrap;

pub use answer::{answer_lines, print_answer, print_answer_text, status_line, with_citations};
pub use clock::Clock;
pub use counts::{CountLines, Counts};
pub use entry::{print_entry, title};
pub use extension::with_extension;
pub use facets::print_facets;
pub use hits::print_hits;
pub use plan::print_plan;
pub use quoted::quoted;
pub use safe::{safe, safe_line};
pub use sources::print_sources;
pub use style::{ACCENT, DIM, ERROR, GOOD, HEADING, MARK, WARNING, choose_color};
pub use table::table;
pub use trend::{Trend, print_trend_csv, trend_lines};
pub use wrap::{width, wrapped};

use std::borrow::Cow;

use gannet_core::api::{Diagnostic, Level, Matched};
use gannet_core::{Matches, SearchResult};
use serde::Serialize;

use crate::arguments::Format;
use crate::failure::Failure;

/// Prints one value as JSON: in one line for JSON Lines, else indented.
pub fn print_json(value: &impl Serialize, format: Format) -> Result<(), Failure> {
    let text = match format {
        Format::Jsonl => serde_json::to_string(value)?,
        _ => serde_json::to_string_pretty(value)?,
    };
    outln!("{}", escape_controls(&text));
    Ok(())
}

/// JSON with U+007F to U+009F escaped, which it allows as they are: terminals
/// take some of them for the beginning of a command.
fn escape_controls(json: &str) -> Cow<'_, str> {
    let is_control = |letter: char| ('\u{7f}'..='\u{9f}').contains(&letter);
    if !json.contains(is_control) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        match is_control(letter) {
            // They stand in strings only.
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => escaped.push(letter),
        }
    }
    Cow::Owned(escaped)
}

/// Prints several values as one JSON array, or one per line.
pub fn print_json_list(values: &[impl Serialize], format: Format) -> Result<(), Failure> {
    match format {
        Format::Jsonl => values
            .iter()
            .try_for_each(|value| print_json(value, format)),
        _ => print_json(&values, format),
    }
}

/// What a table of results begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The entries with the passages that matched, then the answer.
    EntriesFirst,
    /// The answer, then the entries with the passages that matched.
    AnswerFirst,
    /// The answer, then one line per entry.
    AnswerWithSources,
}

/// Prints a result on standard output, and its diagnostics on standard error.
/// A table has scores and ranks for who asks for them.
pub fn print_result(
    result: &SearchResult,
    format: Format,
    layout: Layout,
    clock: &Clock,
    with_scores: bool,
) -> Result<(), Failure> {
    match format {
        Format::Json => print_json(result, format)?,
        Format::Jsonl => print_json_list(&result.entries, format)?,
        Format::Csv => {
            csv::print_csv(result)?;
            print_notes(&result.diagnostics);
        }
        Format::Table => {
            print_table(result, layout, clock, with_scores);
            print_facets(result);
            print_footer(result);
            print_notes(&result.diagnostics);
        }
    }
    Ok(())
}

fn print_table(result: &SearchResult, layout: Layout, clock: &Clock, with_scores: bool) {
    match layout {
        Layout::EntriesFirst => {
            print_hits(result, clock, with_scores);
            print_answer(result);
        }
        Layout::AnswerFirst => {
            print_answer(result);
            print_hits(result, clock, with_scores);
        }
        Layout::AnswerWithSources => {
            print_answer(result);
            print_sources(result, clock, with_scores);
        }
    }
}

fn print_footer(result: &SearchResult) {
    let entries = match result.entries.len() {
        0 => "nothing found".to_owned(),
        found => number::count(found as u64, "entry", "entries"),
    };
    let mut facts = vec![entries];
    let counted = result.matches.as_ref();
    facts.extend(counted.filter(|of| of.count > 0).map(matches));
    facts.push(result.mode.clone());
    facts.push(format!("{:.1} ms", result.took_ms));
    outln!("{DIM}{}{DIM:#}", facts.join(" · "));
}

/// `142 matches`, `at least 12 matches`, `7 partial matches`.
fn matches(matches: &Matches) -> String {
    let least = if matches.is_exact { "" } else { "at least " };
    let (one, many) = match matches.matched {
        Matched::All => ("match", "matches"),
        Matched::Some => ("partial match", "partial matches"),
    };
    format!("{least}{}", number::count(matches.count, one, many))
}

/// Prints an error that does not end the program, on standard error.
pub fn print_failure(message: &str) {
    errln!("{ERROR}error{ERROR:#} {}", safe(message));
}

/// Prints diagnostics on standard error.
pub fn print_notes(notes: &[Diagnostic]) {
    for note in notes {
        let (style, word) = match note.level {
            Level::Info => (DIM, "note"),
            Level::Warning => (WARNING, "warning"),
            Level::Error => (ERROR, "error"),
        };
        errln!(
            "{style}{word}{style:#} {}: {}",
            note.source,
            safe(&note.message)
        );
    }
}
