//! Fonts: which characters the bytes of a text stand for, and how wide they
//! are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::PdfError;
use crate::budget::Budget;
use crate::cmap::CharacterMap;
use crate::encodings::{Base, tex};
use crate::file::File;
use crate::glyph_names::{numbered_code, text_of};
use crate::object::{Dict, Object};

/// Width of a letter whose font tells none, in thousandths of the size.
const USUAL_WIDTH: f64 = 500.0;
/// The same of a font with codes of two bytes.
const WIDE: f64 = 1_000.0;
/// Heights of letters in sizes that are as good as the size itself.
const USUAL_HEIGHTS: RangeInclusive<f64> = 0.3..=3.0;
/// What a font takes of the budget even if it is small.
const EACH_FONT: usize = 8_192;

/// A font.
#[derive(Debug)]
pub(crate) struct Font {
    /// What the file itself says that codes mean.
    map: Option<CharacterMap>,
    /// Texts of the codes of one byte.
    simple: Vec<String>,
    is_wide: bool,
    widths: HashMap<u32, f64>,
    other_width: f64,
    /// Height of its letters where that is not about the size, in sizes.
    pub(crate) height: f64,
}

/// One letter of a text.
pub(crate) struct Letter<'a> {
    /// Its characters; none where nobody knows.
    pub(crate) text: Cow<'a, str>,
    /// In thousandths of the size.
    pub(crate) width: f64,
    /// Whether the space between words is added.
    pub(crate) is_space: bool,
}

impl Font {
    pub(crate) fn read(
        file: &File<'_>,
        dict: &Dict,
        budget: &mut Budget<'_>,
    ) -> Result<Self, PdfError> {
        budget.take_decoded(EACH_FONT)?;
        let map = match file.get(dict, b"ToUnicode") {
            Some(stream) => file.decoded(stream, budget)?,
            None => None,
        };
        let map = map.map(|map| CharacterMap::read(&map));
        let subtype = file.get(dict, b"Subtype");
        let is_drawn = subtype.is_some_and(|subtype| subtype.is_name(b"Type3"));
        let is_wide = subtype.is_some_and(|subtype| subtype.is_name(b"Type0"));
        if is_wide {
            let fonts = file.get(dict, b"DescendantFonts").and_then(Object::list);
            let font = fonts.and_then(|fonts| file.resolve(fonts.first()?)?.dict());
            let other_width = font.and_then(|font| file.get(font, b"DW")?.number());
            let widths = match font {
                Some(font) => wide_widths(file, font, budget)?,
                None => HashMap::new(),
            };
            return Ok(Self {
                map,
                simple: Vec::new(),
                is_wide,
                widths,
                other_width: other_width.unwrap_or(WIDE),
                height: 1.0,
            });
        }
        let mut font = Self {
            map,
            simple: simple_texts(file, dict, is_drawn, budget)?,
            is_wide,
            widths: simple_widths(file, dict),
            other_width: USUAL_WIDTH,
            height: 1.0,
        };
        if is_drawn {
            font.scale(file, dict);
        }
        Ok(font)
    }

    /// A font whose letters are drawings (Type 3) has measures of its own.
    fn scale(&mut self, file: &File<'_>, dict: &Dict) {
        let numbers = |key: &[u8]| -> Vec<f64> {
            let list = file.get(dict, key).and_then(Object::list);
            let numbers = list.unwrap_or_default().iter();
            numbers.filter_map(Object::number).collect()
        };
        let [across, _, _, up, ..] = numbers(b"FontMatrix")[..] else {
            return;
        };
        for width in self.widths.values_mut() {
            *width *= across * 1_000.0;
        }
        if let [_, bottom, _, top] = numbers(b"FontBBox")[..] {
            let height = ((top - bottom) * up).abs();
            if height > 0.0 && !USUAL_HEIGHTS.contains(&height) {
                self.height = height;
            }
        }
    }

