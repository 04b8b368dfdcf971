//! Lines of a file, none longer than allowed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use gannet_plugin::ingest::{is_standard_input, unreadable};
use gannet_plugin::prelude::Result;

use crate::json_list::BYTE_ORDER_MARK;

/// How much of a line that is too long is kept, to tell which one it was.
const BEGINNING: usize = 1000;

/// One line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its bytes; of a line that is too long only the beginning.
    pub bytes: Vec<u8>,
    /// How many bytes it has.
    pub length: u64,
}

impl Line {
    /// Whether it was longer than allowed, so that only its beginning is here.
    pub fn is_cut(&self) -> bool {
        self.length > self.bytes.len() as u64
    }

    /// Its bytes without white space around them and, of the first line,
    /// without the byte order mark of the file.
    pub(crate) fn content(&self) -> &[u8] {
        let bytes = match self.number {
            1 => self
                .bytes
                .strip_prefix(BYTE_ORDER_MARK)
                .unwrap_or(&self.bytes),
            _ => &self.bytes,
        };
        bytes.trim_ascii()
    }
}

/// Reads lines and skips over what exceeds `max_bytes` of a line, so that no
/// line can fill the memory.
///
/// ```
/// use gannet_sources::Lines;
///
/// let lines = Lines::new("short\na longer one\n".as_bytes(), 6);
/// let lines: Vec<_> = lines.collect::<Result<_, _>>()?;
/// assert_eq!(lines[0].bytes, b"short");
/// assert!(lines[1].is_cut());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Lines<R> {
    reader: R,
    max_bytes: usize,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `max_bytes` at most.
    pub fn new(reader: R, max_bytes: usize) -> Self {
        Self {
            reader,
            max_bytes,
            number: 0,
        }
    }

    fn read_line(&mut self) -> io::Result<Option<Line>> {
        // Room for the longest line and its end.
        let room = self.max_bytes as u64 + 1;
        let mut bytes = Vec::new();
        if self
            .reader
            .by_ref()
            .take(room)
            .read_until(b'\n', &mut bytes)?
            == 0
        {
            return Ok(None);
        }

        let mut length = bytes.len() as u64;
        if bytes.ends_with(b"\n") {
            bytes.pop();
            length -= 1;
        } else if length == room {
            length += self.skip_to_end_of_line()?;
            bytes.truncate(self.max_bytes.min(BEGINNING));
        }
        self.number += 1;
        Ok(Some(Line {
            number: self.number,
            bytes,
            length,
        }))
    }

    /// How many bytes were left before the line's end.
    fn skip_to_end_of_line(&mut self) -> io::Result<u64> {
        let mut skipped = 0;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(skipped);
            }
            match buffer.iter().position(|&byte| byte == b'\n') {
                Some(at) => {
                    self.reader.consume(at + 1);
                    return Ok(skipped + at as u64);
                }
                None => {
                    let length = buffer.len();
                    self.reader.consume(length);
                    skipped += length as u64;
                }
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_line().transpose()
    }
}

/// How many lines of a file hold more than white space; `None` for what can be
/// read but once, such as a pipe.
///
/// # Errors
/// [`Error::InvalidInput`](gannet_plugin::prelude::Error::InvalidInput) when it cannot be read.
pub fn count_lines(path: &Path) -> Result<Option<u64>> {
    let count = || {
        if is_standard_input(path) || !path.metadata()?.is_file() {
            return Ok(None);
        }
        count_filled(BufReader::new(File::open(path)?)).map(Some)
    };
    count().map_err(|error| unreadable(path, &error))
}

fn count_filled(mut reader: impl BufRead) -> io::Result<u64> {
    let mut filled_lines = 0;
    let mut line_is_filled = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(filled_lines + u64::from(line_is_filled));
        }
        for &byte in buffer {
            if byte == b'\n' {
                filled_lines += u64::from(line_is_filled);
                line_is_filled = false;
            } else {
                line_is_filled |= !byte.is_ascii_whitespace();
            }
        }
        let length = buffer.len();
        reader.consume(length);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    /// The lines by a plain split, each with its whole length.
    fn split(text: &[u8]) -> Vec<&[u8]> {
        let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        // What follows the last end is a line only if there is something.
        lines.pop_if(|last| last.is_empty());
        lines
    }

    proptest! {
        #[test]
        fn lines_are_those_of_a_plain_split_and_bounded(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b' '), Just(b'x')], 0..200),
            max_bytes in 0usize..12,
            buffer in 1usize..20,
        ) {
            let reader = BufReader::with_capacity(buffer, text.as_slice());
            let lines: Vec<Line> = Lines::new(reader, max_bytes).map(|line| line.unwrap()).collect();

            let expected = split(&text);
            prop_assert_eq!(lines.len(), expected.len());
            for (index, (line, whole)) in lines.iter().zip(expected).enumerate() {
                prop_assert_eq!(line.number, index as u64 + 1);
                prop_assert_eq!(line.length, whole.len() as u64);
                prop_assert_eq!(line.is_cut(), whole.len() > max_bytes);
                prop_assert_eq!(&line.bytes, &whole[..whole.len().min(max_bytes)]);
            }
        }

        #[test]
        fn filled_lines_are_counted_whatever_the_buffer(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b' '), Just(b'x')], 0..200),
            buffer in 1usize..20,
        ) {
            let filled = split(&text).iter().filter(|line| line.contains(&b'x')).count();
            let reader = BufReader::with_capacity(buffer, text.as_slice());
            prop_assert_eq!(count_filled(reader).unwrap(), filled as u64);
        }
    }

    #[test]
    fn only_the_beginning_of_a_line_that_is_too_long_is_kept() {
        let text = vec![b'x'; 5000];

        let line = Lines::new(text.as_slice(), 4000).next().unwrap().unwrap();

        assert_eq!((line.bytes.len(), line.length), (BEGINNING, 5000));
    }
}
