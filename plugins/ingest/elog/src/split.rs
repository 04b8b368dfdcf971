//! A log file, cut into its records.

use std::io::{self, BufRead};

use gannet_sources::Lines;

/// What every record begins with.
const BEGINNING: &[u8] = b"$@MID@$:";

/// One record as it stands in the file.
#[derive(Debug, Default)]
pub(crate) struct RawRecord {
    /// The number of its first line, from 1.
    pub(crate) line: u64,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is longer than allowed, so that its end is missing.
    pub(crate) is_cut: bool,
}

/// The records of a file, one after another.
pub(crate) struct RawRecords<R> {
    lines: Lines<R>,
    max_bytes: usize,
    /// The record whose first line was read.
    begun: Option<RawRecord>,
}

impl<R: BufRead> RawRecords<R> {
    pub(crate) fn new(lines: Lines<R>, max_bytes: usize) -> Self {
        Self {
            lines,
            max_bytes,
            begun: None,
        }
    }

    fn read(&mut self) -> io::Result<Option<RawRecord>> {
        let mut record = self.begun.take();
        for line in self.lines.by_ref() {
            let line = line?;
            let is_blank = line.bytes.trim_ascii().is_empty();
            let begins = line.bytes.starts_with(BEGINNING) || (record.is_none() && !is_blank);
            let complete = match begins {
                true => record.replace(RawRecord {
                    line: line.number,
                    ..RawRecord::default()
                }),
                false => None,
            };
            if let Some(record) = &mut record {
                record.add(&line.bytes, line.is_cut(), self.max_bytes);
            }
            if complete.is_some() {
                self.begun = record;
                return Ok(complete);
            }
        }
        Ok(record)
    }
}

impl RawRecord {
    fn add(&mut self, line: &[u8], is_cut: bool, max_bytes: usize) {
        let is_full = self.bytes.len() + line.len() >= max_bytes;
        self.is_cut |= is_full || is_cut;
        if !is_full {
            // Exports end their lines with `\r\n`.
            self.bytes
                .extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
            self.bytes.push(b'\n');
        }
    }
}

impl<R: BufRead> Iterator for RawRecords<R> {
    type Item = io::Result<RawRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
