//! One pattern of a question: what names it matches, and how the text index
//! is asked for entries that may hold one.

use gannet_plugin::prelude::{Error, Result};
use gannet_plugin::query::{Node, QueryOptions, longest_literal_run, parse};
use gannet_plugin::search::QuerySyntax;
use regex::{Regex, RegexBuilder};

use crate::names::{NameCharacters, without_punctuation};

/// Longer ones are no names.
const LONGEST_PATTERN: usize = 200;
/// Fewer characters of a name in a row would match nearly every name.
const LEAST_LITERALS: usize = 3;
/// Letters and digits that the beginning of a name needs.
const LEAST_PREFIX: usize = 2;
/// More parts of a name make the candidates no fewer.
const MOST_PARTS: usize = 8;
/// Bytes that a compiled expression may take; this bounds the time too.
const COMPILED_SIZE: usize = 1 << 20;

/// What one word of the question asks for.
#[derive(Debug)]
pub(crate) struct NamePattern {
    /// Matches whole names.
    pub(crate) regex: Regex,
    /// A query of the host's text index: every entry with such a name meets
    /// it, and others may.
    pub(crate) candidates: String,
}

impl NamePattern {
    /// Reads `/expression/`, a glob or a name.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when it is no pattern, or one that would match
    /// nearly every name; the message says what to write.
    pub(crate) fn read(
        written: &str,
        characters: &NameCharacters,
        case_sensitive: bool,
    ) -> Result<Self> {
        if written.chars().count() > LONGEST_PATTERN {
            return Err(Error::invalid_input(format!(
                "a pattern of more than {LONGEST_PATTERN} characters: write a shorter part of \
                 the name and `*`"
            )));
        }
        match written.strip_prefix('/') {
            Some(rest) => Self::from_regex(rest, case_sensitive),
            None => Self::from_glob(written, characters, case_sensitive),
        }
    }

    fn from_regex(rest: &str, case_sensitive: bool) -> Result<Self> {
        let refuse = |reason: &str| Err(Error::invalid_input(format!("`/{rest}`: {reason}")));
        let Some(body) = rest.strip_suffix('/') else {
            return refuse("the expression has no end; write `/` after it");
        };
        if longest_literal_run(body) < LEAST_LITERALS {
            return refuse(
                "this could be nearly every name; write three characters of the name in a row",
            );
        }
        let regex = match whole_name(body, case_sensitive) {
            Ok(regex) => regex,
            Err(error) => return refuse(&format!("no regular expression: {}", reason(&error))),
        };

        // The index keeps what stands between blanks as one name, so the name
        // may have something before and after it there.
        let inside = body.strip_prefix('^').unwrap_or(body);
        let inside = inside.strip_suffix('$').unwrap_or(inside);
        let inside = inside.replace("\\/", "/").replace('/', "\\/");
        let candidates = Node::Regex(format!(".*(?:{inside}).*"));
        if !is_understood(&candidates) {
            return refuse(
                "the index cannot search for it; leave out quotation marks and write it shorter",
            );
        }
        Ok(Self {
            regex,
            candidates: candidates.to_string(),
        })
    }

    fn from_glob(written: &str, characters: &NameCharacters, case_sensitive: bool) -> Result<Self> {
        let glob = without_punctuation(written);
        let is_wildcard = |c: char| matches!(c, '*' | '?');
        let foreign = glob
            .chars()
            .find(|&c| !is_wildcard(c) && !characters.contains(c));
        if let Some(foreign) = foreign {
            return Err(Error::invalid_input(format!(
                "`{written}`: `{foreign}` is in no name; leave it out, or add it to the setting \
                 `extra_name_characters`"
            )));
        }
        let parts: Vec<Node> = glob
            .split(|c: char| !c.is_alphanumeric() && !is_wildcard(c))
            .filter_map(index_part)
            .take(MOST_PARTS)
            .collect();
        if parts.is_empty() {
            return Err(Error::invalid_input(format!(
                "`{written}` could be nearly every name; write two letters or digits at the \
                 beginning of a part, or three in a row"
            )));
        }
        let body = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".");
        let regex = whole_name(&body, case_sensitive)
            .map_err(|error| Error::invalid_input(format!("`{written}`: {}", reason(&error))))?;
        Ok(Self {
            regex,
            candidates: Node::And(parts).to_string(),
        })
    }
}

/// What the index knows of one part of a glob, which stands between colons,
/// dashes and the like: the word, its beginning, or some of its letters.
fn index_part(part: &str) -> Option<Node> {
    let mut runs = part.split(['*', '?']);
    let first = runs.next().unwrap_or_default();
    if !first.is_empty() && first == part {
        return Some(Node::Word(part.to_owned()));
    }
    if first.chars().count() >= LEAST_PREFIX {
        return Some(Node::Prefix(first.to_owned()));
    }
    let longest = runs.max_by_key(|run| run.chars().count())?;
    let is_telling = longest.chars().count() >= LEAST_LITERALS;
    is_telling.then(|| Node::Glob(format!("*{longest}*")))
}

