//! A PDF file as entries: one for each page with text.

use gannet_pdf::{Document, Limits};
use gannet_plugin::ingest::{Read, join_title, read_timestamp};
use gannet_plugin::prelude::Entry;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::document::{Conversion, Source};

/// Whether a file is one, whatever its name.
pub(crate) fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}

/// Half of a text is not taken for the whole.
fn check_whole(document: &Document) -> Read<()> {
    if !document.is_whole {
        let reason = "the PDF file is cut off or damaged, so that pages may be missing";
        return Err(reason.to_owned());
    }
    match document.damaged_pages.first() {
        None => Ok(()),
        Some(page) => Err(format!(
            "page {page} of the PDF file is damaged, so that text may be missing"
        )),
    }
}

/// A time as PDF files have it: `D:20240105083000+01'00'`, of which only the
/// year has to be there.
fn pdf_time(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.strip_prefix("D:").unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (time, offset) = text.split_at(digits);
    let part = |from: usize, otherwise: &'static str| time.get(from..from + 2).unwrap_or(otherwise);
    let year = time.get(..4)?;
    let (month, day) = (part(4, "01"), part(6, "01"));
    let (hour, minute, second) = (part(8, "00"), part(10, "00"), part(12, "00"));
    let mut written = format!("{year}-{month}-{day}T{hour}:{minute}:{second}");
    let offset = offset.replace('\'', "");
    match offset
        .get(..3)
        .filter(|hours| hours.starts_with(['+', '-']))
    {
        Some(hours) => written += &format!("{hours}:{}", offset.get(3..5).unwrap_or("00")),
        None if offset.starts_with('Z') => written.push('Z'),
        None => {}
    }
    read_timestamp("date", &written.into(), zone).ok()
}

impl Conversion {
    /// The pages of a file. Each has the file's id with `#page=` and its
    /// number, as addresses of PDF files have it.
    pub(crate) fn pages(&self, source: &Source<'_>, bytes: &[u8]) -> Read<Vec<Entry>> {
        let limits = Limits {
            max_pages: self.max_pages,
            ..Limits::default()
        };
        let document = gannet_pdf::read(bytes, &limits).map_err(|error| error.to_string())?;
        check_whole(&document)?;
        if document.pages.iter().all(String::is_empty) {
            return Err("no text; pages that are pictures have to be recognised first".to_owned());
        }
        let numbered = (1_usize..).zip(&document.pages);
        let with_text = numbered.filter(|(_, text)| !text.is_empty());
        let changed = document.changed.as_deref();
        let time = changed.and_then(|changed| pdf_time(changed, &self.zone));
        let time = time.unwrap_or(source.time);
        let entry = |(page, text): (usize, &String)| self.page(source, &document, page, text, time);
        Ok(with_text.map(entry).collect())
    }

    fn page(
        &self,
        source: &Source<'_>,
        document: &Document,
        page: usize,
        text: &str,
        time: Timestamp,
    ) -> Entry {
        let id = source.id;
        let title = document.title.as_deref().unwrap_or(source.name);
        let title = format!("{title}, page {page}");
        let text = join_title(&title, text);
        let entry_id = format!("{id}#page={page}");
        let mut entry = self.new_entry(&entry_id, time, text, document.author.as_deref());
        self.describe(&mut entry, source, &title, "pdf");
        entry.metadata.insert("file".to_owned(), id.into());
        entry.metadata.insert("page".to_owned(), page.into());
        let pages = document.pages.len();
        entry.metadata.insert("pages".to_owned(), pages.into());
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_pdf_files_are_read_as_far_as_they_are_written() {
        for (text, time) in [
            ("D:20240105083000+01'00'", Some("2024-01-05T07:30:00Z")),
            ("D:20240105083000Z", Some("2024-01-05T08:30:00Z")),
            ("D:20240105083000-05'30", Some("2024-01-05T14:00:00Z")),
            ("202401", Some("2024-01-01T00:00:00Z")),
            ("D:2024", Some("2024-01-01T00:00:00Z")),
            ("yesterday", None),
            ("D:20241305", None),
        ] {
            let expected = time.and_then(|time| time.parse().ok());
            assert_eq!(pdf_time(text, &TimeZone::UTC), expected, "{text}");
        }
    }
}
