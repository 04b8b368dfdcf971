//! Cite: the marks in an answer, checked against what was given.
//!
//! Ids are opaque and matched whole: `1` is not cited by `[#10001]`. A mark
//! of an entry that was not given is removed and counted. The check works on
//! a stream too: [`CitationCheck`] holds a mark back until it is complete.
//! Thoughts and links go out on the same way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cited::Cited;
use crate::links::LinkFilter;
use crate::thoughts::{Shown, ThoughtFilter};

/// Characters after which an opened bracket is no mark.
const MARK_AT_MOST: usize = 300;

/// How an answer cites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationStyle {
    /// By entry id: `[#DEMO-001]`.
    #[default]
    EntryId,
    /// By place in the list that was given, from 1: `[2]`.
    Number,
}

impl CitationStyle {
    /// What a model is told of citing, in a sentence.
    pub fn instruction(self) -> &'static str {
        match self {
            Self::EntryId => {
                "After each sentence cite the entry that it comes from by its id, as [#id]."
            }
            Self::Number => {
                "After each sentence cite the entry that it comes from by its number, counted \
                 from 1 in the order of the entries, as [1]."
            }
        }
    }

    /// What a mark looks like, for a model.
    pub fn form(self) -> &'static str {
        match self {
            Self::EntryId => "[#id]",
            Self::Number => "[n]",
        }
    }

    /// The mark of an entry; empty for one that was not given.
    pub fn mark(self, entry_id: &str, given: &[String]) -> String {
        let place = given.iter().position(|id| id == entry_id);
        match (self, place) {
            (Self::EntryId, Some(_)) => format!("[#{entry_id}]"),
            (Self::Number, Some(index)) => format!("[{}]", index + 1),
            (_, None) => String::new(),
        }
    }
}

/// Checks the marks of a whole answer.
///
/// ```
/// use gannet_stages::{CitationStyle, check_citations};
///
/// let given = ["DEMO-001".to_owned(), "1".to_owned()];
/// let cited = check_citations("Tripped [#DEMO-001], reset [#10001].", &given, CitationStyle::EntryId);
/// assert_eq!(cited.text, "Tripped [#DEMO-001], reset.");
/// assert_eq!(cited.citations, ["DEMO-001"]);
/// assert_eq!(cited.unknown, 1);
/// ```
pub fn check_citations(answer: &str, given: &[String], style: CitationStyle) -> Cited {
    let mut check = CitationCheck::new(given.to_vec(), style);
    check.push(answer);
    check.finish().1
}

/// Checks the marks of an answer that comes in pieces.
#[derive(Debug)]
pub struct CitationCheck {
    given: Vec<String>,
    style: CitationStyle,
    thoughts: ThoughtFilter,
    held_back: String,
    links: LinkFilter,
    cited: Cited,
    began_again: bool,
}

impl CitationCheck {
    /// Checks against these entries, in the order in which they were given.
    pub fn new(given: Vec<String>, style: CitationStyle) -> Self {
        Self {
            given,
            style,
            thoughts: ThoughtFilter::default(),
            held_back: String::new(),
            began_again: false,
            links: LinkFilter::default(),
            cited: Cited::default(),
        }
    }

    /// Takes a piece and gives what can be shown now, without thoughts: a mark
    /// that is not complete, and the space before it, wait for the next piece.
    pub fn push(&mut self, piece: &str) -> String {
        let Shown { text, begins_again } = self.thoughts.push(piece);
        if begins_again {
            self.began_again = true;
            self.held_back.clear();
            self.links = LinkFilter::default();
            self.cited = Cited::default();
        }
        self.check(&text, false)
    }

    /// Whether the last piece told that all before it was a thought, so that
    /// what was shown is to be taken back. Says so once.
    pub fn takes_back(&mut self) -> bool {
        std::mem::take(&mut self.began_again)
    }

    /// Gives the rest and the whole.
    pub fn finish(mut self) -> (String, Cited) {
        let rest = self.thoughts.finish();
        let mut shown = self.check(&rest, true);
        let last = self.links.finish();
        self.cited.text.push_str(&last);
        shown.push_str(&last);
        self.cited.links = self.links.removed;
        (shown, self.cited)
    }

