//! What an entry states of its event, as the reader finds it: what caused it, and
//! what fixed it.

use gannet_plugin::prelude::{Context, Diagnostic, Entry, Result};
use gannet_plugin::provider::{ReadPassage, ReadRequest};
use gannet_stages::{
    PARTIAL_PROBABILITY, heading, quoted, says_cause, says_repaired, split_sentences,
};
use serde::Serialize;

use crate::group::{Group, Member};

/// Characters of what the reader quotes.
const QUOTED_CHARS: usize = 300;

/// What the reader is asked of an entry, and whether a sentence says it in words.
struct Asked {
    question: &'static str,
    is_said: fn(&str) -> bool,
}

const CAUSE: Asked = Asked {
    question: "What caused it? What was the root cause?",
    is_said: says_cause,
};
const OUTCOME: Asked = Asked {
    question: "What fixed it? How was it repaired or resolved?",
    is_said: says_repaired,
};

/// What caused an event, or what fixed it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Statement {
    /// The sentence of the entry.
    pub(crate) text: String,
    /// The probability that it says so, by the reader.
    pub(crate) probability: f64,
}

/// Adds what the newest entries state, of at most so many that say it in words.
pub(crate) async fn add_statements(
    groups: &mut [Group],
    entries: &[Entry],
    most: usize,
    context: &Context,
) {
    let members = groups.iter_mut().flat_map(|group| group.entries.iter_mut());
    let mut members: Vec<_> = members.collect();
    members.sort_by_key(|member| std::cmp::Reverse(member.timestamp));
    let entry_of = |id: &str| entries.iter().find(|entry| entry.entry_id == id);
    let with_entry = members
        .into_iter()
        .filter_map(|member| Some((entry_of(&member.entry_id)?, member)));
    let said = with_entry.filter(|(entry, _)| CAUSE.is_said_in(entry) || OUTCOME.is_said_in(entry));
    for (entry, member) in said.take(most) {
        if let Err(error) = add_to(member, entry, context).await {
            let message = format!("what caused and fixed the events is not known: {error}");
            context.diagnose(Diagnostic::warning("recurrence", message).category(error.category()));
            break;
        }
    }
    groups.iter_mut().for_each(Group::state);
}

async fn add_to(member: &mut Member, entry: &Entry, context: &Context) -> Result<()> {
    member.cause = CAUSE.statement_of(entry, context).await?;
    member.outcome = OUTCOME.statement_of(entry, context).await?;
    Ok(())
}

impl Asked {
    /// Whether any sentence of an entry says it; others are not read.
    fn is_said_in(&self, entry: &Entry) -> bool {
        let text = entry.raw_text.as_str();
        let mut sentences = split_sentences(text).into_iter();
        (self.is_said)(&heading(entry))
            || sentences.any(|sentence| (self.is_said)(&quoted(text, &sentence.range)))
    }

    /// The most probable sentence that says it in words, or else the heading that
    /// does, where the entry more likely answers than not. The reader also finds
    /// what was looked at, and what is to be done.
    async fn statement_of(&self, entry: &Entry, context: &Context) -> Result<Option<Statement>> {
        if !self.is_said_in(entry) {
            return Ok(None);
        }
        let passage = ReadPassage::new(entry.clone(), 1.0);
        let request = ReadRequest::new(self.question, vec![passage], QUOTED_CHARS);
        let reading = context.read(request).await?;
        let probability = (1.0 - reading.no_answer).clamp(0.0, 1.0);
        if reading.no_answer.is_nan() || probability < PARTIAL_PROBABILITY {
            return Ok(None);
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
        let sentence = quotes.find(|quote| (self.is_said)(quote));
        let stated = sentence.or_else(|| Some(heading(entry)).filter(|text| (self.is_said)(text)));
        Ok(stated.map(|text| Statement { text, probability }))
    }
}
