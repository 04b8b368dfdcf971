//! What the sentences of an entry say: what failed, works again, changed, is
//! open, or waits for whom.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;
use gannet_stages::{
    begins_with, cues, holds_any, phrases_in, quoted, retracts, says_repaired, spaced,
    split_sentences,
};

use crate::subject::matter_of;
use crate::waiting::{after_words, waits_for};

/// Characters of a sentence that is quoted, at most; of a longer one the part
/// around what it says.
const QUOTED_CHARS: usize = 240;
/// Characters of such a part before what the sentence says, at most.
const LEAD_CHARS: usize = 80;

/// A sentence with what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The sentence of the entry, on one line.
    pub(crate) text: String,
    /// Something does not work.
    pub(crate) fault: bool,
    /// Something works again.
    pub(crate) restored: bool,
    /// Something that did not work was repaired.
    pub(crate) repaired: bool,
    /// Something is in another state than before.
    pub(crate) changed: bool,
    /// Something is not done or not known.
    pub(crate) open: bool,
    /// It takes back the whole report.
    pub(crate) retracts: bool,
    /// It is the heading of an update.
    pub(crate) is_update: bool,
    /// Whom or what something waits for, in its words.
    pub(crate) waits_for: Option<String>,
    /// The words for what it is about.
    matter: HashSet<String>,
}

/// The sentences of an entry, the title first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntryStatements {
    pub(crate) sentences: Vec<Statement>,
}

/// What an entry leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No state is said.
    Quiet,
    /// Something works again or was repaired, or the report is taken back.
    Restored,
    /// The heading, or the sentence that says most of a change, is of a fault,
    /// and nothing says that it works again or was repaired. A guide or a review is
    /// not of one.
    Faulted,
    /// Something is not done or not known.
    Open,
}

impl Statement {
    fn of(text: String) -> Self {
        let (words, cues) = (spaced(&text), cues());
        Self {
            fault: cues.says(&words, &cues.fault),
            restored: cues.says(&words, &cues.restored),
            repaired: says_repaired(&text),
            changed: cues.says(&words, &cues.changed),
            open: cues.says_open(&words),
            retracts: retracts(&text),
            is_update: begins_with(&words, &cues.update),
            waits_for: waits_for(&text, &words),
            matter: matter_of(&text),
            text,
        }
    }

    /// Whether it says that a state changed.
    pub(crate) fn changes_state(&self) -> bool {
        self.fault || self.restored || self.repaired || self.changed
    }

    /// Whether it says that what another sentence tells of is no more: something
    /// works again, or what that one is about was repaired.
    fn settles(&self, other: &Self) -> bool {
        self.restored || (self.repaired && !self.matter.is_disjoint(&other.matter))
    }

    fn is_short(&self) -> bool {
        self.text.chars().count() <= QUOTED_CHARS
    }

    /// The sentence; of a long one the words around what it says, with `…` where
    /// words are missing.
    pub(crate) fn quote(&self) -> String {
        if self.is_short() {
            return self.text.clone();
        }
        let (before, rest) = self.text.split_at(self.said_at());
        let lead = before.split_inclusive(' ').rev();
        let lead: usize = fitting(lead, LEAD_CHARS).map(str::len).sum();
        let start = before.len() - lead;
        let part = &self.text[start..];
        let mut length: usize = fitting(part.split_inclusive(' '), QUOTED_CHARS)
            .map(str::len)
            .sum();
        if length <= lead {
            // A word that is longer than the part, as in text without blanks.
            let end = part.char_indices().nth(QUOTED_CHARS);
            length = end.map_or(part.len(), |(place, _)| place);
        }
        let missing_before = if start > 0 { "… " } else { "" };
        let missing_after = if length < lead + rest.len() {
            " …"
        } else {
            ""
        };
        format!(
            "{missing_before}{}{missing_after}",
            part[..length].trim_matches(' ')
        )
    }

    /// Where it says what it is quoted for: whom it waits for, what is open, or
    /// else what changed.
    fn said_at(&self) -> usize {
        let (words, cues) = (spaced(&self.text), cues());
        let waits = phrases_in(&words, &cues.waits_for).map(|at| at.start);
        let open = || cues.said_open(&words).map(|at| at.start).min();
        let place = waits.min().or_else(open).or_else(|| {
            let changes: [&[String]; 4] =
                [&cues.fault, &cues.restored, &cues.repaired, &cues.changed];
            let mut changes = changes.into_iter();
            changes.find_map(|of| cues.said(&words, of).map(|at| at.start).min())
        });
        let words_before = words[..place.unwrap_or_default()].split_whitespace();
        match words_before.count() {
            0 => 0,
            count => self.text.len() - after_words(&self.text, count).len(),
        }
    }

