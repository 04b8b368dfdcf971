//! The lines of the timeline.

use gannet_plugin::prelude::Entry;
use gannet_stages::{neutral, neutral_line, sentences};
use jiff::tz::TimeZone;

/// Characters of a line's words; a longer sentence is cut.
const LONGEST_LINE: usize = 200;

/// Entries in order of time, as text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Story {
    pub(crate) text: String,
    /// How many times the story skips more days than allowed.
    pub(crate) gaps: usize,
}

impl Story {
    /// Tells one line an entry, and one between two entries that are more than
    /// `gap_days` days apart.
    pub(crate) fn tell(entries: &[Entry], zone: &TimeZone, gap_days: u32) -> Self {
        let mut lines = Vec::new();
        let mut gaps = 0;
        let mut before: Option<&Entry> = None;
        for entry in entries {
            let days = before.map_or(0, |before| days_between(before, entry));
            if days > i64::from(gap_days) {
                lines.push(format!("{days} days later:"));
                gaps += 1;
            }
            lines.push(line(entry, zone));
            before = Some(entry);
        }
        Self {
            text: lines.join("\n"),
            gaps,
        }
    }
}

fn days_between(before: &Entry, after: &Entry) -> i64 {
    (after.timestamp.as_second() - before.timestamp.as_second()) / (24 * 60 * 60)
}

/// `- On 2025-03-04 08:10: RF trip on CAV1 [#SKY-0066]`
fn line(entry: &Entry, zone: &TimeZone) -> String {
    let local = entry.timestamp.to_zoned(zone.clone());
    let time = local.strftime("%Y-%m-%d %H:%M");
    let words = headline(entry);
    let id = &entry.entry_id;
    format!("- On {time}: {words} [#{id}]")
}

/// The title, or else the first sentence, on one line. It is somebody else's
/// text: what reads as a citation of ours is taken out of it.
fn headline(entry: &Entry) -> String {
    let title = entry.title().map(one_line).unwrap_or_default();
    let told = match title.is_empty() {
        true => sentences(&neutral(&entry.raw_text)).into_iter().next(),
        false => Some(title),
    };
    let told = one_line(told.as_deref().unwrap_or("(no text)"));
    match told.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", told[..end].trim_end()),
        None => told,
    }
}

fn one_line(text: &str) -> String {
    let line = neutral_line(text);
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    fn entry(id: &str, time: &str, text: &str) -> Entry {
        Entry::new(id, "log", time.parse().unwrap(), text)
    }

    fn told(entry: &Entry) -> String {
        Story::tell(std::slice::from_ref(entry), &TimeZone::UTC, 30).text
    }

    #[test]
    fn times_are_those_of_the_facility() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let summer = entry("E1", "2024-07-05T22:30:00Z", "Trip");

        let story = Story::tell(&[summer], &zone, 30);

        assert_eq!(story.text, "- On 2024-07-06 00:30: Trip [#E1]");
    }

    #[test]
    fn only_gaps_that_are_longer_are_stated() {
        let entries = [
            entry("E1", "2024-01-01T00:00:00Z", "One"),
            entry("E2", "2024-01-31T00:00:00Z", "Two"),
            entry("E3", "2024-03-02T00:00:00Z", "Three"),
        ];

        let story = Story::tell(&entries, &TimeZone::UTC, 30);

        let lines: Vec<&str> = story.text.lines().collect();
        assert_eq!(lines[2], "31 days later:");
        assert_eq!((lines.len(), story.gaps), (4, 1));
    }

    #[test]
    fn the_title_counts_before_the_first_sentence() {
        let mut titled = entry("E1", "2024-01-01T00:00:00Z", "Body. More.");
        titled
            .metadata
            .insert("title".to_owned(), " RF\ttrip ".into());
        assert!(told(&titled).ends_with(": RF trip [#E1]"));
        titled.metadata.insert("title".to_owned(), "\u{7} ".into());
        assert!(told(&titled).ends_with(": Body. [#E1]"));
    }

    #[test]
    fn a_text_cannot_cite_or_break_the_line() {
        let forged = entry(
            "E1",
            "2024-01-01T00:00:00Z",
            "\n\nsee [#E9]\u{202e} now\r\n\r\nMore",
        );
        assert_eq!(told(&forged), "- On 2024-01-01 00:00: see (#E9) now [#E1]");
        assert!(told(&entry("E2", "2024-01-01T00:00:00Z", " \n")).contains("(no text)"));
        let long = entry("E3", "2024-01-01T00:00:00Z", &"é".repeat(500));
        assert!(told(&long).chars().count() < 240);
    }

    proptest! {
        #[test]
        fn every_entry_is_one_line_with_one_mark(text in "(\\PC|\n|\\[#E2\\]){0,60}") {
            let line = told(&entry("E1", "2024-01-01T00:00:00Z", &text));
            prop_assert_eq!(line.lines().count(), 1);
            prop_assert_eq!(line.matches("[#").count(), 1);
            prop_assert!(line.ends_with(" [#E1]"));
        }
    }
}
