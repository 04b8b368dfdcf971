//! The encodings of text files: found, and decoded while a file is read.

use std::io::{self, Read};

/// The encodings that text files of the past decades are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 with the low byte first.
    Utf16Le,
    /// UTF-16 with the high byte first.
    Utf16Be,
    /// Windows-1252, which contains Latin-1 (ISO 8859-1).
    Windows1252,
}

/// What 0x80 to 0x9f are in Windows-1252; U+0081 and the like where it has
/// nothing, as browsers read it.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl TextEncoding {
    /// The encoding of this name: `utf-8`, `utf-16le`, `utf-16be`,
    /// `windows-1252` or `latin-1`, letter case aside.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Some(Self::Utf8),
            "utf-16le" | "utf-16" => Some(Self::Utf16Le),
            "utf-16be" => Some(Self::Utf16Be),
            "windows-1252" | "cp1252" | "latin-1" | "latin1" | "iso-8859-1" => {
                Some(Self::Windows1252)
            }
            _ => None,
        }
    }

    /// The encoding that the beginning of a file is in, and how many bytes its
    /// byte order mark has.
    ///
    /// Without a mark it is UTF-16 where every second byte is mostly zero,
    /// UTF-8 where it is valid, and else Windows-1252. `is_cut` says that the
    /// file goes on, perhaps in the middle of a character.
    ///
    /// ```
    /// use gannet_sources::TextEncoding;
    ///
    /// assert_eq!(TextEncoding::find(b"\xef\xbb\xbfid", false), (TextEncoding::Utf8, 3));
    /// assert_eq!(TextEncoding::find(b"\xd6l", false), (TextEncoding::Windows1252, 0));
    /// ```
    pub fn find(beginning: &[u8], is_cut: bool) -> (Self, usize) {
        match beginning {
            [0xef, 0xbb, 0xbf, ..] => return (Self::Utf8, 3),
            [0xff, 0xfe, ..] => return (Self::Utf16Le, 2),
            [0xfe, 0xff, ..] => return (Self::Utf16Be, 2),
            _ => {}
        }
        let zeros = |from: usize| {
            let every_second = beginning.iter().skip(from).step_by(2);
            every_second.filter(|&&byte| byte == 0).count()
        };
        let (even, odd, many) = (zeros(0), zeros(1), beginning.len() / 8);
        let encoding = match std::str::from_utf8(beginning) {
            _ if odd > many && even < odd / 4 => Self::Utf16Le,
            _ if even > many && odd < even / 4 => Self::Utf16Be,
            Err(error) if error.error_len().is_some() || !is_cut => Self::Windows1252,
            _ => Self::Utf8,
        };
        (encoding, 0)
    }

    /// Appends the text of these bytes, and returns how many were used: fewer
    /// than all where a character is cut and `is_end` is not set.
    fn decode(self, bytes: &[u8], is_end: bool, text: &mut String) -> usize {
        let unit: fn([u8; 2]) -> u16 = match self {
            Self::Utf8 => {
                text.push_str(&String::from_utf8_lossy(bytes));
                return bytes.len();
            }
            Self::Windows1252 => {
                text.extend(bytes.iter().map(|&byte| match byte {
                    0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                    _ => char::from(byte),
                }));
                return bytes.len();
            }
            Self::Utf16Le => u16::from_le_bytes,
            Self::Utf16Be => u16::from_be_bytes,
        };
        let (pairs, odd) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| unit(*pair));
        let ends_in_half = units
            .clone()
            .next_back()
            .is_some_and(|last| (0xd800..0xdc00).contains(&last));
        let kept = pairs.len() - usize::from(ends_in_half && !is_end);
        let characters = char::decode_utf16(units.take(kept));
        text.extend(characters.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)));
        if is_end && !odd.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        match is_end {
            true => bytes.len(),
            false => 2 * kept,
        }
    }

    /// The text of a whole file without its byte order mark; what is not valid
    /// becomes U+FFFD.
    pub fn text(self, bytes: &[u8]) -> String {
        let mut text = String::new();
        self.decode(bytes, true, &mut text);
        text
    }
}

