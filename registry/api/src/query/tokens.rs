//! The text as tokens: operands, operators and parentheses.

use super::Node;
use super::QueryOptions;
use super::dates::{ACCEPTED_DAYS, backwards};
use super::fields::{comparison_of_prefix, field_of_prefix, read_condition};
use super::notes::{Notes, quoted};
use super::patterns::Patterns;
use super::trimming::words_of;
use crate::{FilterClause, FilterField};

/// What may end a sentence, and so is no part of the word before it.
const SENTENCE_ENDS: [char; 5] = [',', ';', '!', '?', '.'];

/// A piece of the query.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Operand(Node),
    And,
    Or,
    /// The word NOT.
    Not,
    /// A `-` right before what it excludes.
    Minus,
    Open,
    Close,
}

/// Reads the text, whose quotes are balanced, as tokens. Time is linear: every
/// character is looked at a bounded number of times.
pub(super) fn tokenize(text: &str, options: &QueryOptions, notes: &mut Notes) -> Vec<Token> {
    let mut tokenizer = Tokenizer {
        rest: text,
        options,
        notes,
        patterns: Patterns::default(),
        tokens: Vec::new(),
    };
    loop {
        tokenizer.rest = tokenizer.rest.trim_start();
        let Some(first) = tokenizer.rest.chars().next() else {
            return tokenizer.tokens;
        };
        tokenizer.read_token(first);
    }
}

struct Tokenizer<'t> {
    rest: &'t str,
    options: &'t QueryOptions,
    notes: &'t mut Notes,
    patterns: Patterns,
    tokens: Vec<Token>,
}

impl<'t> Tokenizer<'t> {
    fn read_token(&mut self, first: char) {
        match first {
            '(' => self.read_sign(Token::Open),
            ')' => self.read_sign(Token::Close),
            '"' => {
                let phrase = self.take_quoted();
                self.push_phrase(phrase);
            }
            '-' if self.stands_before_operand() => self.read_sign(Token::Minus),
            '/' => match regex_body(self.rest) {
                Some(body) => self.read_regex(body),
                None => self.read_word(),
            },
            _ => self.read_word(),
        }
    }

    /// Takes a sign of one byte.
    fn read_sign(&mut self, sign: Token) {
        self.rest = &self.rest[1..];
        self.tokens.push(sign);
    }

    /// Whether the `-` that comes next excludes something: no dash of a
    /// sentence, no `--option`, no `->`.
    fn stands_before_operand(&mut self) -> bool {
        let after = &self.rest[1..];
        let Some(next) = after.chars().next() else {
            return false;
        };
        let excludes = next.is_alphanumeric() || matches!(next, '"' | '(' | '/' | '*' | '_');
        if excludes && next.is_ascii_digit() {
            let number = &after[..word_length(after)];
            self.notes.info(
                "syntax",
                format!(
                    "{} excludes entries with {number}; to search for it, write `\"-{number}\"`",
                    quoted(&format!("-{number}"))
                ),
            );
        }
        excludes
    }

