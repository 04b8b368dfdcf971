//! Rich text.

use gannet_sources::TextEncoding;

use crate::budget::Budget;
use crate::{Document, OfficeError, Part, Place, Result};

/// Groups in each other at most.
const MAX_DEPTH: usize = 256;

/// Groups that are not text of the document.
const LEFT_OUT: [&str; 14] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "footer",
    "headerl",
    "footerl",
    "generator",
    "listtable",
    "themedata",
    "xmlnstbl",
];

/// A group: whether it is left out, and how many characters stand in for one
/// that is written by its number.
#[derive(Clone, Copy)]
struct Group {
    is_left_out: bool,
    stand_ins: usize,
}

pub(crate) fn read(bytes: &[u8], budget: &mut Budget<'_>) -> Result<Document> {
    budget.take_decoded(bytes.len())?;
    let mut reading = Reading {
        bytes,
        at: 0,
        groups: Vec::new(),
        text: Vec::new(),
        skip: 0,
    };
    reading.run()?;
    let text = String::from_utf8_lossy(&reading.text);
    let lines: Vec<&str> = text.split('\n').map(str::trim).collect();
    let text = lines.join("\n").trim().to_owned();
    budget.take_text(text.len())?;
    Ok(Document {
        format: "rtf",
        parts: vec![Part {
            place: Place::Whole,
            title: String::new(),
            text,
        }],
        ..Document::default()
    })
}

struct Reading<'a> {
    bytes: &'a [u8],
    at: usize,
    groups: Vec<Group>,
    text: Vec<u8>,
    /// Characters that only stand in for the one before.
    skip: usize,
}

impl Reading<'_> {
    fn run(&mut self) -> Result<()> {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'{' => self.open()?,
                b'}' => {
                    self.groups.pop();
                    self.skip = 0;
                }
                b'\\' => self.control(),
                b'\r' | b'\n' => {}
                byte => self.byte(byte),
            }
        }
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        if self.groups.len() >= MAX_DEPTH {
            let (limit, of) = (MAX_DEPTH, "groups in each other");
            return Err(OfficeError::TooLarge { limit, of });
        }
        let outer = Group {
            is_left_out: false,
            stand_ins: 1,
        };
        self.groups
            .push(self.groups.last().copied().unwrap_or(outer));
        self.skip = 0;
        Ok(())
    }

    /// A byte of the text, in the encoding of Western Windows.
    fn byte(&mut self, byte: u8) {
        match self.skip {
            0 => self.push(&TextEncoding::Windows1252.text(&[byte])),
            _ => self.skip -= 1,
        }
    }

    fn push(&mut self, text: &str) {
        if !self.groups.last().is_some_and(|group| group.is_left_out) {
            self.text.extend_from_slice(text.as_bytes());
        }
    }

    fn control(&mut self) {
        let Some(&first) = self.bytes.get(self.at) else {
            return;
        };
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            return self.symbol(first);
        }
        let word = self.take(|byte| byte.is_ascii_alphabetic());
        let number = self.take(|byte| byte.is_ascii_digit() || byte == b'-');
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.word(&word, number.parse().ok());
    }

    fn take(&mut self, is_wanted: impl Fn(u8) -> bool) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| is_wanted(**byte)).count();
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).into_owned()
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'\'' => {
                let digits = self.bytes.get(self.at..self.at + 2).unwrap_or_default();
                self.at = self.bytes.len().min(self.at + 2);
                let digits = std::str::from_utf8(digits).unwrap_or_default();
                if let Ok(byte) = u8::from_str_radix(digits, 16) {
                    self.byte(byte);
                }
            }
            b'*' => self.leave_out(),
            b'~' => self.push(" "),
            b'_' => self.push("-"),
            b'\\' | b'{' | b'}' => self.byte(symbol),
            _ => {}
        }
    }

    fn leave_out(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            group.is_left_out = true;
        }
    }

    fn word(&mut self, word: &str, number: Option<i64>) {
        match word {
            "par" | "sect" | "page" => self.push("\n\n"),
            "line" | "row" => self.push("\n"),
            "tab" => self.push("\t"),
            "cell" | "nestcell" => self.push(" | "),
            "emdash" => self.push("—"),
            "endash" => self.push("–"),
            "lquote" => self.push("‘"),
            "rquote" => self.push("’"),
            "ldblquote" => self.push("“"),
            "rdblquote" => self.push("”"),
            "bullet" => self.push("•"),
            "uc" => {
                let stand_ins = number.and_then(|number| usize::try_from(number).ok());
                if let (Some(group), Some(stand_ins)) = (self.groups.last_mut(), stand_ins) {
                    group.stand_ins = stand_ins.min(8);
                }
            }
            "u" => {
                // Numbers beyond 32767 are written as negative ones.
                let unit = number.map(|number| number.rem_euclid(0x1_0000));
                let unit = unit.and_then(|unit| u32::try_from(unit).ok());
                let character = unit
                    .and_then(char::from_u32)
                    .unwrap_or(char::REPLACEMENT_CHARACTER);
                self.push(character.encode_utf8(&mut [0; 4]));
                self.skip = self.groups.last().map_or(1, |group| group.stand_ins);
            }
            "bin" => {
                let length = number.and_then(|number| usize::try_from(number).ok());
                let length = length.unwrap_or_default();
                self.at = self.bytes.len().min(self.at.saturating_add(length));
            }
            word if LEFT_OUT.contains(&word) => self.leave_out(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;
    use crate::Limits;

    fn text(rtf: &[u8]) -> String {
        let limits = Limits::default();
        let mut document = read(rtf, &mut Budget::new(&limits)).unwrap();
        document.parts.remove(0).text
    }

    #[test]
    fn text_is_read_without_what_belongs_to_its_form() {
        for (rtf, expected) in [
            (
                r"{\rtf1{\fonttbl{\f0 Arial;}}\f0 One \b two\b0.\par Three}",
                "One two.\n\nThree",
            ),
            (
                r"{\rtf1 \'d6l {\*\hidden x}nachgef\u252?llt}",
                "Öl nachgefüllt",
            ),
            (r"{\rtf1\uc0 \u-10179\u8364 \\ \{x\}}", "\u{fffd}€\\ {x}"),
            (r"{\rtf1 a\cell b\cell\row c}", "a | b |\nc"),
            (r"{\rtf1{\info{\title Secret}}x", "x"),
        ] {
            assert_eq!(text(rtf.as_bytes()), expected, "{rtf}");
        }
    }

    #[test]
    fn groups_without_end_are_refused() {
        let limits = Limits::default();
        let deep = "{\\rtf1".to_owned() + &"{".repeat(100_000);
        let refused = read(deep.as_bytes(), &mut Budget::new(&limits)).unwrap_err();
        assert!(matches!(refused, OfficeError::TooLarge { .. }));
    }

    proptest! {
        #[test]
        fn anything_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let limits = Limits::default();
            let _ = read(&[b"{\\rtf", &bytes[..]].concat(), &mut Budget::new(&limits));
        }
    }
}