    /// The letters of a text.
    pub(crate) fn letters<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Letter<'a>> {
        let codes = text.chunks(if self.is_wide { 2 } else { 1 });
        codes.map(|bytes| {
            let code = bytes
                .iter()
                .fold(0_u32, |code, byte| (code << 8) | u32::from(*byte));
            let mapped = self.map.as_ref().and_then(|map| map.text(code));
            let simple = || Some(Cow::from(self.simple.get(code as usize)?));
            Letter {
                text: mapped.map(Cow::from).or_else(simple).unwrap_or_default(),
                width: self.widths.get(&code).copied().unwrap_or(self.other_width),
                is_space: bytes == b" ",
            }
        })
    }
}

/// By the encoding, with its differences; where letters are drawings, also by
/// names that TeX gives them.
fn simple_texts(
    file: &File<'_>,
    dict: &Dict,
    is_drawn: bool,
    budget: &mut Budget<'_>,
) -> Result<Vec<String>, PdfError> {
    let encoding = file.get(dict, b"Encoding");
    let name = match encoding {
        Some(Object::Name(name)) => Some(name.as_slice()),
        Some(Object::Dict(encoding)) => {
            let base = file.get(encoding, b"BaseEncoding");
            base.and_then(Object::name)
        }
        _ => None,
    };
    let mut texts = Base::named(name).texts();
    let differences = encoding.and_then(Object::dict).and_then(|encoding| {
        let differences = file.get(encoding, b"Differences")?;
        differences.list()
    });
    let differences = differences.unwrap_or_default();
    budget.take_decoded(differences.len())?;
    let mut code = 0;
    for difference in differences {
        match difference {
            Object::Number(_) => code = difference.index().unwrap_or(texts.len()),
            Object::Name(name) => {
                if let Some(text) = texts.get_mut(code) {
                    let by_number = || numbered_code(name).filter(|_| is_drawn).map(tex);
                    *text = by_number().or_else(|| text_of(name)).unwrap_or_default();
                }
                code += 1;
            }
            _ => {}
        }
    }
    Ok(texts)
}

fn simple_widths(file: &File<'_>, dict: &Dict) -> HashMap<u32, f64> {
    let first = file.get(dict, b"FirstChar").and_then(Object::index);
    let widths = file.get(dict, b"Widths").and_then(Object::list);
    let first = first
        .and_then(|first| u32::try_from(first).ok())
        .unwrap_or(0);
    let codes = first..=u32::from(u8::MAX);
    let widths = codes.zip(widths.unwrap_or_default());
    let widths = widths.filter_map(|(code, width)| Some((code, file.resolve(width)?.number()?)));
    widths.collect()
}

/// `first [width …]` and `first last width`.
fn wide_widths(
    file: &File<'_>,
    font: &Dict,
    budget: &mut Budget<'_>,
) -> Result<HashMap<u32, f64>, PdfError> {
    let mut widths = HashMap::new();
    let list = file.get(font, b"W").and_then(Object::list);
    let mut rest = list.unwrap_or_default();
    let code = |object: &Object| Some(u32::from(u16::try_from(object.index()?).ok()?));
    while let [first, second, behind @ ..] = rest {
        let Some(first) = code(first) else {
            break;
        };
        match (file.resolve(second), behind) {
            (Some(Object::List(list)), _) => {
                budget.take_decoded(list.len())?;
                let of_list = (first..=u32::from(u16::MAX)).zip(list);
                widths.extend(of_list.filter_map(|(code, width)| Some((code, width.number()?))));
                rest = behind;
            }
            (Some(last), [width, behind @ ..]) => {
                let (Some(last), Some(width)) = (code(last), width.number()) else {
                    break;
                };
                budget.take_decoded((first..=last).count())?;
                widths.extend((first..=last).map(|code| (code, width)));
                rest = behind;
            }
            _ => break,
        }
    }
    Ok(widths)
}
