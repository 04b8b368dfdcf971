//! The sentences of a text, as logbooks write them: abbreviations, decimal
//! numbers, names with dots and colons, bullets and wrapped lines.

use std::borrow::Cow;

use gannet_plugin::query::is_stop_word;

use super::english::english;
use crate::assemble::Unit;

/// Characters after which a sentence is cut, so that one without an end does
/// not fill an answer.
const SENTENCE_AT_MOST: usize = 400;
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
    paragraphs(text)
        .iter()
        .flat_map(|paragraph| split(paragraph))
        .collect()
}

/// Lines that belong together, joined by a blank.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut continues = false;
    let mut was_in_capitals = false;
    let text = with_line_breaks(text);
    for line in text.lines() {
        let line: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let bullet_less = without_bullet(&line);
        if bullet_less.is_empty() {
            continues = false;
            continue;
        }
        let is_bullet = bullet_less.len() < line.len();
        // A heading in capitals does not run on into the text below it.
        let in_capitals = !line.contains(char::is_lowercase);
        continues &= in_capitals == was_in_capitals;
        was_in_capitals = in_capitals;
        match paragraphs.last_mut() {
            Some(last) if !is_bullet && (continues || starts_small(bullet_less)) => {
                last.push(' ');
                last.push_str(bullet_less);
            }
            _ => paragraphs.push(bullet_less.to_owned()),
        }
        continues = line.chars().count() >= WRAPPED_LINE && !ends_sentence(&line);
    }
    paragraphs
}

/// Line breaks of HTML, which some logbooks keep, as line breaks.
fn with_line_breaks(text: &str) -> Cow<'_, str> {
    if !text.contains("<br") {
        return Cow::Borrowed(text);
    }
    let text = text.replace("<br/>", "\n").replace("<br />", "\n");
    Cow::Owned(text.replace("<br>", "\n"))
}

fn without_bullet(line: &str) -> &str {
    let bullets = ["- ", "* ", "• ", "– ", "+ "];
    if let Some(rest) = bullets.iter().find_map(|bullet| line.strip_prefix(bullet)) {
        return rest.trim_start();
    }
    let is_rule = line.trim_matches(['-', '=', '*', '_', '#']).is_empty();
    if is_rule { "" } else { line }
}

fn starts_small(line: &str) -> bool {
    line.chars().next().is_some_and(char::is_lowercase)
}

fn ends_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '?', ':', ';'])
}

/// Splits one paragraph.
fn split(paragraph: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, character) in paragraph.char_indices() {
        // A mark before `start` closed the sentence before: `Really?!`
        if at < start || !matches!(character, '.' | '!' | '?') {
            continue;
        }
        let after = at + character.len_utf8();
        let end = after + closing_marks(&paragraph[after..]);
        if ends_here(paragraph, start, at, end) {
            push_sentence(&mut sentences, &paragraph[start..end]);
            start = end;
        }
    }
    push_sentence(&mut sentences, &paragraph[start..]);
    sentences
}

/// The length of the quotes and brackets that close with the sentence.
fn closing_marks(rest: &str) -> usize {
    rest.find(|c: char| !matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '.' | '!' | '?'))
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

fn push_sentence(sentences: &mut Vec<String>, sentence: &str) {
    let mut rest = without_stray_marks(sentence);
    while rest.chars().count() > SENTENCE_AT_MOST {
        let head = Unit::Chars.prefix(rest, SENTENCE_AT_MOST);
        let mark = ["; ", ", ", " "].iter().find_map(|mark| head.rfind(mark));
        let cut = mark.filter(|at| *at >= SENTENCE_AT_MOST / 4);
        let cut = cut.map_or(head.len(), |at| at + 1);
        sentences.push(rest[..cut].trim().to_owned());
        rest = rest[cut..].trim_start();
    }
    if rest.chars().any(char::is_alphanumeric) {
        sentences.push(rest.to_owned());
    }
}