    fn check(&mut self, text: &str, is_end: bool) -> String {
        self.held_back.push_str(text);
        let released = self.release(is_end);
        let shown = self.links.push(&released);
        self.cited.text.push_str(&shown);
        shown
    }

    fn release(&mut self, is_end: bool) -> String {
        let pending = std::mem::take(&mut self.held_back);
        let mut shown = String::new();
        let mut rest = pending.as_str();
        while let Some(open) = rest.find('[') {
            let (before, bracket) = rest.split_at(open);
            match self.read_mark(bracket, is_end) {
                Mark::Incomplete => break,
                Mark::Ordinary => {
                    shown.push_str(before);
                    shown.push('[');
                    rest = &bracket[1..];
                }
                Mark::Complete { length, entries } => {
                    shown.push_str(if entries.is_empty() {
                        before.trim_end_matches(' ')
                    } else {
                        before
                    });
                    for entry_id in entries {
                        shown.push_str(&self.style.mark(&entry_id, &self.given));
                        self.note(entry_id);
                    }
                    rest = &bracket[length..];
                }
            }
        }
        let kept = if is_end { rest.len() } else { releasable(rest) };
        let (now, later) = rest.split_at(kept);
        shown.push_str(now);
        self.held_back = later.to_owned();
        shown
    }

    /// Reads what starts with a bracket.
    fn read_mark(&mut self, bracket: &str, is_end: bool) -> Mark {
        if let Some(mark) = self.exact_mark(bracket) {
            return mark;
        }
        let inside = &bracket[1..];
        let Some(end) = inside.find([']', '\n']) else {
            let may_become_a_mark = !is_end && inside.chars().count() < MARK_AT_MOST;
            return if may_become_a_mark {
                Mark::Incomplete
            } else {
                Mark::Ordinary
            };
        };
        if inside[end..].starts_with('\n') {
            return Mark::Ordinary;
        }
        let content = &inside[..end];
        let length = end + 2;
        match self.style {
            CitationStyle::EntryId if content.trim_start().starts_with('#') => {
                self.complete(length, content, Self::given_id)
            }
            CitationStyle::Number if is_numbers(content) => {
                self.complete(length, content, Self::given_number)
            }
            _ => Mark::Ordinary,
        }
    }

    /// A mark whose content is one given id to the letter, whatever
    /// characters the id holds; with or without its `#`.
    fn exact_mark(&self, bracket: &str) -> Option<Mark> {
        if self.style != CitationStyle::EntryId {
            return None;
        }
        let content = &bracket[1..];
        let content = content.strip_prefix('#').unwrap_or(content);
        let id = self
            .given
            .iter()
            .filter(|id| {
                let after = content.strip_prefix(id.as_str());
                after.is_some_and(|after| after.starts_with(']'))
            })
            .max_by_key(|id| id.len())?;
        let before_content = bracket.len() - content.len();
        Some(Mark::Complete {
            length: before_content + id.len() + 1,
            entries: vec![id.clone()],
        })
    }

    fn complete(
        &mut self,
        length: usize,
        content: &str,
        find: fn(&Self, &str) -> Option<String>,
    ) -> Mark {
        let mut entries = Vec::new();
        for part in content.split([',', ';']).map(str::trim) {
            match find(self, part) {
                Some(entry_id) => entries.push(entry_id),
                None => self.cited.unknown += 1,
            }
        }
        Mark::Complete { length, entries }
    }

    fn given_id(&self, part: &str) -> Option<String> {
        let id = part.strip_prefix('#').unwrap_or(part);
        self.given.iter().find(|given| *given == id).cloned()
    }

    fn given_number(&self, part: &str) -> Option<String> {
        let number: usize = part.parse().ok()?;
        self.given.get(number.checked_sub(1)?).cloned()
    }

    fn note(&mut self, entry_id: String) {
        if !self.cited.citations.contains(&entry_id) {
            self.cited.citations.push(entry_id);
        }
    }
}

/// What an opened bracket turned out to be.
enum Mark {
    /// It may still become a mark.
    Incomplete,
    /// It is none.
    Ordinary,
    /// It is one, this many bytes long, of these entries.
    Complete { length: usize, entries: Vec<String> },
}

/// How much of a text without a complete mark can be shown: what is before an
/// open bracket, and before the spaces that would go with a removed mark.
fn releasable(rest: &str) -> usize {
    let open = rest.find('[').unwrap_or(rest.len());
    rest[..open].trim_end_matches(' ').len()
}

