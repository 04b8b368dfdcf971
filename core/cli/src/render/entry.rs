//! One entry with all of its fields.

use std::borrow::Cow;

use gannet_core::api::Entry;

use super::safe::{safe, safe_line};
use super::{ACCENT, Clock, DIM, HEADING};

/// The title, or the first line of the text.
pub fn title(entry: &Entry) -> Cow<'_, str> {
    let first_line = || entry.raw_text.lines().next().unwrap_or_default();
    safe_line(entry.title().unwrap_or_else(first_line))
}

/// Where a text of the entry begins after its title, or after the rest of the
/// title in a fragment; 0 when its first line is not from the title.
pub fn title_end(text: &str, entry: &Entry) -> usize {
    let first_line = text.lines().next().unwrap_or_default();
    let is_title = !first_line.trim().is_empty()
        && entry
            .title()
            .is_some_and(|title| title.trim_end().ends_with(first_line.trim()));
    match is_title {
        true => first_line.len(),
        false => 0,
    }
}

/// Prints an entry with all of its fields.
pub fn print_entry(entry: &Entry, clock: &Clock) {
    outln!(
        "{ACCENT}{}{ACCENT:#}  {HEADING}{}{HEADING:#}",
        safe_line(&entry.entry_id),
        title(entry)
    );
    outln!(
        "{DIM}{} · {} · {}{DIM:#}",
        clock.second(entry.timestamp),
        if entry.author.is_empty() {
            "unknown author".into()
        } else {
            safe_line(&entry.author)
        },
        entry.source_system
    );
    let text = &entry.raw_text[title_end(&entry.raw_text, entry)..];
    outln!("\n{}\n", safe(text.trim()));
    for (key, value) in entry.metadata.iter().filter(|(key, _)| *key != "title") {
        outln!("{DIM}{key}:{DIM:#} {value}");
    }
    if let Some(summary) = &entry.summary {
        outln!("{DIM}summary:{DIM:#} {}", safe(summary));
    }
    if !entry.keywords.is_empty() {
        outln!("{DIM}keywords:{DIM:#} {}", safe(&entry.keywords.join(", ")));
    }
    for attachment in &entry.attachments {
        let name = attachment.filename.as_deref().unwrap_or("unnamed");
        let place = attachment.url.as_deref().unwrap_or("no URL");
        outln!("{DIM}attachment:{DIM:#} {} ({})", safe(name), safe(place));
    }
}
