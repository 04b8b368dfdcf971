//! One entry, whole.

use std::borrow::Cow;

use gannet_core::api::Entry;

use super::safe::{safe, safe_line};
use super::{ACCENT, DIM, HEADING};

/// The title, or the first line of the text.
pub fn title(entry: &Entry) -> Cow<'_, str> {
    let first_line = || entry.raw_text.lines().next().unwrap_or_default();
    safe_line(entry.title().unwrap_or_else(first_line))
}

/// Prints an entry with all that is known about it.
pub fn print_entry(entry: &Entry) {
    anstream::println!(
        "{ACCENT}{}{ACCENT:#}  {HEADING}{}{HEADING:#}",
        safe_line(&entry.entry_id),
        title(entry)
    );
    anstream::println!(
        "{DIM}{} · {} · {}{DIM:#}",
        entry.timestamp,
        if entry.author.is_empty() {
            "unknown author".into()
        } else {
            safe_line(&entry.author)
        },
        entry.source_system
    );
    anstream::println!("\n{}\n", safe(entry.raw_text.trim_end()));
    for (key, value) in entry.metadata.iter().filter(|(key, _)| *key != "title") {
        anstream::println!("{DIM}{key}:{DIM:#} {value}");
    }
    if let Some(summary) = &entry.summary {
        anstream::println!("{DIM}summary:{DIM:#} {}", safe(summary));
    }
    if !entry.keywords.is_empty() {
        anstream::println!("{DIM}keywords:{DIM:#} {}", safe(&entry.keywords.join(", ")));
    }
    for attachment in &entry.attachments {
        let name = attachment.filename.as_deref().unwrap_or("unnamed");
        let place = attachment.url.as_deref().unwrap_or("no address");
        anstream::println!("{DIM}attachment:{DIM:#} {} ({})", safe(name), safe(place));
    }
}
