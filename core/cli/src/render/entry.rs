//! One entry with all of its fields.

use std::borrow::Cow;

use gannet_core::api::{EnhancementStatus, Entry};
use serde_json::Value;

use super::safe::{safe, safe_line};
use super::{ACCENT, Clock, DIM, HEADING, WARNING, number};

/// The title, or the first line of the text.
pub fn title(entry: &Entry) -> Cow<'_, str> {
    let first_line = || first_line(&entry.raw_text);
    safe_line(entry.title().unwrap_or_else(first_line))
}

/// Where a text of the entry begins after its title, or after the rest of the
/// title in a fragment; 0 when its first line is not from the title.
pub fn title_end(text: &str, entry: &Entry) -> usize {
    let first_line = first_line(text);
    let is_title = !first_line.trim().is_empty()
        && entry
            .title()
            .is_some_and(|title| title.trim_end().ends_with(first_line.trim()));
    match is_title {
        true => first_line.len(),
        false => 0,
    }
}

fn first_line(text: &str) -> &str {
    text.split(['\n', '\r']).next().unwrap_or_default()
}

/// A value of the metadata: a string as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        // Further lines are indented: they must not look like fields.
        Value::String(text) => safe(text).replace('\n', "\n  "),
        other => safe_line(&other.to_string()).into_owned(),
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
        safe_line(&entry.source_system)
    );
    let text = &entry.raw_text[title_end(&entry.raw_text, entry)..];
    outln!("\n{}\n", safe(text.trim()));
    for (key, value) in entry.metadata.iter().filter(|(key, _)| *key != "title") {
        outln!("{DIM}{}:{DIM:#} {}", safe_line(key), plain(value));
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
    for (module, status) in &entry.enhancement_status {
        if let EnhancementStatus::Failed {
            error, attempts, ..
        } = status
        {
            outln!(
                "{WARNING}not enhanced:{WARNING:#} `{}` failed ({}): {}",
                safe_line(module),
                number::count(u64::from(*attempts), "attempt", "attempts"),
                safe_line(error)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_of_the_metadata_have_no_quotes_and_cannot_look_like_fields() {
        assert_eq!(plain(&json!("Night")), "Night");
        assert_eq!(plain(&json!("a\nsummary: b")), "a\n  summary: b");
        assert_eq!(plain(&json!(["vacuum", "rf"])), r#"["vacuum","rf"]"#);
        assert_eq!(plain(&json!({"cell": 3})), r#"{"cell":3}"#);
        assert_eq!(plain(&json!("\u{9b}31m")), "\u{FFFD}31m");
    }
}
