//! What fixed an event, as the reader finds it in the entry.

use gannet_plugin::prelude::{Context, Diagnostic, Entry};
use gannet_plugin::provider::{ReadPassage, ReadRequest, Reading};
use gannet_stages::{PARTIAL_PROBABILITY, quoted, split_sentences};
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

/// The sentence of the most probable span, where it more likely answers than
/// not.
fn outcome_of(entry: &Entry, reading: &Reading) -> Option<Outcome> {
    let probability = (1.0 - reading.no_answer).clamp(0.0, 1.0);
    if reading.no_answer.is_nan() || probability < PARTIAL_PROBABILITY {
        return None;
    }
    let spans = reading.spans.iter();
    let span = spans.max_by(|a, b| a.probability.total_cmp(&b.probability))?;
    let text = entry.raw_text.as_str();
    let sentences = split_sentences(text).into_iter();
    let mut around = sentences.filter(|sentence| {
        sentence.range.start < span.range.end && span.range.start < sentence.range.end
    });
    Some(Outcome {
        text: quoted(text, &around.next()?.range),
        probability,
    })
}
