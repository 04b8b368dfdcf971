//! The chosen sentences as an answer.

use gannet_plugin::{AnswerStatus, Entry};

use super::choose::Verdict;
use super::kinds::QuestionKind;
use super::library::Place;
use super::question::Question;
use super::{AnswerInput, AnswerSentence, ComposedAnswer};
use crate::assemble::neutral_line;

const ASKING_BACK: &str = "Several events fit this question; which one is meant?";
const NOTHING: &str = "The entries that were found do not answer this question.";
const NO_ENTRY: &str = "No entry was found for this question.";

/// Puts the verdict into words.
pub(super) fn compose(
    verdict: Verdict,
    sentences_of: impl Fn(Place) -> String,
    question: &Question,
    input: &AnswerInput<'_>,
) -> ComposedAnswer {
    let (status, opening, places, reason) = match verdict {
        Verdict::Grounded { places, reason } => (AnswerStatus::Grounded, "", places, reason),
        Verdict::Clarify { places, reason } => (AnswerStatus::Clarify, ASKING_BACK, places, reason),
        Verdict::Insufficient { reason } => {
            let opening = if input.entries.is_empty() {
                NO_ENTRY
            } else {
                NOTHING
            };
            (AnswerStatus::Insufficient, opening, Vec::new(), reason)
        }
    };
    let sentences = written(&places, sentences_of, question, input);
    let mut citations: Vec<String> = Vec::new();
    for sentence in &sentences {
        if !citations.contains(&sentence.entry_id) {
            citations.push(sentence.entry_id.clone());
        }
    }
    ComposedAnswer {
        text: laid_out(opening, &sentences),
        status,
        reason,
        citations,
        sentences,
    }
}

/// One sentence stands alone; several are a list, one a line, so that each is
/// seen with its citation in a terminal and on a page.
fn laid_out(opening: &str, sentences: &[AnswerSentence]) -> String {
    if let ("", [only]) = (opening, sentences) {
        return only.text();
    }
    let listed = sentences
        .iter()
        .map(|sentence| format!("- {}", sentence.text()));
    let opening = (!opening.is_empty()).then(|| opening.to_owned());
    let lines: Vec<String> = opening.into_iter().chain(listed).collect();
    lines.join("\n")
}

fn written(
    places: &[Place],
    sentences_of: impl Fn(Place) -> String,
    question: &Question,
    input: &AnswerInput<'_>,
) -> Vec<AnswerSentence> {
    let given: Vec<String> = input.entries.iter().map(|e| e.entry_id.clone()).collect();
    let mut before = None;
    let mut sentences = Vec::new();
    for &place in places {
        let Some(entry) = input.entries.get(place.entry) else {
            continue;
        };
        let is_first_of_entry = before != Some(place.entry);
        before = Some(place.entry);
        sentences.push(AnswerSentence {
            entry_id: entry.entry_id.clone(),
            lead_in: if is_first_of_entry {
                lead_in(entry, question, input.timezone)
            } else {
                String::new()
            },
            quote: sentences_of(place),
            mark: input.style.mark(&entry.entry_id, &given),
        });
    }
    sentences
}

/// `On 2024-03-15 (J. Smith): `, with the time of day where a time is asked.
fn lead_in(entry: &Entry, question: &Question, timezone: &str) -> String {
    let format = match question.kind {
        QuestionKind::Latest | QuestionKind::Earliest | QuestionKind::Time => "%Y-%m-%d %H:%M",
        _ => "%Y-%m-%d",
    };
    let date = match entry.timestamp.in_tz(timezone) {
        Ok(local) => local.strftime(format).to_string(),
        Err(_) => entry.timestamp.strftime(format).to_string(),
    };
    match neutral_line(entry.author.trim()) {
        author if author.is_empty() => format!("On {date}: "),
        author => format!("On {date} ({author}): "),
    }
}