    /// How much it says of a change: a fault more than a repair, and a repair
    /// more than work.
    fn change_rank(&self) -> u8 {
        match (self.fault, self.restored || self.repaired, self.changed) {
            (true, ..) => 3,
            (_, true, _) => 2,
            (_, _, true) => 1,
            _ => 0,
        }
    }
}

impl EntryStatements {
    /// What an entry says.
    pub(crate) fn of(entry: &Entry) -> Self {
        let text = entry.raw_text.as_str();
        let title = entry.title().map(str::trim).unwrap_or_default();
        let body_start = match text.starts_with(title) {
            true => title.len(),
            false => 0,
        };
        let body = &text[body_start..];
        let sentences = split_sentences(body).into_iter();
        let of_body = sentences.map(|sentence| quoted(body, &sentence.range));
        let title = Some(quoted(title, &(0..title.len()))).filter(|title| !title.is_empty());
        let all = title.into_iter().chain(of_body);
        Self {
            sentences: all.map(Statement::of).collect(),
        }
    }

    /// What the entry leaves behind. What it says last of an open matter
    /// counts: "not yet known ... restored" is not open.
    pub(crate) fn outcome(&self) -> Outcome {
        let last = |is: fn(&Statement) -> bool| self.sentences.iter().rposition(is);
        if last(|one| one.retracts).is_some() {
            return Outcome::Restored;
        }
        if let Some(at) = last(|one| one.open) {
            let (open, mut after) = (&self.sentences[at], self.sentences[at + 1..].iter());
            if !after.any(|one| one.settles(open)) {
                return Outcome::Open;
            }
        }
        let fault = self.changing().filter(|one| one.fault);
        let is_settled = self.sentences.iter().any(|one| match fault {
            Some(fault) => one.settles(fault),
            None => one.restored || one.repaired,
        });
        match fault {
            _ if is_settled => Outcome::Restored,
            Some(_) if !self.retells() => Outcome::Faulted,
            _ => Outcome::Quiet,
        }
    }

    /// Whether the heading is of a text about faults, such as a guide or a review.
    fn retells(&self) -> bool {
        let heading = self.heading().map(|heading| spaced(&heading.text));
        heading.is_some_and(|heading| holds_any(&heading, &cues().retells))
    }

    /// Whether it is about a fault that the heading only names.
    pub(crate) fn retells_fault(&self) -> bool {
        self.retells() && self.heading().is_some_and(|heading| heading.fault)
    }

    /// The first sentence after the heading that says what failed.
    pub(crate) fn told_fault(&self) -> Option<&Statement> {
        let mut told = self.sentences.iter().skip(1);
        told.find(|one| one.fault && !one.restored && !one.repaired)
    }

    /// Whether it says that something works again, and of no fault, repair or
    /// change.
    pub(crate) fn only_restores(&self) -> bool {
        let says_more = |one: &Statement| one.fault || one.repaired || one.changed || one.open;
        !self.sentences.iter().any(says_more) && self.sentences.iter().any(|one| one.restored)
    }

    /// The words for what the heading and the sentences that say a state are about.
    pub(crate) fn matter(&self) -> HashSet<String> {
        let sentences = self.sentences.iter().enumerate();
        let telling = sentences.filter(|(at, one)| *at == 0 || one.changes_state() || one.open);
        telling.flat_map(|(_, one)| one.matter.clone()).collect()
    }

    /// The title, or else the first sentence.
    pub(crate) fn heading(&self) -> Option<&Statement> {
        self.sentences.first()
    }

    /// The sentence that says most of a change of state: the heading where it
    /// does.
    pub(crate) fn changing(&self) -> Option<&Statement> {
        let heading = self.heading().filter(|one| one.changes_state());
        heading.filter(|one| one.is_short()).or_else(|| {
            let changing = self.sentences.iter().filter(|one| one.changes_state());
            // The first of those that say most, a short one before others.
            changing
                .rev()
                .max_by_key(|one| (one.change_rank(), one.is_short()))
        })
    }

    /// The last sentence that says what is open, one that says for whom it
    /// waits before others.
    pub(crate) fn open(&self) -> Option<&Statement> {
        let open = self.sentences.iter().filter(|one| one.open);
        // The last of equal ones, a short one before others.
        open.max_by_key(|one| (one.is_short(), one.waits_for.is_some()))
    }

    /// The heading, where it is short enough to be quoted.
    pub(crate) fn short_heading(&self) -> Option<&Statement> {
        self.heading().filter(|one| one.is_short())
    }

