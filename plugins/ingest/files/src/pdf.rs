//! A PDF file as entries: one for each page with text.

use gannet_pdf::{Document, Limits};
use gannet_plugin::ingest::{Read, join_title};
use gannet_plugin::prelude::Entry;
use jiff::Timestamp;

use crate::document::Conversion;

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

impl Conversion {
    /// The pages of a file. Each has the file's id with `#page=` and its
    /// number, as addresses of PDF files have it.
    pub(crate) fn pages(&self, id: &str, bytes: &[u8], time: Timestamp) -> Read<Vec<Entry>> {
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
        let entry = |(page, text): (usize, &String)| self.page(id, &document, page, text, time);
        Ok(with_text.map(entry).collect())
    }

    fn page(
        &self,
        id: &str,
        document: &Document,
        page: usize,
        text: &str,
        time: Timestamp,
    ) -> Entry {
        let name = id.rsplit('/').next().unwrap_or(id);
        let title = document.title.as_deref().unwrap_or(name);
        let title = format!("{title}, page {page}");
        let text = join_title(&title, text);
        let entry_id = format!("{id}#page={page}");
        let mut entry = self.new_entry(&entry_id, time, text, document.author.as_deref());
        self.describe(&mut entry, id, &title, "pdf");
        entry.metadata.insert("file".to_owned(), id.into());
        entry.metadata.insert("page".to_owned(), page.into());
        let pages = document.pages.len();
        entry.metadata.insert("pages".to_owned(), pages.into());
        entry
    }
}
