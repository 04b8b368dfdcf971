//! Answer: the deterministic answer, made without a model.
//!
//! It quotes the sentences of the best entries that fit the question, each
//! with its date and its citation. What a question asks for is read from its
//! [plan](gannet_plugin::plan::QueryPlan); nothing is stated that no entry states.
//! The answer is [`Grounded`](AnswerStatus::Grounded) only when an entry of the
//! asked place and time holds enough of the question's words and a quote has
//! what the question asks for; else the quotes are shown as the closest
//! entries ([`Partial`](AnswerStatus::Partial)).

mod asked;
mod candidates;
mod choose;
mod english;
mod layout;
mod listing;
mod quoted;
mod retraction;
mod sentences;
mod stated;
mod status;
mod terms;
#[cfg(test)]
mod tests;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::named_entry;

use crate::CitationStyle;
use asked::Asked;
use layout::Chosen;

use crate::entries_asked::Matches;

pub(crate) use asked::content_stems;
pub use asked::{content_words, idf, stems};
pub use english::is_asking_word;
pub(crate) use english::{counts_events, is_unit, spaced};
pub use quoted::quoted;
pub use sentences::{Sentence, sentences, split_sentences};
pub use terms::{stem, words};

/// Characters of all quotes of an answer together, at most.
pub const QUOTED_CHARS_AT_MOST: usize = 600;
/// The default of [`AnswerInput::grounded_share`]: `docs/quality.md`,
/// "Answers", has what each value gives.
pub const GROUNDED_SHARE: f64 = 0.15;
/// Quotes of an answer, at most.
pub const QUOTES_AT_MOST: usize = 3;

/// What a deterministic answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct AnswerInput<'a> {
    /// What the host read in the question.
    pub plan: &'a QueryPlan,
    /// The entries that were found, best first.
    pub entries: &'a [Entry],
    /// How many entries match what a question for a list or a number of
    /// entries asks about; they are the first of `entries`, as far as those
    /// reach. `None` when they were not counted.
    pub matches: Option<Matches>,
    /// How to cite.
    pub style: CitationStyle,
    /// The facility's time zone, an IANA name; days are days there.
    pub timezone: &'a str,
    /// The share of the question's words, by weight, that the first cited
    /// entry holds at least, or the answer is `partial`.
    pub grounded_share: f64,
}

/// A deterministic answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedAnswer {
    /// The answer. Its quotes stand in `quotes` one by one; where it is not
    /// grounded or counts entries, a sentence stands before them.
    pub text: String,
    /// How far it can be trusted.
    pub status: AnswerStatus,
    /// Why it has that status.
    pub reason: String,
    /// What it quotes, in order.
    pub quotes: Vec<Quote>,
    /// Ids that it cites, in order of first mention.
    pub citations: Vec<String>,
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
    /// The citation mark.
    pub mark: String,
}

impl Quote {
    /// The quote as it is shown.
    pub fn line(&self) -> String {
        format!("{}{} {}", self.lead_in, self.text, self.mark)
    }
}

/// Answers from the entries that were found.
///
/// ```
/// use gannet_plugin::pipeline::AnswerStatus;
/// use gannet_plugin::plan::{Intent, QueryPlan};
/// use gannet_plugin::prelude::Entry;
/// use gannet_stages::{AnswerInput, CitationStyle, GROUNDED_SHARE, compose_answer};
///
/// let text = "Beam lost at 06:45. The trip was caused by a reflected power interlock on the RF \
///             cavity. Coffee machine works again.";
/// let entries = [Entry::new("42", "log", "2024-03-15T10:30:00Z".parse()?, text)];
/// let plan = QueryPlan::of_terms("What caused the RF cavity trip?", Default::default())
///     .with_intent(Intent::Cause)
///     .with_intent_words(vec!["caused".to_owned()]);
/// let answer = compose_answer(AnswerInput {
///     plan: &plan,
///     entries: &entries,
///     matches: None,
///     style: CitationStyle::EntryId,
///     timezone: "UTC",
///     grounded_share: GROUNDED_SHARE,
/// });
/// assert_eq!(answer.status, AnswerStatus::Grounded);
/// assert_eq!(
///     answer.quotes[0].line(),
///     "On 2024-03-15: The trip was caused by a reflected power interlock on the RF cavity. [#42]",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose_answer(input: AnswerInput<'_>) -> ComposedAnswer {
    if input.entries.is_empty() {
        let text = "No entry was found for this question.";
        return layout::nothing(text, "no entry was found");
    }
    if let Some(entry) = meant_entry(&input) {
        let chosen = choose::beginning(entry, &input.entries[entry]);
        let reason = "the beginning of the entry that is meant".to_owned();
        return layout::compose(&chosen, "", AnswerStatus::Grounded, reason, &input);
    }
    if let Some(matches) = input.matches {
        return listing::compose(matches, &input);
    }
    let asked = Asked::read(input.plan, input.entries);
    let names_nothing = input.plan.times.is_empty() && input.plan.entities.is_empty();
    if asked.terms.is_empty() && names_nothing && !input.plan.text.trim().is_empty() {
        return listing::ask_back(&input);
    }
    let mut chosen: Vec<Chosen> = choose::choose(&asked, input.entries);
    retraction::add_retraction(&mut chosen, input.entries);
    if chosen.is_empty() {
        let text = "The entries that were found do not answer this question.";
        return layout::nothing(text, "no sentence of the entries fits the question");
    }
    let (status, reason) = status::status(&asked, &chosen, &input);
    let opening = match status {
        AnswerStatus::Grounded => "",
        _ => "Closest entries, not an answer:",
    };
    layout::compose(&chosen, opening, status, reason, &input)
}

/// The entry that the question names by its id, or the only one that was
/// found when nothing but its place or time was asked for.
fn meant_entry(input: &AnswerInput<'_>) -> Option<usize> {
    let named = named_entry(&input.plan.text)?;
    let mut entries = input.entries.iter();
    entries.position(|entry| entry.entry_id == named)
}