fn is_numbers(content: &str) -> bool {
    content.contains(|c: char| c.is_ascii_digit())
        && content
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ',' | ';' | ' '))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_short_id_is_not_cited_by_a_longer_one() {
        let cited = check_citations("[#10001]", &ids(&["1", "100"]), CitationStyle::EntryId);
        assert_eq!(cited.citations, ids(&[]));
        assert_eq!(cited.unknown, 1);
    }

    #[test]
    fn ids_with_brackets_commas_and_spaces_are_found() {
        let given = ids(&["a]b", "x, y"]);
        let cited = check_citations("One [#a]b]. Two [#x, y].", &given, CitationStyle::EntryId);
        assert_eq!(cited.citations, given);
        assert_eq!(cited.text, "One [#a]b]. Two [#x, y].");
    }

    #[test]
    fn several_in_one_mark_are_read_one_by_one() {
        let cited = check_citations("A [#1, #9; 2].", &ids(&["1", "2"]), CitationStyle::EntryId);
        assert_eq!(cited.text, "A [#1][#2].");
        assert_eq!(cited.unknown, 1);
    }

    #[test]
    fn a_known_id_without_its_sign_counts() {
        let cited = check_citations("A [DEMO-1].", &ids(&["DEMO-1"]), CitationStyle::EntryId);
        assert_eq!(cited.text, "A [#DEMO-1].");
    }

    #[test]
    fn other_brackets_are_left_alone() {
        let text = "valve [open], a [b\nc] and [ at the end";
        let cited = check_citations(text, &ids(&["1"]), CitationStyle::EntryId);
        assert_eq!(cited.text, text);
        assert_eq!(cited.unknown, 0);
    }

    #[test]
    fn numbers_are_places_in_what_was_given() {
        let cited = check_citations(
            "A [2]. B [1, 3]. C [0].",
            &ids(&["x", "y"]),
            CitationStyle::Number,
        );
        assert_eq!(cited.text, "A [2]. B [1]. C.");
        assert_eq!(cited.citations, ids(&["y", "x"]));
        assert_eq!(cited.unknown, 2);
    }

    #[test]
    fn marks_in_a_thought_do_not_cite() {
        let given = ids(&["A", "B"]);
        let reply = "<think>[#A] or [#Z]?</think>It is [#B].";
        let cited = check_citations(reply, &given, CitationStyle::EntryId);
        assert_eq!(cited.text, "It is [#B].");
        assert_eq!(cited.citations, ids(&["B"]));
        assert_eq!(cited.unknown, 0);
    }

    #[test]
    fn what_turns_out_to_be_a_thought_is_taken_back() {
        let mut check = CitationCheck::new(ids(&["A", "B"]), CitationStyle::EntryId);
        assert_eq!(check.push("Maybe [#A]. "), "Maybe [#A].");
        assert!(!check.takes_back());
        check.push("</think>It is [#B].");
        assert!(check.takes_back());
        assert!(!check.takes_back());
        assert_eq!(check.finish().1.citations, ids(&["B"]));
    }

    proptest! {
        /// Promise C6.
        #[test]
        fn citations_are_among_what_was_given(
            answer in "[\\[\\]#0-9a-c,; .\n]{0,80}",
            given in prop::collection::vec("[0-9a-c,\\]]{1,4}", 0..4),
            numbered: bool,
        ) {
            let style = if numbered { CitationStyle::Number } else { CitationStyle::EntryId };
            let cited = check_citations(&answer, &given, style);
            prop_assert!(cited.citations.iter().all(|id| given.contains(id)));
        }

        #[test]
        fn pieces_give_what_the_whole_gives(
            pieces in prop::collection::vec("[\\[\\]#0-9, a\n]{0,6}", 0..12),
        ) {
            let given = ids(&["1", "22", "a"]);
            let mut check = CitationCheck::new(given.clone(), CitationStyle::EntryId);
            let mut shown = String::new();
            for piece in &pieces {
                shown += &check.push(piece);
            }
            let (rest, cited) = check.finish();
            shown += &rest;
            prop_assert_eq!(&shown, &cited.text);
            let whole = check_citations(&pieces.concat(), &given, CitationStyle::EntryId);
            prop_assert_eq!(cited, whole);
        }
    }
}