fn whole_name(body: &str, case_sensitive: bool) -> std::result::Result<Regex, regex::Error> {
    // Alone first: a stray parenthesis must not close the group around it.
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .case_insensitive(!case_sensitive)
            .size_limit(COMPILED_SIZE)
            .nest_limit(50)
            .build()
    };
    build(body)?;
    build(&format!("^(?:{body})$"))
}

/// Whether the host reads the part as what it is meant to be.
fn is_understood(node: &Node) -> bool {
    let options = QueryOptions::default();
    let read = parse(&node.to_string(), QuerySyntax::Operators, &options);
    read.root.as_ref() == Some(node)
}

/// The last line of the error; those before it point into the pattern.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    fn read(written: &str) -> Result<NamePattern> {
        NamePattern::read(written, &NameCharacters::default(), false)
    }

    fn refused(written: &str) -> String {
        match read(written) {
            Err(Error::InvalidInput { message }) => message,
            other => panic!("`{written}` should be refused, not {other:?}"),
        }
    }

    #[test]
    fn globs_match_whole_names_in_any_case() {
        let pattern = read("SR0*:BPM?:X").unwrap();
        for name in ["SR01:BPM3:X", "sr0:bpm1:x", "SR01:AB:BPM3:X"] {
            assert!(pattern.regex.is_match(name), "{name}");
        }
        for name in ["SR01:BPM12:X", "SR01:BPM3:X2", "xSR01:BPM3:X", "SR01:BPM:X"] {
            assert!(!pattern.regex.is_match(name), "{name}");
        }
    }

    #[test]
    fn a_dot_is_a_dot_and_a_question_mark_one_character_of_any_length() {
        assert!(!read("RF1.V").unwrap().regex.is_match("RF1xV"));
        assert!(read("Gerät?").unwrap().regex.is_match("Gerätß"));
    }

    #[test]
    fn the_index_is_asked_for_what_every_such_name_holds() {
        for (written, candidates) in [
            ("SR01:BPM3:X", "SR01 AND BPM3 AND X"),
            ("SR0*:BPM?:X", "SR0* AND BPM* AND X"),
            ("?*KLY*:HV", "*KLY* AND HV"),
            ("CAV1", "CAV1"),
            ("OR-2", "\"OR\" AND 2"),
            ("/^SR0[1-4].*:TEMP$/", "/.*(?:SR0[1-4].*:TEMP).*/"),
        ] {
            assert_eq!(read(written).unwrap().candidates, candidates);
        }
    }

    #[test]
    fn expressions_match_whole_names_with_or_without_anchors() {
        for written in ["/^SR0[1-4].*:TEMP$/", "/SR0[1-4].*:TEMP/"] {
            let pattern = read(written).unwrap();
            assert!(pattern.regex.is_match("SR03:VAC:TEMP"));
            assert!(!pattern.regex.is_match("SR03:VAC:TEMP2"));
        }
        let either = read("/SR01|BPM3/").unwrap();
        assert!(!either.regex.is_match("SR01:X"));
    }

    #[test]
    fn what_cannot_be_used_says_what_to_write() {
        for (written, advice) in [
            ("*", "two letters or digits"),
            ("S*:?", "three in a row"),
            ("**AB**", "three in a row"),
            ("/.*/", "three characters of the name"),
            ("/SR01(/", "unclosed group"),
            ("/SR01)|(?:x/", "unopened group"),
            ("/SR01.*", "write `/` after it"),
            ("/SR0\"1x/", "quotation marks"),
            ("/SR01\\pL{900}{900}/", "exceeds"),
            ("PS{QF1}", "extra_name_characters"),
        ] {
            let message = refused(written);
            assert!(message.contains(advice), "{written}: {message}");
        }
        assert!(refused(&"A".repeat(201)).contains("200 characters"));
    }

    #[test]
    fn slashes_of_an_expression_reach_the_index() {
        let pattern = read("/ABC/D\\/E/").unwrap();
        assert_eq!(pattern.candidates, "/.*(?:ABC\\/D\\/E).*/");
        assert!(pattern.regex.is_match("ABC/D/E"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_pattern_or_an_error(written in "\\PC{0,30}|/\\PC{0,30}/|[A-C*?:.-]{1,12}") {
            if let Ok(pattern) = read(&written) {
                prop_assert!(!pattern.candidates.is_empty());
            }
        }

        #[test]
        fn a_name_matches_itself_and_any_of_its_beginnings(
            name in "[A-Z]{2}[A-Z0-9]{0,4}(:[A-Z0-9]{1,5}){0,3}", cut in 2usize..20,
        ) {
            prop_assert!(read(&name).unwrap().regex.is_match(&name));
            let beginning = format!("{}*", &name[..cut.min(name.len())]);
            prop_assert!(read(&beginning).unwrap().regex.is_match(&name));
        }
    }
}
