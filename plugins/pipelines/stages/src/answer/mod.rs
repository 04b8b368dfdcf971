//! Answer: the deterministic answer, made without a model.
//!
//! It quotes the sentences that a reader chooses among those of the best
//! entries, each with its date and its citation. The reader says how probable
//! it is that they answer; the status follows from that: [`Grounded`] from
//! [`GROUNDED_PROBABILITY`], [`Partial`] from [`PARTIAL_PROBABILITY`], and
//! [`Insufficient`] below, where the closest entries are listed and nothing is
//! quoted as an answer.
//!
//! [`Grounded`]: AnswerStatus::Grounded
//! [`Partial`]: AnswerStatus::Partial
//! [`Insufficient`]: AnswerStatus::Insufficient

mod chosen;
mod correction;
mod english;
mod intervals;
mod layout;
mod listing;
mod measures;
mod newer_value;
mod provable;
mod quoted;
mod read;
mod retraction;
mod sentences;
mod set_details;
mod sets;
mod terms;
#[cfg(test)]
mod tests;

use std::ops::Range;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Context, Entry, Error};
use gannet_plugin::provider::Reading;
use gannet_plugin::query::named_entry;

use crate::CitationStyle;
use crate::entries_asked::Matches;

pub use chosen::quotes_of;
pub(crate) use english::{counts_events, is_unit};
pub use english::{holds_any, is_asking_word, phrases_in, spaced};
pub use quoted::quoted;
pub use read::ENTRIES_READ;
pub use retraction::retracts;
pub use sentences::{Sentence, sentences, split_sentences};
pub use set_details::set_details;
pub use sets::{
    CountedSet, LISTED_OF_A_SET, Nearest, answer_from_set, answer_without_members, times_of,
};
pub(crate) use terms::content_stems;
pub use terms::{content_stem, content_words, idf, stem, stems, words};

/// Characters of all quotes of an answer together, at most.
pub const QUOTED_CHARS_AT_MOST: usize = 600;
/// Quotes of an answer, at most.
pub const QUOTES_AT_MOST: usize = 3;
/// The default of [`AnswerInput::grounded_probability`].
pub const GROUNDED_PROBABILITY: f64 = 0.8;
/// The probability of being right from which an answer is `partial`.
pub const PARTIAL_PROBABILITY: f64 = 0.4;

/// What a deterministic answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct AnswerInput<'a> {
    /// What the host read in the question.
    pub plan: &'a QueryPlan,
    /// The entries that were found, best first.
    pub entries: &'a [Entry],
    /// The scores of their hits, in the same order.
    pub scores: &'a [f64],
    /// How many entries match what a question for a list or a number of
    /// entries asks about; they are the first of `entries`, as far as those
    /// reach. `None` when they were not counted.
    pub matches: Option<Matches>,
    /// How to cite.
    pub style: CitationStyle,
    /// The facility's time zone, an IANA name; days are days there.
    pub timezone: &'a str,
    /// The provider that chooses sentences; the built-in reader when missing.
    pub reader: Option<&'a str>,
    /// The probability of being right from which an answer is `grounded`.
    pub grounded_probability: f64,
}

/// A deterministic answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ComposedAnswer {
    /// The answer. Its quotes stand in `quotes` one by one; where it is not
    /// grounded or counts entries, a sentence stands before them.
    pub text: String,
    /// How far it can be trusted.
    pub status: AnswerStatus,
    /// The probability that the quotes answer, 0 to 1, where a reader chose
    /// them and quotes can answer.
    pub confidence: Option<f64>,
    /// Why it has that status.
    pub reason: String,
    /// What it quotes, in order.
    pub quotes: Vec<Quote>,
    /// Ids that it cites, in order of first mention.
    pub citations: Vec<String>,
    /// The bytes of `text` with the words that answer, in order.
    pub highlights: Vec<Range<usize>>,
    /// Whether the reader that was asked failed: the closest entries stand
    /// instead of an answer.
    pub is_unread: bool,
}

/// Consecutive sentences of an entry with their citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The entry that says it.
    pub entry_id: String,
    /// When and by whom, before the first quote of an entry; else empty.
    pub lead_in: String,
    /// The entry's own words, on one line.
    pub text: String,
    /// The bytes of `text` with the words that answer, in order.
    pub highlights: Vec<Range<usize>>,
    /// The citation mark.
    pub mark: String,
}

impl Quote {
    /// The quote as it is shown.
    pub fn line(&self) -> String {
        format!("{}{} {}", self.lead_in, self.text, self.mark)
    }
}

/// Answers from the entries that were found: asks the reader, unless the
/// search itself answers. Where the reader cannot be asked or fails, a
/// diagnostic says so, and the built-in one is asked; where it fails too, the
/// closest entries are listed.
pub async fn answer_from_entries(input: AnswerInput<'_>, context: &Context) -> ComposedAnswer {
    let listed = without_reader(&input);
    if let Some(answer) = listed.as_ref()
        && !is_list_of_one(&input)
    {
        return answer.clone();
    }
    let answer = match read::read(&input, context).await {
        Ok(reading) => compose_answer(&input, &reading),
        Err(error) => unread(&input, &error),
    };
    match listed {
        Some(listed) if !is_answer(&answer) => listed,
        _ => answer,
    }
}

