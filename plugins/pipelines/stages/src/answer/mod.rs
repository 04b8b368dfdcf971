//! Answer: the deterministic answer, made without a model.
//!
//! It picks the sentences of the best entries that cover the question's
//! words, prefers those that say what was asked (a cause, a repair, a time, a
//! person), and puts each with its date and its citation. Nothing is said
//! that no entry says.

mod choose;
mod compose;
mod held;
mod kinds;
mod library;
mod manner;
mod merit;
mod newest;
mod period;
mod question;
mod sentences;
mod stated;
mod terms;
#[cfg(test)]
mod tests;
mod weights;

use gannet_plugin::query::named_entry;
use gannet_plugin::{AnswerStatus, Entry, Hit};

use crate::CitationStyle;

pub use kinds::QuestionKind;
pub use newest::newest_that_tell;
pub use question::Question;
pub use sentences::sentences;
pub use terms::{stem, words};

/// What a deterministic answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct AnswerInput<'a> {
    /// The question, as it was typed.
    pub question: &'a str,
    /// The entries that were found, best first.
    pub entries: &'a [Entry],
    /// The hits of those entries; what is there of cosines in their
    /// provenance helps to tell a near text from a far one.
    pub hits: &'a [Hit],
    /// How to cite.
    pub style: CitationStyle,
    /// The facility's time zone, an IANA name; days are days there.
    pub timezone: &'a str,
}

/// A deterministic answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedAnswer {
    /// The answer. Its sentences stand in `sentences` one by one; one that
    /// asks back or says that nothing was found has a sentence before them.
    pub text: String,
    /// How far it can be trusted.
    pub status: AnswerStatus,
    /// Why it has that status.
    pub reason: String,
    /// What it says, sentence by sentence.
    pub sentences: Vec<AnswerSentence>,
    /// Ids that it cites, in order of first mention.
    pub citations: Vec<String>,
}

/// One sentence of an answer: a sentence of an entry, with its citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerSentence {
    /// The entry that says it.
    pub entry_id: String,
    /// When and by whom, where that helps; else empty.
    pub lead_in: String,
    /// The entry's own words, on one line.
    pub quote: String,
    /// The citation mark.
    pub mark: String,
}

impl AnswerSentence {
    /// The sentence as it is shown.
    pub fn text(&self) -> String {
        format!("{}{} {}", self.lead_in, self.quote, self.mark)
    }
}

/// Answers from the entries that were found.
///
/// ```
/// use gannet_plugin::{AnswerStatus, Entry};
/// use gannet_stages::{AnswerInput, CitationStyle, compose_answer};
///
/// let text = "Beam lost at 06:45. The trip was caused by a reflected power interlock on the RF \
///             cavity. Coffee machine works again.";
/// let entries = [Entry::new("42", "log", "2024-03-15T10:30:00Z".parse()?, text)];
/// let answer = compose_answer(AnswerInput {
///     question: "What caused the RF cavity trip?",
///     entries: &entries,
///     hits: &[],
///     style: CitationStyle::EntryId,
///     timezone: "UTC",
/// });
/// assert_eq!(answer.status, AnswerStatus::Grounded);
/// assert_eq!(
///     answer.sentences[0].text(),
///     "On 2024-03-15: The trip was caused by a reflected power interlock on the RF cavity. [#42]",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose_answer(input: AnswerInput<'_>) -> ComposedAnswer {
    let question = Question::read(input.question);
    let mut library = library::Library::read(&question, input.entries, input.hits, input.timezone);
    library.named = library.place_of(named_entry(input.question));
    let verdict = choose::choose(&question, &library);
    compose::compose(verdict, |place| library.text(place), &question, &input)
}
