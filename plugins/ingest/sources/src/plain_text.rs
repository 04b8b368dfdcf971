//! Files that are text, told from others.

use crate::TextEncoding;

/// The text of a file in any encoding, with `\n` for each line end; `None`
/// where the file is none: it has a zero byte, or more than one in a hundred
/// characters is a control character that texts do not have.
///
/// ```
/// use gannet_sources::plain_text;
///
/// assert_eq!(plain_text(b"\xd6l\r\nnach\rgef\xfcllt").as_deref(), Some("Öl\nnach\ngefüllt"));
/// assert_eq!(plain_text(b"MZ\x90\x03\x01\x04\x02"), None);
/// ```
pub fn plain_text(bytes: &[u8]) -> Option<String> {
    let (encoding, mark) = TextEncoding::find(bytes, false);
    let text = encoding.text(&bytes[mark..]);
    let controls = text.chars().filter(|one| is_binary(*one)).count();
    let is_text = !text.contains('\0') && controls * 100 <= text.len();
    is_text.then(|| with_line_feeds(&text))
}

/// A text with `\n` for each line end, whether it is written `\r\n` or `\r`.
pub fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A control character that texts do not have.
fn is_binary(character: char) -> bool {
    character.is_ascii_control() && !matches!(character, '\t' | '\n' | '\r' | '\x0c' | '\x1b')
}
