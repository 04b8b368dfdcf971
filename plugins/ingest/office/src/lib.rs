//! The text of office documents: DOCX, PPTX, XLSX, ODT, ODP, ODS, RTF, and of
//! books in EPUB.
//!
//! A file may come from anybody, so everything is bounded: the bytes that it
//! decodes to (a file of 1 MB can hold a terabyte), its parts, its text, and
//! how deep elements stand in each other. A file that exceeds a limit is an
//! error. Names of parts are looked up in the file only, and nothing that it
//! names outside is read.
//!
//! A document with headings is read in sections, which have them as titles;
//! slides, sheets and chapters are read one by one. A row of a table is a line,
//! with ` | ` between its cells.
//!
//! ```
//! use gannet_office::{Limits, read};
//!
//! let document = read(br"{\rtf1 Warm up for 10 minutes.\par Then start.}", &Limits::default())?;
//! assert_eq!(document.parts[0].text, "Warm up for 10 minutes.\n\nThen start.");
//! # Ok::<(), gannet_office::OfficeError>(())
//! ```

mod archive;
mod budget;
mod docx;
mod epub;
mod flow;
mod opendocument;
mod pptx;
mod properties;
mod relations;
mod rtf;
mod sheet_cells;
mod xlsx;
mod xml;

use archive::Archive;
use budget::Budget;

/// What a file may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all parts that are looked at, decoded.
    pub max_decoded_bytes: usize,
    /// Parts in the archive.
    pub max_files: usize,
    /// Bytes of text.
    pub max_text_bytes: usize,
}

/// 64 MiB of parts, 20,000 of them, 16 MiB of text.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_decoded_bytes: 64 << 20,
            max_files: 20_000,
            max_text_bytes: 16 << 20,
        }
    }
}

/// The text of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// What it is, by the usual extension: `docx`.
    pub format: &'static str,
    /// The title in its properties.
    pub title: Option<String>,
    /// The author in its properties.
    pub author: Option<String>,
    /// When it was changed last by its properties, as it is written there.
    pub changed: Option<String>,
    /// Its text, in order; parts without text are left out.
    pub parts: Vec<Part>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where it stands.
    pub place: Place,
    /// Its heading, or the name of the sheet; may be empty.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// Where a part stands in its document. Numbers count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// It is the whole.
    Whole,
    /// From one heading to the next.
    Section(usize),
    /// A slide.
    Slide(usize),
    /// A sheet, or its rows from this one on.
    Sheet(String, usize),
    /// A chapter of a book.
    Chapter(usize),
}

/// Why a file gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OfficeError {
    /// It is none of the formats.
    #[error("not an office document")]
    NotOffice,
    /// A part of it is missing or not valid.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// Its parts are encrypted.
    #[error("the file is encrypted; save it without a password")]
    Encrypted,
    /// A limit was exceeded.
    #[error("the file has more than {limit} {of}")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// What is limited: `bytes of decoded data`.
        of: &'static str,
    },
}

type Result<T> = std::result::Result<T, OfficeError>;

/// Whether a file may be one, by its first bytes.
pub fn is_office(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"{\\rtf")
}

/// Reads the text of a file.
///
/// # Errors
/// See [`OfficeError`].
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Document> {
    let mut budget = Budget::new(limits);
    if bytes.starts_with(b"{\\rtf") {
        return rtf::read(bytes, &mut budget);
    }
    if !is_office(bytes) {
        return Err(OfficeError::NotOffice);
    }
    let mut archive = Archive::open(bytes, budget)?;
    let mut document = match () {
        () if archive.has("word/document.xml") => docx::read(&mut archive)?,
        () if archive.has("ppt/presentation.xml") => pptx::read(&mut archive)?,
        () if archive.has("xl/workbook.xml") => xlsx::read(&mut archive)?,
        () if archive.has("META-INF/container.xml") => epub::read(&mut archive)?,
        () if archive.has("content.xml") => opendocument::read(&mut archive)?,
        () => return Err(OfficeError::NotOffice),
    };
    document.parts.retain(|part| !part.text.trim().is_empty());
    Ok(document)
}
