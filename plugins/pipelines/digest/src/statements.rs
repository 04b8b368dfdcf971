//! What the sentences of an entry say: what failed, works again, changed, is
//! open, or waits for whom.

use gannet_plugin::prelude::Entry;
use gannet_stages::{begins_with, cues, phrases_in, quoted, retracts, spaced, split_sentences};

/// Characters of a sentence that is quoted, at most; of a longer one the part
/// around what it says.
const QUOTED_CHARS: usize = 240;
/// Characters of such a part before what the sentence says, at most.
const LEAD_CHARS: usize = 80;
/// Words of a name, at most.
const NAME_WORDS: usize = 6;

/// A sentence with what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The sentence of the entry, on one line.
    pub(crate) text: String,
    /// Something does not work.
    pub(crate) fault: bool,
    /// Something works again.
    pub(crate) restored: bool,
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
    /// Something works again, or the report is taken back.
    Restored,
    /// The heading, or the sentence that says most of a change, is of a fault,
    /// and nothing says that it works again.
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
            changed: cues.says(&words, &cues.changed),
            open: cues.says_open(&words),
            retracts: retracts(&text),
            is_update: begins_with(&words, &cues.update),
            waits_for: waits_for(&text, &words),
            text,
        }
    }

    /// Whether it says that a state changed.
    pub(crate) fn changes_state(&self) -> bool {
        self.fault || self.restored || self.changed
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
            let changes: [&[String]; 3] = [&cues.fault, &cues.restored, &cues.changed];
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
        match (self.fault, self.restored, self.changed) {
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
    /// counts: "not yet known ... repaired" is not open.
    pub(crate) fn outcome(&self) -> Outcome {
        let last = |is: fn(&Statement) -> bool| self.sentences.iter().rposition(is);
        if last(|one| one.retracts).is_some() {
            return Outcome::Restored;
        }
        let restored = last(|one| one.restored);
        if last(|one| one.open).is_some_and(|open| restored.is_none_or(|at| at <= open)) {
            return Outcome::Open;
        }
        let reports_fault = || self.changing().is_some_and(|one| one.fault);
        match restored {
            Some(_) => Outcome::Restored,
            None if reports_fault() => Outcome::Faulted,
            None => Outcome::Quiet,
        }
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

/// Whom or what a sentence waits for: the words after a phrase for it, until
/// one at which a name ends, or a mark. Numbers are no names.
fn waits_for(text: &str, spaced: &str) -> Option<String> {
    let place = phrases_in(spaced, &cues().waits_for).min_by_key(|at| at.start)?;
    let words_before = spaced[..place.end].split_whitespace().count();
    let after = after_words(text, words_before);
    // A full stop within a sentence is one of a name: "Dr. Berg".
    let clause = after
        .split([',', ';', ':', '(', ')', '!', '?', '\n'])
        .next()?;
    let is_end = |word: &&str| {
        let word = word.to_lowercase();
        cues().end_of_name.contains(&word)
    };
    let words: Vec<&str> = clause.split_whitespace().take(NAME_WORDS).collect();
    let end = words.iter().position(is_end).unwrap_or(words.len());
    let name = words[..end].join(" ");
    let name = name.trim_end_matches('.').to_owned();
    let is_name = name.chars().next().is_some_and(char::is_alphabetic);
    is_name.then_some(name)
}

/// The text after so many of its words, as [`spaced`] counts them.
fn after_words(text: &str, count: usize) -> &str {
    let (mut words, mut is_in_word) = (0, false);
    for (at, character) in text.char_indices() {
        let is_of_word = character.is_alphanumeric();
        if is_in_word && !is_of_word {
            words += 1;
            if words == count {
                return &text[at..];
            }
        }
        is_in_word = is_of_word;
    }
    ""
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn statements(text: &str) -> EntryStatements {
        EntryStatements::of(&Entry::new("E1", "log", jiff::Timestamp::UNIX_EPOCH, text))
    }

    fn waiting(text: &str) -> Option<String> {
        Statement::of(text.to_owned()).waits_for
    }

    #[test]
    fn whom_something_waits_for_is_named_in_the_words_of_the_sentence() {
        let found = waiting("Pump P-2 is off, waiting for the vacuum group to leak check it.");
        assert_eq!(found.unwrap(), "the vacuum group");
        let found = waiting("Awaiting delivery of the new tube, see SKY-12.");
        assert_eq!(found.unwrap(), "delivery of the new tube");
        let found = waiting("RF-2 is off, waiting for Dr. Berg to check it.");
        assert_eq!(found.unwrap(), "Dr. Berg");
        assert_eq!(waiting("Waiting for A. Novak.").unwrap(), "A. Novak");
        assert_eq!(waiting("Wait for 10 minutes."), None);
        assert_eq!(waiting("Nothing to do."), None);
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