/// Whether one entry matches a question that reads as one for several ("which
/// parts had failed when the bus went dead"): it is about that entry, if a
/// sentence of it answers.
fn is_list_of_one(input: &AnswerInput<'_>) -> bool {
    input.matches.is_some_and(|matches| matches.entries == 1)
}

fn is_answer(answer: &ComposedAnswer) -> bool {
    let is_likely = matches!(
        answer.status,
        AnswerStatus::Grounded | AnswerStatus::Partial
    );
    is_likely && !answer.is_unread
}

fn unread(input: &AnswerInput<'_>, error: &Error) -> ComposedAnswer {
    ComposedAnswer {
        is_unread: true,
        ..listing::unread(input, format!("no sentences were chosen: {error}"))
    }
}

/// The answer where no sentence has to be chosen: nothing was found, an entry
/// is meant by its id, entries are listed or counted, or the question names
/// nothing.
fn without_reader(input: &AnswerInput<'_>) -> Option<ComposedAnswer> {
    if input.entries.is_empty() {
        let text = "No entry was found for this question.";
        return Some(layout::nothing(text, "no entry was found"));
    }
    if let Some(entry) = meant_entry(input) {
        let chosen = chosen::beginning(entry, &input.entries[entry]);
        let reason = "the beginning of the entry that is meant".to_owned();
        let status = AnswerStatus::Grounded;
        return Some(layout::compose(&chosen, "", status, reason, input));
    }
    if !input.plan.unread.is_empty() {
        return Some(listing::not_answered(input));
    }
    if let Some(matches) = input.matches {
        return Some(listing::compose(matches, input));
    }
    let names_nothing = input.plan.times.is_empty() && input.plan.entities.is_empty();
    let is_blank = input.plan.text.trim().is_empty();
    let is_vague = content_words(input.plan).is_empty() && names_nothing && !is_blank;
    is_vague.then(|| listing::ask_back(input))
}

/// The answer that a reading makes.
///
/// ```
/// use gannet_plugin::pipeline::AnswerStatus;
/// use gannet_plugin::plan::QueryPlan;
/// use gannet_plugin::prelude::Entry;
/// use gannet_plugin::provider::{ReadSpan, Reading};
/// use gannet_stages::{AnswerInput, CitationStyle, GROUNDED_PROBABILITY, compose_answer};
///
/// let text = "Beam lost at 06:45. The trip was caused by a reflected power interlock on the RF \
///             cavity. Coffee machine works again.";
/// let entries = [Entry::new("42", "log", "2024-03-15T10:30:00Z".parse()?, text)];
/// let plan = QueryPlan::of_terms("What caused the RF cavity trip?", Default::default());
/// let input = AnswerInput {
///     plan: &plan,
///     entries: &entries,
///     scores: &[1.0],
///     matches: None,
///     style: CitationStyle::EntryId,
///     timezone: "UTC",
///     reader: None,
///     grounded_probability: GROUNDED_PROBABILITY,
/// };
/// // A reader chose the second sentence, and is rather sure of it.
/// let reading = Reading::new(vec![ReadSpan::new(0, 20..89, 0.9)], 0.1);
/// let answer = compose_answer(&input, &reading);
/// assert_eq!(answer.status, AnswerStatus::Grounded);
/// assert_eq!(
///     answer.quotes[0].line(),
///     "On 2024-03-15: The trip was caused by a reflected power interlock on the RF cavity. [#42]",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose_answer(input: &AnswerInput<'_>, reading: &Reading) -> ComposedAnswer {
    let mut chosen = chosen::sentences_of(reading, input.entries);
    let probability = match chosen.is_empty() || reading.no_answer.is_nan() {
        true => 0.0,
        false => (1.0 - reading.no_answer).clamp(0.0, 1.0),
    };
    let reason = format!("the reader gives it a probability of {probability:.2} to be right");
    let mut confidence = Some(probability);
    let answer = if probability < PARTIAL_PROBABILITY {
        listing::closest(input, reason)
    } else {
        correction::add_correction(&mut chosen, input.entries);
        retraction::add_retraction(&mut chosen, input.entries);
        newer_value::add_newer_value(&mut chosen, input);
        let doubt = provable::doubt(input, &chosen);
        if doubt.as_ref().is_some_and(|doubt| doubt.is_of_question) {
            confidence = None;
        }
        match doubt {
            None if probability >= input.grounded_probability => {
                layout::compose(&chosen, "", AnswerStatus::Grounded, reason, input)
            }
            doubt => {
                let said = doubt.as_ref().map_or("", |doubt| &doubt.said);
                let opening = format!("{said}This may answer the question:");
                let reasons =
                    std::iter::once(reason).chain(doubt.as_ref().map(|one| one.reason.clone()));
                let reason = reasons.collect::<Vec<_>>().join("; ");
                layout::compose(&chosen, &opening, AnswerStatus::Partial, reason, input)
            }
        }
    };
    ComposedAnswer {
        confidence,
        ..answer
    }
}

/// The entry that the question names by its id.
fn meant_entry(input: &AnswerInput<'_>) -> Option<usize> {
    let named = named_entry(&input.plan.text)?;
    let mut entries = input.entries.iter();
    entries.position(|entry| entry.entry_id == named)
}
