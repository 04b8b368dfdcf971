//! Reads objects and operators.

use crate::object::{Dict, Object};

/// How deep lists and dictionaries may stand in each other.
const DEEPEST: usize = 64;
/// How many objects one may consist of.
const LARGEST: usize = 1_000_000;

/// An object, or a keyword or operator: `obj`, `endstream`, `Tj`.
#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Object(Object),
    Word(&'a [u8]),
}

/// A place in bytes that are read.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
    /// Whether `5 0 R` is a reference, as it is outside of pages' contents.
    with_references: bool,
    /// Objects that the one which is read may still consist of.
    left: usize,
}

impl<'a> Lexer<'a> {
    /// Reads objects of a file, from a place on.
    pub(crate) fn of_file(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            with_references: true,
            left: LARGEST,
        }
    }

    /// Reads what draws a page.
    pub(crate) fn of_content(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            with_references: false,
            left: LARGEST,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Goes on behind white space and comments.
    pub(crate) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    let line = self
                        .rest()
                        .iter()
                        .position(|byte| matches!(byte, b'\r' | b'\n'));
                    self.at = line.map_or(self.bytes.len(), |length| self.at + length);
                }
                byte if is_space(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    /// The next token; `None` at the end, and where nothing can be read.
    pub(crate) fn token(&mut self) -> Option<Token<'a>> {
        self.left = LARGEST;
        self.token_within(DEEPEST)
    }

    /// Objects that the last one consisted of, itself included.
    pub(crate) fn taken(&self) -> usize {
        LARGEST - self.left
    }

    /// The next object; `None` where there is none.
    pub(crate) fn object(&mut self) -> Option<Object> {
        match self.token()? {
            Token::Object(object) => Some(object),
            Token::Word(_) => None,
        }
    }

    fn token_within(&mut self, depth: usize) -> Option<Token<'a>> {
        self.left = self.left.checked_sub(1)?;
        self.skip_space();
        let object = match self.peek()? {
            b'/' => Object::Name(self.name()),
            b'(' => Object::Text(self.text()),
            b'<' if self.rest().starts_with(b"<<") => {
                self.at += 2;
                Object::Dict(self.dict(depth.checked_sub(1)?)?)
            }
            b'<' => Object::Text(self.hexadecimal()),
            b'[' => {
                self.at += 1;
                Object::List(self.list(depth.checked_sub(1)?)?)
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number_or_reference(),
            b')' | b'>' | b']' | b'{' | b'}' => {
                let word = &self.bytes[self.at..=self.at];
                self.at += 1;
                return Some(Token::Word(word));
            }
            _ => return Some(self.word()),
        };
        Some(Token::Object(object))
    }

    fn word(&mut self) -> Token<'a> {
        let length = self.rest().iter().position(|byte| !is_regular(*byte));
        let word = &self.rest()[..length.unwrap_or(self.rest().len())];
        self.at += word.len();
        match word {
            b"true" => Token::Object(Object::Bool(true)),
            b"false" => Token::Object(Object::Bool(false)),
            b"null" => Token::Object(Object::Null),
            word => Token::Word(word),
        }
    }

    fn name(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| is_regular(*byte)) {
            let digits = self.bytes.get(self.at + 1..self.at + 3);
            let escaped = match (byte, digits) {
                (b'#', Some(&[high, low])) => digit(high).zip(digit(low)),
                _ => None,
            };
            match escaped {
                Some((high, low)) => {
                    name.push(16 * high + low);
                    self.at += 3;
                }
                None => {
                    name.push(byte);
                    self.at += 1;
                }
            }
        }
        name
    }

    fn text(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut open = 1_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.escaped(&mut text),
                b'(' => {
                    open += 1;
                    text.push(byte);
                }
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                    text.push(byte);
                }
                byte => text.push(byte),
            }
        }
        text
    }

    fn escaped(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else {
            return;
        };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\n' => {}
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(next @ b'0'..=b'7') = self.peek() else {
                        break;
                    };
                    code = 8 * code + u32::from(next - b'0');
                    self.at += 1;
                }
                // What does not fit is cut, as the format has it.
                text.push(code.to_le_bytes()[0]);
            }
            other => text.push(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(value) = digit(byte) else {
                continue;
            };
            match high.take() {
                None => high = Some(value),
                Some(high) => text.push(16 * high + value),
            }
        }
        text.extend(high.map(|high| 16 * high));
        text
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Object>> {
        let mut list = Vec::new();
        loop {
            match self.token_within(depth)? {
                Token::Object(object) => list.push(object),
                Token::Word(b"]") => return Some(list),
                Token::Word(_) => return None,
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Option<Dict> {
        let mut dict = Dict::new();
        loop {
            let key = match self.token_within(depth)? {
                Token::Object(Object::Name(key)) => key,
                Token::Word(b">") if self.peek() == Some(b'>') => {
                    self.at += 1;
                    return Some(dict);
                }
                _ => return None,
            };
            match self.token_within(depth)? {
                Token::Object(value) => dict.insert(key, value),
                Token::Word(_) => return None,
            };
        }
    }

    fn number_or_reference(&mut self) -> Object {
        let number = self.number();
        if !self.with_references {
            return Object::Number(number);
        }
        match self.reference(number) {
            Some(reference) => reference,
            None => Object::Number(number),
        }
    }

    /// Goes on behind `0 R`.
    fn reference(&mut self, number: f64) -> Option<Object> {
        let number = u32::try_from(Object::Number(number).index()?).ok()?;
        let mut ahead = self.clone();
        ahead.skip_space();
        let digits = ahead.rest().iter().take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        if digits == 0 || digits > 5 {
            return None;
        }
        ahead.at += digits;
        ahead.skip_space();
        let behind = ahead.rest();
        let is_reference =
            behind.first() == Some(&b'R') && behind.get(1).is_none_or(|byte| !is_regular(*byte));
        if !is_reference {
            return None;
        }
        self.at = ahead.at + 1;
        Some(Object::Reference(number))
    }

    /// A number; 0 for what only looks like one.
    fn number(&mut self) -> f64 {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.');
        let length = self.rest().iter().take_while(|byte| is_part(byte)).count();
        let text = std::str::from_utf8(&self.rest()[..length]).unwrap_or_default();
        self.at += length;
        let number: Option<f64> = text.parse().ok();
        // Some programs write `--5` and `5.-3`.
        let lenient = || text.trim_start_matches('-').split('-').next()?.parse().ok();
        number.or_else(lenient).unwrap_or(0.0)
    }
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

/// Whether a byte can be part of a name or a word.
fn is_regular(byte: u8) -> bool {
    !is_space(byte)
        && !matches!(
            byte,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
        )
}

fn digit(byte: u8) -> Option<u8> {
    let value = char::from(byte).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn object(text: &str) -> Option<Object> {
        Lexer::of_file(text.as_bytes(), 0).object()
    }

    #[test]
    fn objects_are_read_as_the_format_has_them() {
        let text = "<< /A#20B [1 -.5 5 0 R (a\\(b\\051\\\n(c)) <4 1> null true] % rest\n>>";
        let Some(Object::Dict(dict)) = object(text) else {
            panic!("{text}");
        };
        let expected = [
            Object::Number(1.0),
            Object::Number(-0.5),
            Object::Reference(5),
            Object::Text(b"a(b)(c)".to_vec()),
            Object::Text(b"A".to_vec()),
            Object::Null,
            Object::Bool(true),
        ];
        assert_eq!(dict[b"A B".as_slice()].list().unwrap(), expected);
    }

    #[test]
    fn what_is_cut_or_too_deep_is_no_object() {
        for text in ["<< /A", "[1 2", "<< 1 2 >>", "[1 endobj", ""] {
            assert_eq!(object(text), None, "{text}");
        }
        assert_eq!(object(&"[".repeat(1_000_000)), None);
        assert_eq!(object(&"<</A".repeat(1_000_000)), None);
    }
}
