//! A file of several mails, read mail by mail, so that it may be of any size.

use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use gannet_plugin::ingest::{Read, RejectedRecord};
use gannet_plugin::prelude::Record;
use gannet_sources::Lines;
use jiff::Timestamp;

use crate::document::{Conversion, Source};

/// What each mail begins with, on a line behind an empty one.
const FROM: &[u8] = b"From ";

/// Whether a file begins as one, with a field in the second line.
pub(crate) fn is_mailbox(beginning: &[u8]) -> bool {
    let mut lines = beginning.split(|byte| *byte == b'\n');
    let begins = lines.next().is_some_and(|line| line.starts_with(FROM));
    let has_field = |line: &[u8]| {
        let name = line
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
        let length = name.count();
        length > 1 && line.get(length) == Some(&b':')
    };
    begins && lines.next().is_some_and(has_field)
}

/// The records of a mailbox.
pub(crate) struct Mailbox {
    conversion: Arc<Conversion>,
    id: String,
    time: Timestamp,
    lines: Lines<BufReader<File>>,
    number: usize,
    is_open: bool,
    /// Records of the last mail that were not given yet.
    waiting: std::vec::IntoIter<Record>,
}

impl Mailbox {
    pub(crate) fn new(
        conversion: Arc<Conversion>,
        id: String,
        file: File,
        time: Timestamp,
    ) -> Self {
        let most = usize::try_from(conversion.max_pdf_bytes).unwrap_or(usize::MAX - 1);
        Self {
            lines: Lines::new(BufReader::new(file), most),
            conversion,
            id,
            time,
            number: 0,
            is_open: true,
            waiting: Vec::new().into_iter(),
        }
    }

    /// The bytes of the next mail; `None` at the end.
    fn next_mail(&mut self) -> Option<Read<Vec<u8>>> {
        let most = usize::try_from(self.conversion.max_pdf_bytes).unwrap_or(usize::MAX);
        let (mut mail, mut is_too_large, mut is_behind_empty) = (Vec::new(), false, false);
        let mut has_lines = false;
        for line in self.lines.by_ref() {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    self.is_open = false;
                    return Some(Err(format!("cannot be read: {error}")));
                }
            };
            let bytes = line.bytes.strip_suffix(b"\r").unwrap_or(&line.bytes);
            if bytes.starts_with(FROM) && (line.number == 1 || is_behind_empty) {
                if line.number == 1 {
                    continue;
                }
                return Some(self.finished(mail, is_too_large, most));
            }
            has_lines = true;
            is_behind_empty = bytes.is_empty();
            is_too_large |= line.is_cut() || mail.len() + bytes.len() > most;
            if !is_too_large {
                // `>From ` is how a line of the text begins with `From `.
                let quoted = bytes.trim_ascii_start().starts_with(b">")
                    && bytes.iter().find(|byte| **byte != b'>') == Some(&b'F');
                mail.extend_from_slice(if quoted { &bytes[1..] } else { bytes });
                mail.push(b'\n');
            }
        }
        self.is_open = false;
        has_lines.then(|| self.finished(mail, is_too_large, most))
    }

    fn finished(&self, mail: Vec<u8>, is_too_large: bool, most: usize) -> Read<Vec<u8>> {
        match is_too_large {
            true => Err(format!("larger than `max_pdf_bytes` ({most})")),
            false => Ok(mail),
        }
    }

    fn records_of(&self, mail: Read<Vec<u8>>) -> Vec<Record> {
        let id = format!("{}#message={}", self.id, self.number);
        let source = Source {
            id: &id,
            file: &self.id,
            name: "message.eml",
            time: self.time,
            depth: 0,
        };
        let records = mail.and_then(|mail| self.conversion.mail(&source, &mail, "mbox"));
        match records {
            Ok(mut records) => {
                for record in &mut records {
                    let Record::Entry(entry) = record else {
                        continue;
                    };
                    let metadata = &mut entry.metadata;
                    metadata.entry("file").or_insert(self.id.clone().into());
                    metadata.insert("message".to_owned(), self.number.into());
                }
                records
            }
            Err(reason) => {
                let position = format!("file `{}`, message {}", self.id, self.number);
                let rejected = RejectedRecord::new(position, reason, String::new());
                vec![Record::Rejected(rejected.with_entry_id(id))]
            }
        }
    }
}

impl Iterator for Mailbox {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            if let Some(record) = self.waiting.next() {
                return Some(record);
            }
            if !self.is_open {
                return None;
            }
            let mail = self.next_mail()?;
            self.number += 1;
            self.waiting = self.records_of(mail).into_iter();
        }
    }
}
