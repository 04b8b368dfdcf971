//! The sentences of a text, as logbooks write them: abbreviations, decimal
//! numbers, names with dots and colons, bullets and wrapped lines.

use std::ops::Range;

use gannet_plugin::query::is_stop_word;

use super::english::english;
use super::quoted::html_break;
use crate::assemble::Unit;

#[cfg(test)]
mod tests;

/// Characters after which a sentence is cut, so that one without an end does
/// not fill an answer.
const SENTENCE_AT_MOST: usize = 400;
/// Marks that belong to the sentence which ends before them.
const CLOSING_MARKS: &str = "\"')]”’.!?」』）】》。！？";
/// Lines at least this long are taken to be wrapped when they end in no mark.
const WRAPPED_LINE: usize = 60;

/// The sentences of a text, each on one line, in order. Nothing is dropped
/// but blanks and bullets.
///
/// ```
/// use gannet_stages::sentences;
///
/// let text = "Dr. Chen saw 2.5 kV on SR03C:RF:CAV1.FWD_PWR. It was reset at 3 p.m. by T. Lee.\n\
///             - pump B off\n- pump C on";
/// assert_eq!(sentences(text), [
///     "Dr. Chen saw 2.5 kV on SR03C:RF:CAV1.FWD_PWR.",
///     "It was reset at 3 p.m. by T. Lee.",
///     "pump B off",
///     "pump C on",
/// ]);
/// ```
pub fn sentences(text: &str) -> Vec<String> {
    let sentences = split_sentences(text).into_iter();
    sentences.map(|sentence| sentence.text).collect()
}

/// A sentence with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Its bytes in the text; line breaks and blanks inside of it are kept
    /// there.
    pub range: Range<usize>,
    /// The sentence on one line.
    pub text: String,
}

/// The sentences of a text with their places, in order.
///
/// ```
/// let text = "- pump B\n  off. Reset.";
/// let found = gannet_stages::split_sentences(text);
/// assert_eq!((&*found[0].text, found[0].range.clone()), ("pump B off.", 2..15));
/// assert_eq!(&text[found[1].range.clone()], "Reset.");
/// ```
pub fn split_sentences(text: &str) -> Vec<Sentence> {
    let paragraphs = paragraphs(text);
    paragraphs.iter().flat_map(Paragraph::sentences).collect()
}

/// Lines that belong together, joined by a blank.
#[derive(Default)]
struct Paragraph {
    /// It is a row of a table, and so one sentence.
    is_row: bool,
    text: String,
    /// For each byte of the text, the byte that it comes from.
    origins: Vec<usize>,
}

impl Paragraph {
    /// Appends a line that begins at this byte, with one blank for many.
    fn push_line(&mut self, line: &str, start: usize) {
        for word in line.split_whitespace() {
            let at = start + offset_in(line, word);
            if !self.text.is_empty() {
                self.text.push(' ');
                self.origins.push(at);
            }
            self.text.push_str(word);
            self.origins.extend(at..at + word.len());
        }
    }

    fn sentences(&self) -> Vec<Sentence> {
        let of = |range: Range<usize>| {
            let last = range.end - 1;
            Sentence {
                text: self.text[range.clone()].to_owned(),
                range: self.origins[range.start]..self.origins[last] + 1,
            }
        };
        let whole = 0..self.text.len();
        let ranges = match self.is_row {
            true => Vec::from_iter(has_words(&self.text).then_some(whole)),
            false => split(&self.text),
        };
        ranges.into_iter().map(of).collect()
    }
}

/// Where a part of a text begins in it.
fn offset_in(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let mut before = LineBefore::default();
    for line in lines(text) {
        let start = offset_in(text, line);
        let bullet_less = without_bullet(line);
        if bullet_less.is_empty() {
            before.is_wrapped = false;
            // A rule ends what stands above it.
            before.is_closed |= !line.is_empty();
            continue;
        }
        let is_bullet = bullet_less.len() < line.len();
        // A heading in capitals does not run on into the text below it.
        let in_capitals = !line.contains(char::is_lowercase);
        let is_wrapped = before.is_wrapped && in_capitals == before.in_capitals;
        let goes_on = !before.is_closed && (is_wrapped || starts_small(bullet_less));
        let is_row = is_row(bullet_less);
        let begins = is_bullet || is_row || !goes_on;
        if begins || paragraphs.is_empty() {
            paragraphs.push(Paragraph {
                is_row,
                ..Paragraph::default()
            });
        }
        if let Some(last) = paragraphs.last_mut() {
            last.push_line(bullet_less, start + offset_in(line, bullet_less));
        }
        before = LineBefore {
            is_wrapped: line.chars().count() >= WRAPPED_LINE && !ends_sentence(line),
            is_closed: is_row || !line.ends_with(bullet_less),
            in_capitals,
        };
    }
    paragraphs
}

/// What the line before says about how a line goes on.
#[derive(Default)]
struct LineBefore {
    /// It is as long as a wrapped line, and its sentence is open.
    is_wrapped: bool,
    /// Nothing can go on after it: a row, a rule, or a heading between stars.
    is_closed: bool,
    /// It has no small letter.
    in_capitals: bool,
}

/// The lines of a text without blanks around them. Line breaks of HTML, which
/// some logbooks keep, are line breaks, but within a row of a table.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = Some(line.trim());
        std::iter::from_fn(move || {
            let line = rest.take()?;
            let at = html_break(line).filter(|_| !is_row(line));
            rest = at.as_ref().map(|at| line[at.end..].trim_start());
            Some(at.map_or(line, |at| line[..at.start].trim_end()))
        })
    })
}