    /// Whether the entry takes itself back.
    pub(crate) fn is_retracted(&self) -> bool {
        self.sentences.iter().any(|one| one.retracts)
    }

    /// Whether it has an update.
    pub(crate) fn has_update(&self) -> bool {
        self.sentences.iter().skip(1).any(|one| one.is_update)
    }
}

/// The first words that have room for their characters.
fn fitting<'t>(words: impl Iterator<Item = &'t str>, room: usize) -> impl Iterator<Item = &'t str> {
    words.scan(room, |room, word| {
        *room = room.checked_sub(word.chars().count())?;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn statements(text: &str) -> EntryStatements {
        EntryStatements::of(&Entry::new("E1", "log", jiff::Timestamp::UNIX_EPOCH, text))
    }

    #[test]
    fn what_is_said_last_of_an_open_matter_counts() {
        let outcome = |text: &str| statements(text).outcome();
        assert_eq!(outcome("CAV1 tripped. Cause is unknown."), Outcome::Open);
        assert_eq!(
            outcome("Cause is not yet known. The valve was replaced and flow restored."),
            Outcome::Restored
        );
        assert_eq!(outcome("CAV1 tripped."), Outcome::Faulted);
        assert_eq!(
            outcome("CAV1 tripped. Reset. It was a fault of the arc detector."),
            Outcome::Restored
        );
        assert_eq!(outcome("A calm night."), Outcome::Quiet);
    }

    #[test]
    fn a_repair_settles_what_it_is_about() {
        let outcome = |text: &str| statements(text).outcome();
        assert_eq!(
            outcome("Positioner cleaned. It was stuck since scale had built up."),
            Outcome::Restored
        );
        assert_eq!(
            outcome("Seal leaks. Seal face was chipped. Seal replaced."),
            Outcome::Restored
        );
        assert_eq!(outcome("CAV1 tripped. Filters replaced."), Outcome::Faulted);
    }

    #[test]
    fn a_guide_or_a_review_is_open_only_where_it_says_so() {
        let outcome = |text: &str| statements(text).outcome();
        assert_eq!(
            outcome("Guide: what to do after an RF trip"),
            Outcome::Quiet
        );
        assert_eq!(
            outcome("Notes of the night.\nP-2 tripped, not yet repaired."),
            Outcome::Open
        );
    }

    #[test]
    fn a_long_sentence_is_quoted_around_what_it_says() {
        let long = |what: &str| {
            let (before, after) = ("of the many ".repeat(8), " and all the rest".repeat(12));
            format!("In the night {before}parts {what}{after}.")
        };
        for (what, outcome) in [
            ("CAV1 tripped", Outcome::Faulted),
            ("waiting for the vacuum group", Outcome::Open),
        ] {
            let text = long(what);
            let read = statements(&text);
            assert_eq!(read.outcome(), outcome);
            let statement = match outcome {
                Outcome::Open => read.open().unwrap(),
                _ => read.changing().unwrap(),
            };
            let quote = statement.quote();
            assert!(quote.contains(what), "{quote}");
            assert!(quote.starts_with("… ") && quote.ends_with(" …"), "{quote}");
            assert!(quote.chars().count() <= QUOTED_CHARS + 4, "{quote}");
            assert!(text.contains(quote.trim_matches(['…', ' '])), "{quote}");
        }
        let without_blanks = format!("{} CAV1 tripped", "字".repeat(300));
        let quote = statements(&without_blanks).changing().unwrap().quote();
        assert_eq!(quote, "… CAV1 tripped");
        let without_blanks = Statement::of("字".repeat(300)).quote();
        assert_eq!(without_blanks.chars().count(), QUOTED_CHARS + 2);
        // A short sentence that says as much is before it.
        let read = statements(&format!("{}\nCAV2 tripped.", long("CAV1 tripped")));
        assert_eq!(read.changing().unwrap().quote(), "CAV2 tripped.");
    }

    #[test]
    fn a_report_that_is_taken_back_is_not_open() {
        let report =
            statements("Pump declared inoperable.\nUPDATE AT 1400\nThis event is retracted.");
        assert_eq!(report.outcome(), Outcome::Restored);
        assert!(report.is_retracted() && report.has_update());
    }

    #[test]
    fn the_sentence_of_a_change_is_the_one_that_says_most() {
        let read =
            statements("Quiet start. Filters were replaced. CAV1 tripped at 8. CAV2 tripped at 9.");
        assert_eq!(read.changing().unwrap().text, "CAV1 tripped at 8.");
        let read = statements("Filters replaced.\nCAV1 tripped at 8.");
        assert_eq!(read.changing().unwrap().text, "Filters replaced.");
    }
}
