//! The text of PDF files, page by page.
//!
//! A file of a logbook may come from anybody, so everything is bounded: the
//! bytes that streams decode to (a file of 1 MB can hold a terabyte), the pages,
//! the text, and how deep objects stand in each other. A file that exceeds a
//! limit is an error, and so is one that opens only with a password.
//!
//! Objects are found by reading the file from its beginning to its end, not by
//! its table of places: damaged files are read as far as they go, which the
//! document says, and a table that points in a circle does no harm. Of what a PDF draws only text is
//! looked at, in the order of its drawing; a picture of a text has none.
//!
//! ```
//! use gannet_pdf::{Limits, PdfError, read};
//!
//! let refused = read(b"no PDF", &Limits::default());
//! assert_eq!(refused.unwrap_err(), PdfError::NotPdf);
//! ```

mod budget;
mod cmap;
mod content;
mod encodings;
mod encryption;
mod file;
mod filters;
mod fonts;
mod glyph_names;
mod hyphens;
mod lexer;
mod matrix;
mod object;
mod pages;
mod right_to_left;
mod writing;
mod written;

pub use budget::Limits;

use budget::Budget;
use encryption::Key;
use file::File;

/// The text of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The title that the file says it has.
    pub title: Option<String>,
    /// The author that the file says it has.
    pub author: Option<String>,
    /// When the file says that it was changed last, or else made, as it writes
    /// that: `D:20240105083000+01'00'`.
    pub changed: Option<String>,
    /// The text of each page, in their order; empty for one without text.
    pub pages: Vec<String>,
    /// Whether the file has its end and all parts of its tree of pages, and its
    /// objects could be decoded. Without that, pages may be missing.
    pub is_whole: bool,
    /// The numbers, from 1, of pages of which a part could not be decoded.
    pub damaged_pages: Vec<usize>,
}

/// Why a file gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// It does not begin like one.
    #[error("not a PDF file")]
    NotPdf,
    /// It opens only with a password.
    #[error("the PDF file is encrypted; save it without a password")]
    Encrypted,
    /// There is no page in it, or the part with the pages is damaged.
    #[error("no page can be read; the PDF file is damaged")]
    NoPages,
    /// A limit was exceeded.
    #[error("the PDF file has more than {limit} {of}")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// What is limited: `pages`, `bytes of decoded data`.
        of: &'static str,
    },
}

/// Bytes before the header that readers accept.
const BEFORE_HEADER: usize = 1_024;

/// Reads the text of a file.
///
/// # Errors
/// See [`PdfError`].
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Document, PdfError> {
    let start = &bytes[..bytes.len().min(BEFORE_HEADER)];
    if !start.windows(5).any(|window| window == b"%PDF-") {
        return Err(PdfError::NotPdf);
    }
    let mut budget = Budget::new(limits);
    let mut file = File::scan(bytes, None, &mut budget)?;
    if file.is_encrypted {
        let key = Key::of_empty_password(&file).ok_or(PdfError::Encrypted)?;
        budget = Budget::new(limits);
        file = File::scan(bytes, Some(key), &mut budget)?;
    }
    let is_whole = !budget.take_damage() && file.has_end();
    let texts = pages::texts(&file, &mut budget)?;
    if texts.pages.is_empty() {
        return Err(PdfError::NoPages);
    }
    Ok(Document {
        title: file.information(b"Title"),
        author: file.information(b"Author"),
        changed: file
            .information(b"ModDate")
            .or_else(|| file.information(b"CreationDate")),
        pages: texts.pages,
        is_whole: is_whole && !texts.lacks_pages,
        damaged_pages: texts.damaged,
    })
}