/// Whether a line is a row of a table: `| P2 | 9.8 A |`.
pub(crate) fn is_row(line: &str) -> bool {
    line.starts_with('|') && line.ends_with('|') && line.len() > 1
}

fn without_bullet(line: &str) -> &str {
    let is_mark = |c: char| matches!(c, '-' | '=' | '*' | '_' | '#' | '|' | ':' | ' ');
    if line.chars().all(is_mark) {
        return "";
    }
    // Stars around the heading of an update: `* * * UPDATE AT 1400 * * *`.
    let stars = line.trim_matches(['*', ' ']);
    if line.starts_with("* *") || line.starts_with("**") {
        return stars;
    }
    let bullets = ["- ", "* ", "• ", "– ", "+ "];
    let rest = bullets.iter().find_map(|bullet| line.strip_prefix(bullet));
    rest.map_or(line, str::trim_start)
}

fn starts_small(line: &str) -> bool {
    line.chars().next().is_some_and(char::is_lowercase)
}

fn ends_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：', '；'])
}

/// The sentences of one paragraph, as ranges of it.
fn split(paragraph: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, character) in paragraph.char_indices() {
        // A mark before `start` closed the sentence before: `Really?!`
        if at < start || !matches!(character, '.' | '!' | '?' | '。' | '！' | '？') {
            continue;
        }
        let after = at + character.len_utf8();
        let end = after + closing_marks(&paragraph[after..]);
        if !character.is_ascii() || ends_here(paragraph, start, at, end) {
            push_sentence(&mut sentences, paragraph, start..end);
            start = end;
        }
    }
    push_sentence(&mut sentences, paragraph, start..paragraph.len());
    sentences
}

/// The length of the quotes and brackets that close with the sentence.
fn closing_marks(rest: &str) -> usize {
    rest.find(|c: char| !CLOSING_MARKS.contains(c))
        .unwrap_or(rest.len())
}

/// Whether a sentence ends with the mark at `at`, its closing marks included
/// at `end`.
fn ends_here(paragraph: &str, start: usize, at: usize, end: usize) -> bool {
    let after = &paragraph[end..];
    if after.is_empty() {
        return true;
    }
    let next = after.trim_start().chars().next();
    if !after.starts_with(' ') || next.is_some_and(char::is_lowercase) {
        return false;
    }
    if !paragraph[at..].starts_with('.') {
        return true;
    }
    let before = &paragraph[start..at];
    let mut words = before.rsplit([' ', '(', '[', '"']);
    let word = words.next().unwrap_or(before);
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let before_word = before.get(..before.len() - word.len()).unwrap_or_default();
    let is_last_of_name = is_initial && names_a_person(before_word) && !opens_plainly(after);
    let is_initials = is_dotted_initials(word) && !opens_plainly(after);
    let is_time = word.eq_ignore_ascii_case("a.m") || word.eq_ignore_ascii_case("p.m");
    let is_abbreviation = english().abbreviations.contains(&word.to_lowercase());
    // `No. 3` goes on, `There was no.` ends.
    let counts = next.is_some_and(|c| c.is_ascii_digit());
    let is_short_for = is_abbreviation
        && (counts || !english().plain_abbreviations.contains(&word.to_lowercase()));
    let is_time_that_goes_on = is_time && !next.is_some_and(char::is_uppercase);
    !(is_last_of_name || is_initials || is_short_for || is_time_that_goes_on)
}

/// Letters with dots between, before their last dot: `U.N`, `J.R.R`.
fn is_dotted_initials(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|part| part.chars().count() == 1)
}

/// Whether an initial that follows this text is a person's: `by T. Lee`,
/// `J. T. Lee` and `Maria T. Lee` go on, `pump B. Spare in use` and `21 deg C.
/// Beam lost` end.
fn names_a_person(before: &str) -> bool {
    let Some(last) = before.split_whitespace().next_back() else {
        return true;
    };
    last.ends_with(['.', ',', '(', '/', '&'])
        || is_first_name(last)
        || english().before_names.contains(&last.to_lowercase())
}

/// A word of small letters that begins with a capital, as a name does.
fn is_first_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && word.chars().count() > 2
        && letters.all(char::is_lowercase)
}

/// Whether a text starts with a word such as `The` or `It`.
fn opens_plainly(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    is_stop_word(&first.to_lowercase())
}

/// A sentence without the closing marks of the one before it and without a
/// quotation mark that it opens and does not close.
fn without_stray_marks(sentence: &str) -> &str {
    let sentence = sentence.trim_start_matches([' ', ']', ')', '”', '.', ',', ';']);
    match sentence.strip_prefix('"') {
        Some(rest) if !rest.contains('"') => rest.trim(),
        _ => sentence.trim(),
    }
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

fn push_sentence(sentences: &mut Vec<Range<usize>>, paragraph: &str, range: Range<usize>) {
    let mut rest = without_stray_marks(&paragraph[range]);
    let mut push = |part: &str| {
        let start = offset_in(paragraph, part);
        if has_words(part) {
            sentences.push(start..start + part.len());
        }
    };
    while rest.chars().count() > SENTENCE_AT_MOST {
        let head = Unit::Chars.prefix(rest, SENTENCE_AT_MOST);
        let mark = ["; ", ", ", " "].iter().find_map(|mark| head.rfind(mark));
        let cut = mark.filter(|at| *at >= SENTENCE_AT_MOST / 4);
        let cut = cut.map_or(head.len(), |at| at + 1);
        push(rest[..cut].trim());
        rest = rest[cut..].trim_start();
    }
    push(rest);
}
