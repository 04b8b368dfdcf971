//! What is asked: patterns of names, and fields.

use gannet_plugin::filter::Filter;
use gannet_plugin::prelude::{Error, Result, SearchRequest};
use gannet_plugin::query::{QueryOptions, parse};
use gannet_plugin::search::QuerySyntax;

use crate::names::NameCharacters;
use crate::pattern::NamePattern;

/// Each pattern is a search of its own.
const MOST_PATTERNS: usize = 8;
/// What may follow a name in a list of names.
const LIST_MARKS: [char; 2] = [',', ';'];

/// A question that was read.
#[derive(Debug)]
pub(crate) struct Question {
    /// An entry must hold a name that one of these matches.
    pub(crate) patterns: Vec<NamePattern>,
    /// The request's filter and the fields of the question.
    pub(crate) filter: Filter,
}

impl Question {
    /// Reads the words of the question: each is a field such as `author:smith`
    /// or a pattern. `OR` may stand between them. Of a question in plain
    /// words, which a pipeline passes on, only the names count.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for what [`NamePattern::read`] refuses, for too
    /// many patterns, and for the operators AND and NOT.
    pub(crate) fn read(
        request: &SearchRequest,
        characters: &NameCharacters,
        case_sensitive: bool,
        options: &QueryOptions,
    ) -> Result<Self> {
        let is_plain = request.syntax == QuerySyntax::Plain;
        let mut filter = request.filter.clone();
        let mut patterns = Vec::new();
        for word in request.query.split_whitespace() {
            let word = word.trim_end_matches(LIST_MARKS);
            match word {
                "" | "OR" => continue,
                _ if is_plain && !looks_like_a_name(word) => continue,
                _ if is_plain && patterns.len() == MOST_PATTERNS => break,
                "AND" | "NOT" => {
                    return Err(Error::invalid_input(format!(
                        "entries with any of the names are found; leave out `{word}`"
                    )));
                }
                _ => {}
            }
            match field(word, options) {
                Some(field) => filter.clauses.extend(field.clauses),
                None if is_plain => {
                    patterns.extend(NamePattern::read(word, characters, case_sensitive));
                }
                None => patterns.push(NamePattern::read(word, characters, case_sensitive)?),
            }
        }
        if patterns.len() > MOST_PATTERNS {
            return Err(Error::invalid_input(format!(
                "{} patterns; ask for {MOST_PATTERNS} at most, or join some by `*`",
                patterns.len()
            )));
        }
        Ok(Self { patterns, filter })
    }
}

/// The filter that a word of the question sets, where it is a field.
fn field(word: &str, options: &QueryOptions) -> Option<Filter> {
    let read = parse(word, QuerySyntax::Operators, options);
    (read.root.is_none() && !read.filter.is_empty()).then_some(read.filter)
}

/// `CAV1`, `TP-3` and `LI:GUN:HV`; not `cavity`, `2024` and `why:`.
fn looks_like_a_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.contains(char::is_alphabetic) && word.contains(|c: char| c.is_ascii_digit() || c == ':')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn read(request: &SearchRequest) -> Result<Question> {
        let options = QueryOptions::default();
        Question::read(request, &NameCharacters::default(), false, &options)
    }

    fn candidates(request: &SearchRequest) -> Vec<String> {
        let patterns = read(request).unwrap().patterns.into_iter();
        patterns.map(|pattern| pattern.candidates).collect()
    }

    #[test]
    fn words_are_patterns_and_fields_are_filters() {
        let request = SearchRequest::new("CAV1, OR TP-3 author:smith date:2024-05", 10);

        assert_eq!(candidates(&request), ["CAV1", "TP AND 3"]);
        assert_eq!(read(&request).unwrap().filter.clauses.len(), 2);
    }

    #[test]
    fn of_plain_words_only_names_count() {
        let mut request = SearchRequest::new("why did SR03C:RF:CAV1 trip in 2024?", 10);
        request.syntax = QuerySyntax::Plain;

        assert_eq!(candidates(&request), ["SR03C AND RF AND CAV1"]);
    }

    #[test]
    fn other_operators_and_too_many_patterns_are_refused() {
        for query in ["CAV1 AND CAV2", "NOT CAV1", "A1 A2 A3 A4 A5 A6 A7 A8 A9"] {
            let refused = read(&SearchRequest::new(query, 10));
            assert!(
                matches!(refused, Err(Error::InvalidInput { .. })),
                "{query}"
            );
        }
    }
}
