//! What fixed an event, as the reader finds it in the entry.

use gannet_plugin::prelude::{Context, Diagnostic, Entry};
use gannet_plugin::provider::{ReadPassage, ReadRequest, Reading};
use gannet_stages::{
    PARTIAL_PROBABILITY, quoted, repaired_heading, says_repaired, split_sentences,
};
use serde::Serialize;

use crate::group::Group;

/// What the reader is asked of each entry.
const QUESTION: &str = "What fixed it? How was it repaired or resolved?";
/// Characters of what it quotes.
const QUOTED_CHARS: usize = 300;

/// What fixed an event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Outcome {
    /// The sentence of the entry.
    pub(crate) text: String,
    /// The probability that it says so, by the reader.
    pub(crate) probability: f64,
}

/// Adds the outcomes of the newest entries, at most so many in all.
pub(crate) async fn add_outcomes(
    groups: &mut [Group],
    entries: &[Entry],
    most: usize,
    context: &Context,
) {
    let members = groups.iter_mut().flat_map(|group| group.entries.iter_mut());
    let mut members: Vec<_> = members.collect();
    members.sort_by_key(|member| std::cmp::Reverse(member.timestamp));
    for member in members.into_iter().take(most) {
        let entry = entries
            .iter()
            .find(|entry| entry.entry_id == member.entry_id);
        let Some(entry) = entry else { continue };
        let passage = ReadPassage::new(entry.clone(), 1.0);
        let request = ReadRequest::new(QUESTION, vec![passage], QUOTED_CHARS);
        match context.read(request).await {
            Ok(reading) => member.outcome = outcome_of(entry, &reading),
            Err(error) => {
                let message = format!("what fixed the events is not known: {error}");
                context.diagnose(
                    Diagnostic::warning("recurrence", message).category(error.category()),
                );
                return;
            }
        }
    }
}

/// The most probable sentence that says what was repaired, or else the heading
/// that does, where the entry more likely answers than not. The reader also finds
/// what was looked at, and what is to be done.
fn outcome_of(entry: &Entry, reading: &Reading) -> Option<Outcome> {
    let probability = (1.0 - reading.no_answer).clamp(0.0, 1.0);
    if reading.no_answer.is_nan() || probability < PARTIAL_PROBABILITY {
        return None;
    }
    let mut spans: Vec<_> = reading.spans.iter().collect();
    spans.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let text = entry.raw_text.as_str();
    let sentences = split_sentences(text);
    let around = spans.into_iter().filter_map(|span| {
        let mut sentences = sentences.iter();
        sentences.find(|sentence| {
            sentence.range.start < span.range.end && span.range.start < sentence.range.end
        })
    });
    let mut quotes = around.map(|sentence| quoted(text, &sentence.range));
    let sentence = quotes.find(|quote| says_repaired(quote));
    Some(Outcome {
        text: sentence.or_else(|| repaired_heading(entry))?,
        probability,
    })
}
