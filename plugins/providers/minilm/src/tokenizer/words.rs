//! From raw text to the words that are then cut into pieces: cleaning,
//! spacing of Chinese characters, accent stripping, lower case, and a split at
//! white space and punctuation, in the order of BERT's normaliser.

use std::ops::ControlFlow;

use unicode_normalization::UnicodeNormalization;

use super::characters::{is_accent, is_chinese, is_dropped, is_punctuation};

/// Hands each word of `text` to `visit` until it breaks.
pub(super) fn for_each_word(
    text: &str,
    lower_case: bool,
    visit: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut words = Words {
        word: String::new(),
        visit,
    };
    let mut rest = text;
    while !rest.is_empty() {
        // ASCII needs no tables. A mark never reorders across an ASCII
        // character, so the runs can be normalised one by one.
        let ascii_length = run_length(rest, true);
        words.push_ascii(&rest[..ascii_length], lower_case)?;
        rest = &rest[ascii_length..];
        let other_length = run_length(rest, false);
        words.push_unicode(&rest[..other_length], lower_case)?;
        rest = &rest[other_length..];
    }
    words.end_word()
}

fn run_length(text: &str, ascii: bool) -> usize {
    let mut bytes = text.bytes();
    bytes
        .position(|byte| byte.is_ascii() != ascii)
        .unwrap_or(text.len())
}

struct Words<'a> {
    word: String,
    visit: &'a mut dyn FnMut(&str) -> ControlFlow<()>,
}

impl Words<'_> {
    fn push_ascii(&mut self, run: &str, lower_case: bool) -> ControlFlow<()> {
        for byte in run.bytes() {
            match byte {
                b'\t' | b'\n' | b'\r' | b' ' => self.end_word()?,
                0..=31 | 127 => {}
                _ if byte.is_ascii_punctuation() => self.single(char::from(byte))?,
                _ if lower_case => self.word.push(char::from(byte.to_ascii_lowercase())),
                _ => self.word.push(char::from(byte)),
            }
        }
        ControlFlow::Continue(())
    }

    fn push_unicode(&mut self, run: &str, lower_case: bool) -> ControlFlow<()> {
        let cleaned = run.chars().filter(|&c| !is_dropped(c));
        let spaced = cleaned.flat_map(|c| {
            let space = is_chinese(c).then_some(' ');
            let c = if c.is_whitespace() { ' ' } else { c };
            space.into_iter().chain([c]).chain(space)
        });
        if !lower_case {
            return spaced.into_iter().try_for_each(|c| self.push(c));
        }
        let mut lowered = spaced
            .nfd()
            .filter(|&c| !is_accent(c))
            .flat_map(char::to_lowercase);
        lowered.try_for_each(|c| self.push(c))
    }

    fn push(&mut self, character: char) -> ControlFlow<()> {
        if character.is_whitespace() {
            return self.end_word();
        }
        if is_punctuation(character) {
            return self.single(character);
        }
        self.word.push(character);
        ControlFlow::Continue(())
    }

    fn single(&mut self, character: char) -> ControlFlow<()> {
        self.end_word()?;
        (self.visit)(character.encode_utf8(&mut [0; 4]))
    }

    fn end_word(&mut self) -> ControlFlow<()> {
        if self.word.is_empty() {
            return ControlFlow::Continue(());
        }
        let flow = (self.visit)(&self.word);
        self.word.clear();
        flow
    }
}
