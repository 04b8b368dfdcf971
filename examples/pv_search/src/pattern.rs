//! What a question asks for, and the names in a text that match it.

use std::ops::Range;

use gannet_plugin::filter::Filter;
use gannet_plugin::prelude::{Error, Result, SearchRequest, Setup};
use gannet_plugin::query::{Node, QueryOptions, longest_literal_run, parse};
use gannet_plugin::search::QuerySyntax;
use regex::{Regex, RegexBuilder};

/// Fewer characters of a name in a row would match nearly every name.
const LEAST_LITERALS: usize = 3;
/// Each pattern is a search of its own.
const MOST_PATTERNS: usize = 8;
/// Bytes that a compiled expression may take; this bounds the time too.
const COMPILED_SIZE: usize = 1 << 20;
/// Characters of names that also end sentences: `see SR01:BPM3:X.`
const PUNCTUATION: [char; 3] = ['.', ':', '-'];

/// A word of the question that stands for names.
#[derive(Debug)]
pub(crate) struct NamePattern {
    /// Matches whole names.
    regex: Regex,
    /// A query of the host's text index: every entry with such a name meets
    /// it, and others may.
    pub(crate) candidates: String,
}

/// Reads a question: fields such as `author:smith` are added to the filter,
/// the other words are patterns. Of a question in plain words, which a
/// pipeline passes on, only the names count.
///
/// # Errors
/// [`Error::InvalidInput`] for what is no pattern; the message says what to
/// write.
pub(crate) fn read(request: &SearchRequest, setup: &Setup) -> Result<(Vec<NamePattern>, Filter)> {
    let options = QueryOptions {
        timezone: setup.zone()?,
        ..QueryOptions::default()
    };
    let is_plain = request.syntax == QuerySyntax::Plain;
    let mut filter = request.filter.clone();
    let mut patterns = Vec::new();
    for word in request.query.split_whitespace() {
        let word = word.trim_end_matches([',', ';']);
        let field = parse(word, QuerySyntax::Operators, &options);
        if field.root.is_none() && !field.filter.is_empty() {
            filter.clauses.extend(field.filter.clauses);
        } else if is_plain && !looks_like_a_name(word) || matches!(word, "" | "OR") {
            continue;
        } else if patterns.len() < MOST_PATTERNS {
            patterns.push(NamePattern::read(word)?);
        } else if !is_plain {
            let message = format!("more than {MOST_PATTERNS} patterns; join some by `*`");
            return Err(Error::invalid_input(message));
        }
    }
    Ok((patterns, filter))
}

/// `CAV1` and `LI:GUN:HV`; not `cavity`, `2024` and `why:`.
fn looks_like_a_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_word = word.chars().all(is_in_names) && word.contains(char::is_alphabetic);
    is_word && word.contains(|c: char| c.is_ascii_digit() || c == ':')
}

fn is_in_names(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | ':' | '-' | '.')
}

impl NamePattern {
    /// Reads `/expression/`, a glob or a name.
    fn read(written: &str) -> Result<Self> {
        let refuse = |reason: &str| Err(Error::invalid_input(format!("`{written}`: {reason}")));
        let expression = written.strip_prefix('/').map(|rest| rest.strip_suffix('/'));
        let (body, asked) = match expression {
            Some(None) => return refuse("write `/` after the expression"),
            Some(Some(body)) => {
                // The index keeps what stands between blanks as one name, so
                // the name may have something before and after it there.
                let inside = body.strip_prefix('^').unwrap_or(body);
                let inside = inside.strip_suffix('$').unwrap_or(inside);
                (body.to_owned(), Node::Regex(format!(".*(?:{inside}).*")))
            }
            None => {
                let glob = written.trim_matches(PUNCTUATION);
                if !glob
                    .chars()
                    .all(|c| is_in_names(c) || matches!(c, '*' | '?'))
                {
                    return refuse("names have letters, digits and `_ : - .` only");
                }
                let body = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".");
                (body, Node::Glob(format!("*{glob}*")))
            }
        };
        if longest_literal_run(&body) < LEAST_LITERALS {
            return refuse("this is nearly every name; write three characters of it in a row");
        }
        let build = |body: &str| {
            let mut builder = RegexBuilder::new(body);
            builder
                .case_insensitive(true)
                .size_limit(COMPILED_SIZE)
                .build()
        };
        // Alone first: a stray parenthesis must not close the group around it.
        match build(&body).and_then(|_| build(&format!("^(?:{body})$"))) {
            Ok(regex) => Ok(Self {
                regex,
                candidates: asked.to_string(),
            }),
            Err(error) => refuse(&format!("not a regular expression: {error}")),
        }
    }
}

/// The names in a text that one of the patterns matches: where they stand. The
/// punctuation of the sentence is no part of a name.
pub(crate) fn matching(text: &str, patterns: &[NamePattern]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for run in text.split(|c| !is_in_names(c)) {
        let name = run.trim_matches(PUNCTUATION);
        if !name.is_empty() && patterns.iter().any(|pattern| pattern.regex.is_match(name)) {
            let start = name.as_ptr() as usize - text.as_ptr() as usize;
            places.push(start..start + name.len());
        }
    }
    places
}