    /// Takes `"…"`. The caller has balanced the quotes; without a partner the
    /// rest of the text is taken.
    fn take_quoted(&mut self) -> &'t str {
        let inside = &self.rest[1..];
        let (content, rest) = inside.split_once('"').unwrap_or((inside, ""));
        self.rest = rest;
        content.trim()
    }

    fn push_phrase(&mut self, phrase: &str) {
        if !is_searchable(phrase) {
            return self.note_nothing_to_search(&format!("\"{phrase}\""));
        }
        self.push(Node::Phrase(phrase.to_owned()));
    }

    fn read_regex(&mut self, body: &'t str) {
        self.rest = self.rest[body.len() + 2..].trim_start_matches(SENTENCE_ENDS);
        if body.trim().is_empty() {
            self.notes
                .info("pattern", "an empty pattern `//` is ignored");
            return self.drop_negation();
        }
        match self.patterns.read_regex(body, self.notes) {
            Some(node) => self.push(node),
            None => self.drop_negation(),
        }
    }

    fn read_word(&mut self) {
        let length = word_length(self.rest);
        let (word, rest) = self.rest.split_at(length);
        if let Some((prefix, value)) = word.split_once(':')
            && let Some(field) = field_of_prefix(prefix)
        {
            if value.starts_with('(') {
                self.rest = &self.rest[prefix.len() + 1..];
                return self.read_field_name(prefix);
            }
            return self.read_field(field, prefix, value, rest);
        }
        self.rest = rest;
        if let Some((prefix, value)) = word.split_once(':')
            && let Some(comparison) = comparison_of_prefix(prefix)
            && self.read_bound(comparison, prefix, value)
        {
            return;
        }
        match word {
            "AND" => self.tokens.push(Token::And),
            "OR" => self.tokens.push(Token::Or),
            "NOT" => self.tokens.push(Token::Not),
            _ => self.push_word(word),
        }
    }

    /// Reads `before:2026-03-31` and `before:"2026-03-31"`. With any other value
    /// it is a word, as in `from:smith`.
    fn read_bound(&mut self, comparison: &str, prefix: &str, value: &'t str) -> bool {
        let after_word = self.rest;
        let value = match value.is_empty() && after_word.starts_with('"') {
            true => self.take_quoted(),
            false => value.trim_end_matches([',', ';', '!', '?']),
        };
        if value.is_empty() {
            self.rest = after_word;
            return false;
        }
        let field = FilterField::Timestamp;
        let compared = format!("{comparison}{value}");
        match read_condition(&field, &compared, false, self.options) {
            Ok(condition) => {
                self.push(Node::Field(FilterClause { field, condition }));
                true
            }
            Err(_) => {
                let message = format!(
                    "`{prefix}:` takes a date, which {} is not, and is read as a word; \
                     accepted are {ACCEPTED_DAYS}; `author:` and `source:` are filters",
                    quoted(value)
                );
                self.notes.info("date", message);
                self.rest = after_word;
                false
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        let trimmed = word.trim_end_matches(SENTENCE_ENDS);
        if !is_searchable(trimmed) {
            return self.note_nothing_to_search(word);
        }
        if let Some(open) = without_lone_slash(trimmed) {
            return self.push(Node::Word(open.to_owned()));
        }
        let node = self.patterns.read_word(trimmed, self.notes);
        self.push(node);
    }

    fn read_field(&mut self, field: FilterField, prefix: &str, value: &'t str, rest: &'t str) {
        self.rest = rest;
        let was_quoted = value.is_empty() && rest.starts_with('"');
        let value = if was_quoted {
            self.take_quoted()
        } else {
            value.trim_end_matches([',', ';', '!', '?'])
        };
        // `author:""` is a value: that of entries without one.
        let is_empty = was_quoted && field != FilterField::Timestamp;
        if value.is_empty() && !is_empty {
            return self.read_field_name(prefix);
        }
        if field == FilterField::Timestamp
            && let Some((from, until)) = backwards(value, self.options)
        {
            let outcome = match until.starts_with('<') {
                true => "no entry is in this range",
                false => "the bounds were swapped",
            };
            let (from, until) = (quoted(from), quoted(until));
            let message = format!("{from} is after {until}: {outcome}");
            self.notes.warning("date", message);
        }
        match read_condition(&field, value, was_quoted, self.options) {
            Ok(condition) => self.push(Node::Field(FilterClause { field, condition })),
            Err(reason) => {
                let category = if field == FilterField::Timestamp {
                    "date"
                } else {
                    "field"
                };
                let message = format!(
                    "`{prefix}:` is not a filter here; its value is read as text: {reason}"
                );
                self.notes.warning(category, message);
                match words_of(value) {
                    Some(words) => self.push(words),
                    None => self.drop_negation(),
                }
            }
        }
    }

    fn read_field_name(&mut self, prefix: &str) {
        let written = format!("{prefix}:");
        self.notes.info(
            "field",
            format!(
                "{} has no value right after its colon and is read as a word",
                quoted(&written)
            ),
        );
        self.push(Node::Word(written));
    }

    fn push(&mut self, node: Node) {
        self.tokens.push(Token::Operand(node));
    }

    fn note_nothing_to_search(&mut self, piece: &str) {
        let message = format!("{} has no letter or digit and is left out", quoted(piece));
        self.notes.info("syntax", message);
        self.drop_negation();
    }

    /// What was to be negated is left out, and so is the negation: it must
    /// not fall on what comes next.
    fn drop_negation(&mut self) {
        while matches!(self.tokens.last(), Some(Token::Not | Token::Minus)) {
            self.tokens.pop();
        }
    }
}

/// A word that begins with a slash and has no other, without it: it could be
/// the beginning of a pattern that nothing ends.
fn without_lone_slash(word: &str) -> Option<&str> {
    word.strip_prefix('/').filter(|rest| !rest.contains('/'))
}

/// Whether a piece has anything that an index can hold.
fn is_searchable(piece: &str) -> bool {
    piece.chars().any(char::is_alphanumeric)
}

/// Bytes until white space, a quote, or a parenthesis that is no part of the
/// word: `f(x)` is one word, of `x)` only the `x`, of `NOT(x)` only the `NOT`.
fn word_length(text: &str) -> usize {
    let mut open = 0_usize;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return at,
            '(' => {
                let next = characters.peek().map(|(_, next)| *next);
                if opens_group(&text[..at], next) {
                    return at;
                }
                open += 1;
            }
            ')' if open == 0 => return at,
            ')' => open -= 1,
            blank if blank.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

/// Whether a `(` after this beginning of a word is none of its characters.
fn opens_group(before: &str, next: Option<char>) -> bool {
    matches!(before, "" | "AND" | "OR" | "NOT") || next.is_none_or(char::is_whitespace)
}

/// What stands between the slash that the text starts with and the next one,
/// when that ends a token and the body starts and ends with no blank: in
/// `5 / 6 / 7` and `/usr/bin` the slashes are text. `\/` is a slash of the
/// body.
fn regex_body(text: &str) -> Option<&str> {
    let inside = &text[1..];
    let mut escaped = false;
    for (at, character) in inside.char_indices() {
        match character {
            '"' => return None,
            '/' if !escaped => {
                let (body, after) = (&inside[..at], &inside[at + 1..]);
                return (ends_token(after) && is_closed(body)).then_some(body);
            }
            _ => escaped = character == '\\' && !escaped,
        }
    }
    None
}

fn ends_token(after: &str) -> bool {
    let next = after.trim_start_matches(SENTENCE_ENDS).chars().next();
    next.is_none_or(|next| next.is_whitespace() || next == ')')
}

/// Whether the body may be a pattern: no blank at its ends, or nothing else.
fn is_closed(body: &str) -> bool {
    body.trim().is_empty() || body.trim() == body
}
