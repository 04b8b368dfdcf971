//! A table that is open: its header, its first records, and what it is written
//! in.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use csv::ReaderBuilder;
use gannet_plugin::ingest;
use gannet_plugin::prelude::{Error, Result};
use gannet_sources::{Decoded, Kept, TextEncoding};

use crate::beginning::Beginning;
use crate::columns::Columns;
use crate::proposal::Proposal;
use crate::records::{Records, Text};

/// Bytes of a file that its encoding and delimiter are found by.
const BEGINNING: usize = 64 << 10;

/// A table whose beginning was read.
pub struct Table {
    path: PathBuf,
    file: File,
    /// The bytes that were read, without a byte order mark.
    bytes: Vec<u8>,
    encoding: TextEncoding,
    has_mark: bool,
    beginning: Beginning,
}

impl Table {
    /// Reads the beginning of a file; delimiter and encoding are found in it
    /// where none is given.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] where it cannot be read or is empty.
    pub fn open(
        path: &Path,
        delimiter: Option<u8>,
        encoding: Option<TextEncoding>,
    ) -> Result<Self> {
        let unreadable = |error| ingest::unreadable(path, &error);
        let mut file = ingest::open(path)?;
        let mut bytes = Vec::new();
        let mut start = file.by_ref().take(BEGINNING as u64);
        start.read_to_end(&mut bytes).map_err(unreadable)?;
        let (found, mark) = TextEncoding::find(&bytes, bytes.len() == BEGINNING);
        let encoding = encoding.unwrap_or(found);
        let bytes = bytes.split_off(mark);

        let text = encoding.text(&bytes);
        if text.trim().is_empty() && bytes.len() < BEGINNING {
            return Err(Error::invalid_input(format!(
                "`{}` is empty: a table begins with the names of its columns",
                path.display()
            )));
        }
        Ok(Self {
            beginning: Beginning::of(text.as_bytes(), delimiter),
            path: path.to_owned(),
            file,
            bytes,
            encoding,
            has_mark: mark > 0,
        })
    }

    /// The names of its columns.
    pub fn header(&self) -> &[String] {
        &self.beginning.header
    }

    /// Whether its first line has the names of its columns. Else it is a
    /// record, and they are called `column_1`, `column_2` and so on.
    pub fn has_header(&self) -> bool {
        self.beginning.has_header
    }

    /// Whether it has a header line and nothing below it.
    pub fn has_no_records(&self) -> bool {
        self.beginning.records.is_empty() && self.bytes.len() < BEGINNING
    }

    /// The settings that fit its header and its first records.
    pub fn proposal(&self) -> Proposal {
        Proposal::of(&self.beginning)
    }

    /// What it is written in, where that is not plain UTF-8.
    pub fn encoding_note(&self) -> Option<&'static str> {
        Some(match (self.encoding, self.has_mark) {
            (TextEncoding::Utf8, false) => return None,
            (TextEncoding::Utf8, true) => "UTF-8 with a byte order mark",
            (TextEncoding::Utf16Le, _) => "UTF-16, low byte first",
            (TextEncoding::Utf16Be, _) => "UTF-16, high byte first",
            (TextEncoding::Windows1252, _) => "Windows-1252, which contains Latin-1",
        })
    }

    /// Its records, from the first one.
    pub(crate) fn records(self, columns: Columns, max_record_bytes: usize) -> Result<Records> {
        let whole: Box<dyn Read> = Box::new(std::io::Cursor::new(self.bytes).chain(self.file));
        let text: Text = Kept::new(Decoded::new(whole, self.encoding), max_record_bytes);
        let mut reader = ReaderBuilder::new()
            .delimiter(self.beginning.delimiter)
            .has_headers(self.beginning.has_header)
            .flexible(true)
            .from_reader(text);
        if self.beginning.has_header {
            reader
                .byte_headers()
                .map_err(|error| ingest::unreadable(&self.path, &error.into()))?;
        }
        let end_of_header = reader.position().byte();
        reader.get_mut().take_up_to(end_of_header);
        Ok(Records {
            reader,
            columns,
            delimiter: self.beginning.delimiter,
            path: self.path,
            is_broken: false,
        })
    }
}
