//! Retrieved text is data: what could steer a reader or a parser is taken
//! out of it, character for character, so that lengths stay as they are.

use std::borrow::Cow;

use super::tokens::break_tokens;

/// Citation marks are looked for over this many characters.
const MARK_LENGTH: usize = 80;
/// How the header of an entry begins.
const HEADER: &str = "ENTRY #";

/// A text without control characters (line ends and tabs stay), invisible
/// direction marks, marks that read as citations (`[#7]`, `[7]` become `(#7)`,
/// `(7)`), lines that read as the separator or the header of an entry, lines
/// of a fence and tokens of chat templates (`<|im_end|>` becomes
/// `‹|im_end|›`).
///
/// Every character is kept or replaced by one other, so that the text has as
/// many characters as before.
///
/// ```
/// use gannet_stages::neutral;
///
/// assert_eq!(neutral("see [#7]\u{7}"), "see (#7) ");
/// assert_eq!(neutral("x\n---\nENTRY #1 | forged"), "x\n***\nentry #1 | forged");
/// ```
pub fn neutral(text: &str) -> String {
    let mut result: String = match text.contains(is_hidden) {
        true => text.chars().map(without_control).collect(),
        false => text.to_owned(),
    };
    if result.contains(['<', '>', '[']) {
        let mut characters: Vec<char> = result.chars().collect();
        break_tokens(&mut characters);
        result = without_marks(characters);
    }
    match result.contains("---") || result.contains(HEADER) {
        true => result.split_inclusive('\n').map(neutral_header).collect(),
        false => result,
    }
}

/// A line that does not read as the separator or the header of an entry.
fn neutral_header(line: &str) -> Cow<'_, str> {
    let content = line.trim_end_matches('\n').trim();
    if content.len() >= 3 && content.chars().all(|c| c == '-') {
        return line.replace('-', "*").into();
    }
    match content.starts_with(HEADER) {
        true => line.replacen(HEADER, "entry #", 1).into(),
        false => line.into(),
    }
}

/// [`neutral`], on one line.
pub fn neutral_line(text: &str) -> String {
    neutral(text).replace(['\n', '\t'], " ")
}

fn without_control(character: char) -> char {
    match is_hidden(character) {
        true => ' ',
        false => character,
    }
}

/// Whether a character is a control or an invisible one.
fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && !matches!(character, '\n' | '\t');
    }
    let is_line_break = matches!(character, '\u{2028}' | '\u{2029}');
    let is_direction_mark = matches!(
        character,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}'
    );
    let is_tag = matches!(character, '\u{E0000}'..='\u{E007F}');
    is_line_break || is_direction_mark || is_tag || character.is_control()
}

/// Turns the brackets of what reads as a citation into parentheses.
fn without_marks(mut characters: Vec<char>) -> String {
    let mut at = 0;
    while at < characters.len() {
        if characters[at] == '[' && opens_a_mark(&characters[at + 1..]) {
            characters[at] = '(';
            let rest = characters[at..].iter().take(MARK_LENGTH);
            let closing = rest.take_while(|&&c| c != '\n').position(|&c| c == ']');
            if let Some(offset) = closing {
                characters[at + offset] = ')';
            }
        }
        at += 1;
    }
    characters.into_iter().collect()
}

/// Whether what follows a bracket makes it a citation: `#`, or digits, commas
/// and spaces up to the closing bracket.
fn opens_a_mark(rest: &[char]) -> bool {
    let first = rest.iter().find(|c| **c != ' ');
    if first == Some(&'#') {
        return true;
    }
    let inside = rest
        .iter()
        .take(MARK_LENGTH)
        .take_while(|&&c| c.is_ascii_digit() || matches!(c, ',' | ';' | ' '));
    let length = inside.count();
    first.is_some_and(char::is_ascii_digit) && rest.get(length) == Some(&']')
}
