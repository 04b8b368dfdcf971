//! Rich text.

use std::collections::HashMap;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use crate::budget::Budget;
use crate::{Document, OfficeError, Part, Place, Result};

/// Groups in each other at most.
const MAX_DEPTH: usize = 256;

/// Groups that are not text of the document.
const LEFT_OUT: [&str; 16] = [
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
    // The properties of a shape, and what older programs show in its place.
    "sp",
    "shprslt",
];
/// Groups beside the text: notes, and the text of shapes. It comes behind the
/// text of the document, which they would interrupt.
const BESIDE: [&str; 3] = ["footnote", "annotation", "shptxt"];
/// The group around those of a shape.
const SHAPE: &str = "shpinst";

/// The code pages of the character sets that fonts have.
const CODE_PAGES: [(i64, i64); 14] = [
    (0, 1252),
    (77, 10000),
    (128, 932),
    (129, 949),
    (134, 936),
    (136, 950),
    (161, 1253),
    (162, 1254),
    (163, 1258),
    (177, 1255),
    (178, 1256),
    (186, 1257),
    (204, 1251),
    (238, 1250),
];

/// The encoding of a code page of Windows.
fn of_code_page(number: i64) -> Option<&'static Encoding> {
    let name = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10000 => "macintosh".to_owned(),
        65001 => "utf-8".to_owned(),
        _ => format!("windows-{number}"),
    };
    Encoding::for_label(name.as_bytes())
}

/// A group: whether it is left out, whether it stands beside the text, its
/// font, and how many characters stand in for one that is written by its number.
#[derive(Clone, Copy)]
struct Group {
    is_left_out: bool,
    is_beside: bool,
    /// It is left out unless its first word is known: `{\*\footnote …}`.
    is_optional: bool,
    font: Option<i64>,
    stand_ins: usize,
}

pub(crate) fn read(bytes: &[u8], budget: &mut Budget<'_>) -> Result<Document> {
    budget.take_decoded(bytes.len())?;
    let mut reading = Reading {
        bytes,
        at: 0,
        groups: Vec::new(),
        encoding: WINDOWS_1252,
        fonts: HashMap::new(),
        default_font: None,
        undecoded: Vec::new(),
        text: String::new(),
        beside: String::new(),
        skip: 0,
    };
    reading.run()?;
    let text = format!("{}\n\n{}", reading.text.trim_end(), reading.beside.trim());
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
    /// That of the document, where a font has none.
    encoding: &'static Encoding,
    fonts: HashMap<i64, &'static Encoding>,
    default_font: Option<i64>,
    /// Bytes of the text, of which several may be one character.
    undecoded: Vec<u8>,
    text: String,
    beside: String,
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
                    self.decode();
                    self.groups.pop();
                    self.skip = 0;
                }
                b'\\' => self.control(),
                b'\r' | b'\n' => {}
                byte => self.byte(byte),
            }
        }
        self.decode();
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        self.decode();
        if self.groups.len() >= MAX_DEPTH {
            let (limit, of) = (MAX_DEPTH, "groups in each other");
            return Err(OfficeError::TooLarge { limit, of });
        }
        let outer = Group {
            is_left_out: false,
            is_beside: false,
            is_optional: false,
            font: None,
            stand_ins: 1,
        };
        self.groups
            .push(self.groups.last().copied().unwrap_or(outer));
        self.skip = 0;
        Ok(())
    }

    /// A byte of the text.
    fn byte(&mut self, byte: u8) {
        match self.skip {
            0 => self.undecoded.push(byte),
            _ => self.skip -= 1,
        }
    }

    /// Adds the bytes so far to the text, in the encoding of their font.
    fn decode(&mut self) {
        let bytes = std::mem::take(&mut self.undecoded);
        let font = self.groups.last().and_then(|group| group.font);
        let font = font.or(self.default_font);
        let encoding = font.and_then(|font| self.fonts.get(&font));
        let encoding = encoding.unwrap_or(&self.encoding);
        let (text, _) = encoding.decode_without_bom_handling(&bytes);
        self.push(&text);
    }

    fn push(&mut self, text: &str) {
        match self.groups.last() {
            Some(group) if group.is_left_out => {}
            Some(group) if group.is_beside => self.beside.push_str(text),
            _ => self.text.push_str(text),
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
            b'*' => self.change(|group| group.is_optional = true),
            b'~' => self.byte(b' '),
            b'_' => self.byte(b'-'),
            b'\\' | b'{' | b'}' => self.byte(symbol),
            _ => {}
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Group)) {
        if let Some(group) = self.groups.last_mut() {
            change(group);
        }
    }

    /// In the table of fonts: the encoding of the one that is described.
    fn font_encoding(&mut self, encoding: Option<&'static Encoding>) {
        let font = self.groups.last().and_then(|group| group.font);
        self.fonts.extend(font.zip(encoding));
    }

    fn word(&mut self, word: &str, number: Option<i64>) {
        self.decode();
        let is_known = word == SHAPE || BESIDE.contains(&word);
        self.change(|group| {
            group.is_left_out |= group.is_optional && !is_known;
            group.is_optional = false;
        });
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
            "ansicpg" | "mac" => {
                let own = number.map_or(Some(MACINTOSH), of_code_page);
                self.encoding = own.unwrap_or(self.encoding);
            }
            "deff" => self.default_font = number,
            "f" => self.change(|group| group.font = number),
            "plain" => self.change(|group| group.font = None),
            "fcharset" => {
                let known = CODE_PAGES.iter().find(|(set, _)| Some(*set) == number);
                self.font_encoding(known.and_then(|(_, page)| of_code_page(*page)));
            }
            "cpg" => self.font_encoding(number.and_then(of_code_page)),
            "uc" => {
                let stand_ins = number.and_then(|number| usize::try_from(number).ok());
                let stand_ins = stand_ins.unwrap_or(1).min(8);
                self.change(|group| group.stand_ins = stand_ins);
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
            word if BESIDE.contains(&word) => {
                self.change(|group| group.is_beside = true);
                self.push("\n\n");
            }
            word if LEFT_OUT.contains(&word) => self.change(|group| group.is_left_out = true),
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
            (
                r"{\rtf1 One{\*\footnote\chftn A note.} two.}",
                "One two.\n\nA note.",
            ),
            (
                r"{\rtf1 a{\shp{\*\shpinst{\sp{\sn name}{\sv 1}}{\shptxt In a box\par}}{\shprslt b}}}",
                "a\n\nIn a box",
            ),
        ] {
            assert_eq!(text(rtf.as_bytes()), expected, "{rtf}");
        }
    }

    #[test]
    fn bytes_are_read_in_the_code_page_of_their_font_or_of_the_document() {
        for (rtf, expected) in [
            (r"{\rtf1\ansi\ansicpg1252 \'d6l \'80 5\~\'b5A}", "Öl € 5 µA"),
            (r"{\rtf1\ansi\ansicpg1251 \'cd\'e0\'f1\'ee\'f1}", "Насос"),
            (
                r"{\rtf1\ansicpg1252\deff1{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}{\f3\cpg1250 D;}}\'cd {\f0\'cd} \f2\'90\'5e\'8b\'f3 \f3\'f8\plain\'cd}",
                "Н Í 真空 řН",
            ),
            (r"{\rtf1\mac \'85}", "Ö"),
            (r"{\rtf1\ansicpg99999 \'d6}", "Ö"),
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
