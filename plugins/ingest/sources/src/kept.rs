//! Reading a file while keeping the bytes of the record that is being read,
//! so that one that cannot be used is shown as it came.

use std::io::{self, Read};

/// Reads from `source` and keeps what was read until it is taken.
///
/// ```
/// use std::io::Read;
///
/// use gannet_sources::Kept;
///
/// let mut kept = Kept::new("one two".as_bytes(), 1_000);
/// kept.read_to_string(&mut String::new())?;
/// assert_eq!(kept.take_up_to(3), b"one");
/// assert_eq!(kept.take_up_to(7), b" two");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Kept<R> {
    source: R,
    bytes: Vec<u8>,
    /// Where in the source the first of `bytes` stands.
    start: u64,
    max_bytes: usize,
}

impl<R> Kept<R> {
    /// Keeps `max_bytes` at most; more that nobody takes is an error, which
    /// [`is_full`](Self::is_full) tells from those of the source.
    pub fn new(source: R, max_bytes: usize) -> Self {
        Self {
            source,
            bytes: Vec::new(),
            start: 0,
            max_bytes,
        }
    }

    /// Whether the record that is being read has more bytes than are kept.
    pub fn is_full(&self) -> bool {
        self.bytes.len() > self.max_bytes
    }

    /// Takes the bytes up to this place, which counts from the beginning of
    /// the source.
    pub fn take_up_to(&mut self, place: u64) -> Vec<u8> {
        let wanted = usize::try_from(place.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let taken: Vec<u8> = self.bytes.drain(..wanted.min(self.bytes.len())).collect();
        self.start += taken.len() as u64;
        taken
    }
}

impl<R: Read> Read for Kept<R> {
    /// # Errors
    /// Those of the source; and one when more than `max_bytes` are kept, so
    /// that a quotation mark without a partner cannot fill the memory.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_full() {
            return Err(io::Error::other(format!(
                "a record of more than {} bytes: is there a quotation mark without a partner? Mend \
                 it, or raise `max_record_bytes`",
                self.max_bytes
            )));
        }
        let length = self.source.read(buffer)?;
        self.bytes.extend_from_slice(&buffer[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn bytes_are_taken_in_order_and_once() {
        let mut kept = Kept::new("one two three".as_bytes(), 100);
        io::copy(&mut kept, &mut io::sink()).unwrap();

        assert_eq!(kept.take_up_to(3), b"one");
        assert_eq!(kept.take_up_to(3), b"");
        assert_eq!(kept.take_up_to(8), b" two ");
        assert_eq!(kept.take_up_to(1000), b"three");
    }

    #[test]
    fn more_than_allowed_is_an_error_that_says_what_to_mend() {
        let mut kept = Kept::new(io::repeat(b'x'), 10);
        let error = io::copy(&mut kept, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("quotation mark"), "{error}");
        assert!(kept.is_full());
    }
}
