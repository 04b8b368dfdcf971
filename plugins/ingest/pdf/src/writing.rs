//! Bytes of texts as Unicode.

use crate::encodings::windows_1252;

/// A text of the file's information: UTF-16 or UTF-8 with a mark, or else one
/// byte a character.
pub(crate) fn of_information(text: &[u8]) -> String {
    match text {
        [0xfe, 0xff, rest @ ..] => utf_16(rest),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        text => text.iter().filter_map(|byte| windows_1252(*byte)).collect(),
    }
}

/// UTF-16, the higher byte first.
pub(crate) fn utf_16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2);
    let units = units.map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}
