//! The text of a page while it is drawn, letter by letter.

use unicode_normalization::UnicodeNormalization;

use crate::hyphens;
use crate::matrix::Matrix;
use crate::right_to_left::in_reading_order;

/// A gap of so many heights of the text is a space.
const SPACE: f64 = 0.18;
/// So many heights up or down are another line.
const LINE: f64 = 0.4;
/// So many heights down are another paragraph.
const PARAGRAPH: f64 = 1.9;
/// A letter that begins so many heights before the last one ended is drawn
/// over it.
const OVER: f64 = 0.1;
/// Accents that are drawn first, and the letter over them; and the characters
/// that combine with a letter before them.
const ACCENTS: [(&str, char); 10] = [
    ("`", '\u{300}'),
    ("´", '\u{301}'),
    ("ˆ", '\u{302}'),
    ("˜", '\u{303}'),
    ("¯", '\u{304}'),
    ("˘", '\u{306}'),
    ("¨", '\u{308}'),
    ("˚", '\u{30a}'),
    ("˝", '\u{30b}'),
    ("ˇ", '\u{30c}'),
];

/// The text of a page so far, and where it ended.
#[derive(Default)]
pub(crate) struct Written {
    text: String,
    /// The line that is drawn, and where the letters in it begin.
    line: String,
    starts: Vec<usize>,
    /// Whether letters of the line were placed to the left of the one before.
    goes_left: bool,
    /// Where the last letter ended, and how high it was.
    end: Option<(f64, f64, f64)>,
}

impl Written {
    /// Bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len() + self.line.len()
    }

    /// The text of the page.
    pub(crate) fn into_text(mut self) -> String {
        self.take_line();
        hyphens::join(self.text.trim())
    }

    /// What is drawn next has nothing to do with what was drawn.
    pub(crate) fn begin_block(&mut self) {
        self.end_line(true);
        self.end = None;
    }

    /// A letter is drawn here: what lies between it and the last one becomes a
    /// space or the end of a line.
    pub(crate) fn add(&mut self, letter: &str, place: Matrix, size: f64) {
        let (x, y) = place.origin();
        let height = (size * place.scale()).abs();
        if let Some((end_x, end_y, end_height)) = self.end {
            let (right, up) = place.direction();
            let (dx, dy) = (x - end_x, y - end_y);
            let along = dx * right + dy * up;
            let across = dy * right - dx * up;
            let height = height.max(end_height).max(f64::EPSILON);
            if across.abs() > LINE * height || along < -2.0 * height {
                self.end_line(across < -PARAGRAPH * height);
            } else if along > SPACE * height {
                self.add_space();
            } else if along < -OVER * height {
                if self.add_under_accent(letter) {
                    return;
                }
                self.goes_left = true;
            }
        }
        self.push(letter);
    }

    /// Where a letter ends.
    pub(crate) fn end(&mut self, place: Matrix, size: f64) {
        let (x, y) = place.origin();
        self.end = Some((x, y, (size * place.scale()).abs()));
    }

    /// Ligatures, and the forms that letters take beside each other, are the
    /// letters that they stand for.
    fn push(&mut self, letter: &str) {
        self.starts.push(self.line.len());
        match letter.chars().any(is_form) {
            true => self.line.extend(letter.nfkc()),
            false => self.line.push_str(letter),
        }
    }

    fn add_space(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with(char::is_whitespace) {
            self.push(" ");
        }
    }

    /// Adds a letter that is drawn over an accent, as TeX does it.
    fn add_under_accent(&mut self, letter: &str) -> bool {
        let Some(start) = self.starts.last().copied() else {
            return false;
        };
        let accent = ACCENTS
            .iter()
            .find(|(accent, _)| *accent == &self.line[start..]);
        let Some((_, mark)) = accent.filter(|_| letter.chars().all(char::is_alphabetic)) else {
            return false;
        };
        self.line.truncate(start);
        // TeX draws an `i` without its dot below an accent.
        let letter = if letter == "ı" { "i" } else { letter };
        self.line.extend(letter.chars().chain([*mark]).nfc());
        true
    }

    fn end_line(&mut self, is_paragraph: bool) {
        self.take_line();
        let wanted = if is_paragraph { "\n\n" } else { "\n" };
        while !self.text.is_empty() && !self.text.ends_with(wanted) {
            self.text.push('\n');
        }
    }

    fn take_line(&mut self) {
        let line = match self.goes_left {
            true => std::mem::take(&mut self.line),
            false => in_reading_order(std::mem::take(&mut self.line), &self.starts),
        };
        self.text.push_str(line.trim_end_matches(' '));
        self.starts.clear();
        self.goes_left = false;
    }
}

/// Whether a character is a form of others: a ligature of Latin letters, or a
/// form of Hebrew or Arabic ones.
fn is_form(letter: char) -> bool {
    matches!(letter, '\u{fb00}'..='\u{fb06}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}
