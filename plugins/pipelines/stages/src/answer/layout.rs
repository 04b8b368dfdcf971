//! The chosen sentences as an answer.

use std::collections::HashSet;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::Intent;
use gannet_plugin::prelude::Entry;

use super::{AnswerInput, ComposedAnswer, Quote};
use crate::assemble::neutral_line;

/// A sentence that was chosen.
pub(super) struct Chosen {
    /// The place of its entry among those given.
    pub(super) entry: usize,
    /// Its place in the entry.
    pub(super) index: usize,
    pub(super) text: String,
    pub(super) stems: HashSet<String>,
    /// Whether it states what the question asks for.
    pub(super) is_stated: bool,
}

/// An answer without a quote.
pub(super) fn nothing(text: &str, reason: &str) -> ComposedAnswer {
    let reason = reason.to_owned();
    of_quotes(Vec::new(), text, AnswerStatus::Insufficient, reason)
}

/// The sentences as quotes below an opening, each with its citation.
pub(super) fn compose(
    chosen: &[Chosen],
    opening: &str,
    status: AnswerStatus,
    reason: String,
    input: &AnswerInput<'_>,
) -> ComposedAnswer {
    let given: Vec<String> = input.entries.iter().map(|e| e.entry_id.clone()).collect();
    let mut quotes: Vec<Quote> = Vec::new();
    let mut before: Option<&Chosen> = None;
    for sentence in chosen {
        let entry = &input.entries[sentence.entry];
        let same_entry = before.is_some_and(|before| before.entry == sentence.entry);
        let follows = same_entry && before.is_some_and(|before| before.index + 1 == sentence.index);
        before = Some(sentence);
        match quotes.last_mut() {
            Some(last) if follows => {
                last.text.push(' ');
                last.text.push_str(&sentence.text);
            }
            _ => quotes.push(Quote {
                entry_id: entry.entry_id.clone(),
                lead_in: match same_entry {
                    true => String::new(),
                    false => lead_in(entry, input),
                },
                text: sentence.text.clone(),
                mark: input.style.mark(&entry.entry_id, &given),
            }),
        }
    }
    of_quotes(quotes, opening, status, reason)
}

/// The answer that these quotes make.
pub(super) fn of_quotes(
    quotes: Vec<Quote>,
    opening: &str,
    status: AnswerStatus,
    reason: String,
) -> ComposedAnswer {
    let mut citations: Vec<String> = Vec::new();
    for quote in &quotes {
        if !citations.contains(&quote.entry_id) {
            citations.push(quote.entry_id.clone());
        }
    }
    ComposedAnswer {
        text: laid_out(opening, &quotes),
        status,
        reason,
        quotes,
        citations,
    }
}

/// One quote stands alone; several are a list, one a line, so that each is
/// seen with its citation in a terminal and on a page.
fn laid_out(opening: &str, quotes: &[Quote]) -> String {
    if let ("", [only]) = (opening, quotes) {
        return only.line();
    }
    let listed = quotes.iter().map(|quote| format!("- {}", quote.line()));
    let opening = (!opening.is_empty()).then(|| opening.to_owned());
    let lines: Vec<String> = opening.into_iter().chain(listed).collect();
    lines.join("\n")
}

/// `On 2024-03-15 (J. Smith): `, with the time of day where a time is asked.
pub(super) fn lead_in(entry: &Entry, input: &AnswerInput<'_>) -> String {
    let plan = input.plan;
    let format = match plan.intent == Intent::When || plan.time_order().is_some() {
        true => "%Y-%m-%d %H:%M",
        false => "%Y-%m-%d",
    };
    let date = match entry.timestamp.in_tz(input.timezone) {
        Ok(local) => local.strftime(format).to_string(),
        Err(_) => entry.timestamp.strftime(format).to_string(),
    };
    match neutral_line(entry.author.trim()) {
        author if author.is_empty() => format!("On {date}: "),
        author => format!("On {date} ({author}): "),
    }
}
