//! Which words are patterns, and which patterns are used as such.

use regex::RegexBuilder;

use super::Node;
use super::notes::{Notes, quoted};
use super::trimming::words_of;

/// Fewer literal characters in a row would match nearly every name.
const LEAST_LITERALS: usize = 3;

/// Letters and digits that a `prefix*` needs.
const LEAST_PREFIX: usize = 2;

/// Every pattern is looked up in the whole term dictionary.
const MOST_PATTERNS: usize = 16;

/// Bytes that a compiled expression may take: it bounds the time as well.
const COMPILED_SIZE: usize = 1 << 18;

const CATEGORY: &str = "pattern";

/// Reads the words of one query that may be patterns.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    used: usize,
}

impl Patterns {
    /// What a bare word means: a prefix, a glob or a word.
    pub(super) fn read_word(&mut self, word: &str, notes: &mut Notes) -> Node {
        if !word.contains('*') {
            return Node::Word(word.to_owned());
        }
        if word.matches('(').count() != word.matches(')').count() {
            notes.info(
                CATEGORY,
                format!(
                    "{} has an unclosed parenthesis and is searched as text",
                    quoted(word)
                ),
            );
            return Node::Word(word.to_owned());
        }
        let stem = word.trim_end_matches('*');
        if stem.contains(['*', '?']) {
            return self.read_glob(word, notes);
        }
        self.read_prefix(word, stem, notes)
    }

    /// What `/body/` means: an expression, or the words in it, if any.
    pub(super) fn read_regex(&mut self, body: &str, notes: &mut Notes) -> Option<Node> {
        let written = quoted(&format!("/{body}/"));
        let has_enough = longest_literal_run(body) >= LEAST_LITERALS;
        if !self.admits(&written, has_enough, &literals(), notes) {
            return words_of(body);
        }
        let compiled = RegexBuilder::new(body)
            .size_limit(COMPILED_SIZE)
            .nest_limit(50)
            .build();
        if let Err(error) = compiled {
            notes.warning(
                CATEGORY,
                format!(
                    "{written} is not a valid regular expression and is searched as text: {}",
                    last_line(&error)
                ),
            );
            return words_of(body);
        }
        Some(Node::Regex(body.to_owned()))
    }

    fn read_glob(&mut self, word: &str, notes: &mut Notes) -> Node {
        let longest = word.split(['*', '?']).map(|run| run.chars().count()).max();
        let has_enough = longest.unwrap_or(0) >= LEAST_LITERALS;
        match self.admits(&quoted(word), has_enough, &literals(), notes) {
            true => Node::Glob(word.to_owned()),
            false => Node::Word(word.to_owned()),
        }
    }

    fn read_prefix(&mut self, word: &str, stem: &str, notes: &mut Notes) -> Node {
        let letters = stem.chars().filter(|letter| letter.is_alphanumeric());
        let has_enough = letters.count() >= LEAST_PREFIX;
        let wanted = format!("{LEAST_PREFIX} letters before the `*`");
        match self.admits(&quoted(word), has_enough, &wanted, notes) {
            true => Node::Prefix(stem.to_owned()),
            false => Node::Word(stem.to_owned()),
        }
    }

    /// Counts a pattern. One that lacks what is wanted, or is one too many, is
    /// searched as text, and a note says so.
    fn admits(&mut self, written: &str, has_enough: bool, wanted: &str, notes: &mut Notes) -> bool {
        let refusal = match (has_enough, self.used < MOST_PATTERNS) {
            (true, true) => {
                self.used += 1;
                return true;
            }
            (false, _) => format!("{written} needs at least {wanted} and is searched as text"),
            (true, false) => format!(
                "{written} is searched as text: a query can have at most {MOST_PATTERNS} patterns"
            ),
        };
        notes.info(CATEGORY, refusal);
        false
    }
}

fn literals() -> String {
    format!("{LEAST_LITERALS} consecutive literal characters")
}

/// The longest run of characters in a regular expression that stand for
/// themselves and must be there. White space and what is optional break it.
///
/// ```
/// use gannet_api::query::longest_literal_run;
///
/// assert_eq!(longest_literal_run(r"SR0[1-4]C___BPM\d+"), 7);
/// assert_eq!(longest_literal_run("BPMs?"), 3);
/// ```
pub fn longest_literal_run(expression: &str) -> usize {
    let (mut longest, mut run) = (0, 0_usize);
    let mut characters = expression.chars().peekable();
    while let Some(character) = characters.next() {
        let literal = match character {
            '\\' => characters
                .next()
                .is_some_and(|next| !next.is_alphanumeric()),
            '[' => {
                skip_class(&mut characters);
                false
            }
            '{' => {
                characters.by_ref().find(|next| *next == '}');
                false
            }
            '.' | '^' | '$' | '|' | '(' | ')' | '*' | '+' | '?' => false,
            other => !other.is_whitespace(),
        };
        if !literal {
            run = 0;
            continue;
        }
        // A repeat that may be none takes the character before it away.
        if matches!(characters.peek(), Some('*' | '?' | '{')) {
            run = 0;
            continue;
        }
        run += 1;
        longest = longest.max(run);
    }
    longest
}

fn skip_class(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if characters.peek() == Some(&'^') {
        characters.next();
    }
    if characters.peek() == Some(&']') {
        characters.next();
    }
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            ']' => return,
            _ => {}
        }
    }
}

fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Node {
        Patterns::default().read_word(text, &mut Notes::default())
    }

    #[test]
    fn a_star_at_the_end_makes_a_prefix_and_one_inside_a_glob() {
        assert_eq!(word("klys*"), Node::Prefix("klys".into()));
        assert_eq!(word("SR01C:**"), Node::Prefix("SR01C:".into()));
        assert_eq!(word("SR01C*BPM*"), Node::Glob("SR01C*BPM*".into()));
        assert_eq!(word("SR0?C*"), Node::Glob("SR0?C*".into()));
        assert_eq!(word("*BPM"), Node::Glob("*BPM".into()));
    }

    #[test]
    fn patterns_that_would_match_nearly_everything_are_words() {
        assert_eq!(word("a*b*"), Node::Word("a*b*".into()));
        assert_eq!(word("a*"), Node::Word("a".into()));
        assert_eq!(word("SR0?C"), Node::Word("SR0?C".into()));
    }

    #[test]
    fn what_is_optional_or_a_class_is_not_literal() {
        assert_eq!(longest_literal_run("ab[cde]"), 2);
        assert_eq!(longest_literal_run("[]abc]d"), 1);
        assert_eq!(longest_literal_run(r"a\.bc"), 4);
        assert_eq!(longest_literal_run("abc*"), 2);
        assert_eq!(longest_literal_run("abcd{0,2}x"), 3);
        assert_eq!(longest_literal_run(r"abc\"), 3);
    }

    #[test]
    fn an_expression_that_does_not_compile_is_read_as_its_words() {
        let mut notes = Notes::default();
        let read = Patterns::default().read_regex("beam (loss", &mut notes);
        assert_eq!(
            read,
            Some(Node::All(vec![
                Node::Word("beam".into()),
                Node::Word("loss".into())
            ]))
        );
        assert!(
            notes.into_diagnostics()[0]
                .message
                .contains("unclosed group")
        );
    }

    #[test]
    fn an_expression_that_would_compile_to_much_is_read_as_text() {
        let read = Patterns::default().read_regex(r"abc\pL{900}{900}", &mut Notes::default());
        assert!(matches!(read, Some(Node::Word(_))));
    }
}
