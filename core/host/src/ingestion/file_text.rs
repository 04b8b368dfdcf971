//! The text that a file begins with.

/// The beginning of a text.
pub(super) struct Text {
    pub(super) text: String,
    is_cut: bool,
}

impl Text {
    /// Its lines, without one that may go on.
    pub(super) fn complete_lines(&self) -> impl Iterator<Item = &str> {
        let end = match self.is_cut {
            true => self.text.rfind('\n').unwrap_or(0),
            false => self.text.len(),
        };
        self.text[..end].lines()
    }
}

/// The text of these bytes: UTF-8, UTF-16, or another encoding of which only
/// ASCII is read. `None` where they are no text.
pub(super) fn text_of(bytes: &[u8], is_cut: bool) -> Option<Text> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ if is_zero(bytes, 1) && !is_zero(bytes, 0) => utf16(bytes, u16::from_le_bytes),
        _ if is_zero(bytes, 0) && !is_zero(bytes, 1) => utf16(bytes, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    let controls = text.chars().filter(|one| is_binary(*one)).count();
    let is_text = !text.contains('\0') && controls * 100 <= text.len();
    is_text.then_some(Text { text, is_cut })
}

/// Whether most of every second byte is zero.
fn is_zero(bytes: &[u8], from: usize) -> bool {
    let every_second = bytes.iter().skip(from).step_by(2);
    let zeros = every_second.filter(|byte| **byte == 0).count();
    bytes.len() > 3 && zeros * 4 > bytes.len()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    let characters = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    characters
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// A control character that texts do not have.
fn is_binary(character: char) -> bool {
    character.is_ascii_control() && !matches!(character, '\t' | '\n' | '\r' | '\x0c' | '\x1b')
}
