//! The map from codes to characters that a font brings along.

use crate::lexer::{Lexer, Token};
use crate::object::Object;
use crate::writing::utf_16;

/// Ranges of codes, each with the text of its first.
#[derive(Debug)]
pub(crate) struct CharacterMap(Vec<Range>);

#[derive(Debug)]
struct Range {
    first: u32,
    last: u32,
    texts: Texts,
}

/// The texts of the codes of a range, from the first on.
#[derive(Debug)]
enum Texts {
    /// One text, and those with the characters after its last one.
    Rising(String),
    /// One text for each.
    Listed(Vec<String>),
}

impl CharacterMap {
    pub(crate) fn read(map: &[u8]) -> Self {
        let mut ranges = Vec::new();
        let mut lexer = Lexer::of_content(map);
        let mut operands: Vec<Object> = Vec::new();
        while !lexer.rest().is_empty() {
            match lexer.token() {
                Some(Token::Object(operand)) => operands.push(operand),
                Some(Token::Word(b"endbfchar")) => {
                    let pairs = operands.chunks_exact(2);
                    ranges.extend(pairs.filter_map(|of| Range::of(&of[0], &of[0], &of[1])));
                    operands.clear();
                }
                Some(Token::Word(b"endbfrange")) => {
                    let triples = operands.chunks_exact(3);
                    ranges.extend(triples.filter_map(|of| Range::of(&of[0], &of[1], &of[2])));
                    operands.clear();
                }
                Some(Token::Word(_)) => operands.clear(),
                None => break,
            }
        }
        ranges.sort_by_key(|range| range.first);
        Self(ranges)
    }

    /// The text of a code.
    pub(crate) fn text(&self, code: u32) -> Option<String> {
        let behind = self.0.partition_point(|range| range.first <= code);
        let range = self.0.get(behind.checked_sub(1)?)?;
        if code > range.last {
            return None;
        }
        let step = code - range.first;
        match &range.texts {
            Texts::Rising(text) => rising(text, step),
            Texts::Listed(texts) => texts.get(usize::try_from(step).ok()?).cloned(),
        }
    }
}

impl Range {
    fn of(first: &Object, last: &Object, texts: &Object) -> Option<Self> {
        Some(Self {
            first: code(first.text()?)?,
            last: code(last.text()?)?,
            texts: match texts {
                Object::Text(text) => Texts::Rising(utf_16(text)),
                Object::List(texts) => {
                    let text = |text: &Object| text.text().map(utf_16).unwrap_or_default();
                    Texts::Listed(texts.iter().map(text).collect())
                }
                _ => return None,
            },
        })
    }
}

/// A text whose last character is so many further.
fn rising(text: &str, step: u32) -> Option<String> {
    let last = text.chars().next_back()?;
    let begin = &text[..text.len() - last.len_utf8()];
    let next = char::from_u32(u32::from(last).checked_add(step)?)?;
    Some(format!("{begin}{next}"))
}

fn code(bytes: &[u8]) -> Option<u32> {
    let is_short = (1..=4).contains(&bytes.len());
    let number = bytes
        .iter()
        .fold(0, |code, byte| (code << 8) | u32::from(*byte));
    is_short.then_some(number)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn characters_ranges_and_lists_are_read() {
        let map = b"2 beginbfchar <0003> <0020> <0004> <00660069> endbfchar
            2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0058> <D83DDE00>] endbfrange";
        let map = CharacterMap::read(map);
        let texts = [3, 4, 0x11, 0x12, 0x20, 0x21].map(|code| map.text(code));
        let expected = [" ", "fi", "B", "C", "X", "😀"].map(|text| Some(text.to_owned()));
        assert_eq!(texts, expected);
        assert_eq!(map.text(0x13), None);
        assert_eq!(map.text(0), None);
    }
}