/// Reads text of any encoding as UTF-8. UTF-8 itself is passed on as it is, so
/// that a bad byte is seen by whoever reads; of other encodings, what is not
/// valid becomes U+FFFD. A byte order mark has to be skipped before.
pub struct Decoded<R> {
    source: R,
    encoding: TextEncoding,
    /// What is not decoded yet.
    raw: Vec<u8>,
    text: String,
    /// How much of `text` was read.
    at: usize,
    is_at_end: bool,
}

impl<R: Read> Decoded<R> {
    /// Reads a source of this encoding.
    pub fn new(source: R, encoding: TextEncoding) -> Self {
        Self {
            source,
            encoding,
            raw: Vec::new(),
            text: String::new(),
            at: 0,
            is_at_end: false,
        }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.encoding == TextEncoding::Utf8 {
            return self.source.read(buffer);
        }
        while self.at == self.text.len() && !self.is_at_end {
            let mut piece = [0; 8 << 10];
            let length = self.source.read(&mut piece)?;
            self.is_at_end = length == 0;
            self.raw.extend_from_slice(&piece[..length]);
            self.at = 0;
            self.text.clear();
            let used = self
                .encoding
                .decode(&self.raw, self.is_at_end, &mut self.text);
            self.raw.drain(..used);
        }
        let ready = &self.text.as_bytes()[self.at..];
        let length = ready.len().min(buffer.len());
        buffer[..length].copy_from_slice(&ready[..length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    const TEXT: &str = "Nr;Text\r\n1;Öl nachgefüllt – 5 µm\r\n";

    fn utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes_of).collect()
    }

    /// One byte after another, so that every character is cut.
    fn read(bytes: &[u8], encoding: TextEncoding) -> String {
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = buffer.len().min(1);
                self.0.read(&mut buffer[..length])
            }
        }
        let mut decoded = Decoded::new(Slow(bytes), encoding);
        let mut text = String::new();
        decoded.read_to_string(&mut text).unwrap();
        assert_eq!(text, encoding.text(bytes));
        text
    }

    #[test]
    fn every_encoding_is_found_and_decoded() {
        let marked = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
        let windows = TEXT.replace('–', "\u{96}");
        let windows: Vec<u8> = windows
            .chars()
            .map(|one| u8::try_from(one).unwrap())
            .collect();
        let (little, big) = (u16::to_le_bytes, u16::to_be_bytes);
        for (bytes, encoding) in [
            (TEXT.as_bytes().to_vec(), TextEncoding::Utf8),
            (marked(b"\xef\xbb\xbf", TEXT.into()), TextEncoding::Utf8),
            (
                marked(b"\xff\xfe", utf_16(TEXT, little)),
                TextEncoding::Utf16Le,
            ),
            (
                marked(b"\xfe\xff", utf_16(TEXT, big)),
                TextEncoding::Utf16Be,
            ),
            (utf_16(TEXT, little), TextEncoding::Utf16Le),
            (utf_16(TEXT, big), TextEncoding::Utf16Be),
            (windows, TextEncoding::Windows1252),
        ] {
            let (found, mark) = TextEncoding::find(&bytes, false);
            assert_eq!(found, encoding);
            assert_eq!(read(&bytes[mark..], found), TEXT);
        }
    }

    #[test]
    fn a_character_that_the_beginning_cuts_is_still_utf_8() {
        let cut = &TEXT.as_bytes()[..TEXT.find('ü').unwrap() + 1];
        assert_eq!(TextEncoding::find(cut, true).0, TextEncoding::Utf8);
        assert_eq!(TextEncoding::find(cut, false).0, TextEncoding::Windows1252);
    }

    #[test]
    fn halves_of_characters_are_joined_and_lone_ones_are_marked() {
        let text = "a😀b";
        let bytes = utf_16(text, u16::to_le_bytes);
        assert_eq!(read(&bytes, TextEncoding::Utf16Le), text);
        assert_eq!(read(&bytes[..4], TextEncoding::Utf16Le), "a\u{fffd}");
        assert_eq!(read(&bytes[..3], TextEncoding::Utf16Le), "a\u{fffd}");
        assert_eq!(
            read(b"\x00\xdc\x41\x00", TextEncoding::Utf16Le),
            "\u{fffd}A"
        );
    }
}
