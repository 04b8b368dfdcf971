//! The chosen sentences as an answer.

use std::ops::Range;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::Intent;
use gannet_plugin::prelude::Entry;

use super::chosen::Chosen;
use super::{AnswerInput, ComposedAnswer, Quote};
use crate::assemble::neutral_line;

/// What stands between a row of a table and what follows it.
const ROW_END: &str = " / ";

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
        // A row has no mark at its end.
        let between = match before.is_some_and(|before| before.is_row) {
            true => ROW_END,
            false => " ",
        };
        before = Some(sentence);
        match quotes.last_mut() {
            Some(last) if follows => {
                last.text.push_str(between);
                let start = last.text.len();
                last.text.push_str(&sentence.text);
                last.highlights.extend(moved(&sentence.highlights, start));
            }
            _ => quotes.push(Quote {
                entry_id: entry.entry_id.clone(),
                lead_in: match same_entry {
                    true => String::new(),
                    false => lead_in(entry, input),
                },
                text: sentence.text.clone(),
                highlights: sentence.highlights.clone(),
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
    let (text, highlights) = laid_out(opening, &quotes);
    ComposedAnswer {
        text,
        status,
        confidence: None,
        reason,
        quotes,
        citations,
        highlights,
        is_unread: false,
    }
}

/// Ranges that begin so many bytes later.
fn moved(ranges: &[Range<usize>], by: usize) -> impl Iterator<Item = Range<usize>> {
    ranges
        .iter()
        .map(move |range| range.start + by..range.end + by)
}

/// One quote stands alone; several are a list, one a line, so that each is
/// seen with its citation in a terminal and on a page. With the places of the
/// words that answer.
fn laid_out(opening: &str, quotes: &[Quote]) -> (String, Vec<Range<usize>>) {
    let is_list = !opening.is_empty() || quotes.len() > 1;
    let mut text = opening.to_owned();
    let mut highlights = Vec::new();
    for quote in quotes {
        if !text.is_empty() {
            text.push('\n');
        }
        if is_list {
            text.push_str("- ");
        }
        let start = text.len() + quote.lead_in.len();
        text.push_str(&quote.line());
        highlights.extend(moved(&quote.highlights, start));
    }
    (text, highlights)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::plan::QueryPlan;

    use super::*;
    use crate::answer::chosen::beginning;
    use crate::{CitationStyle, GROUNDED_PROBABILITY};

    #[test]
    fn rows_of_a_table_are_apart_in_a_quote() {
        let text = "Round:\n| pump | current |\n|---|---|\n| P1 | 3 A |\n| P2 | 9 A |\nAll well.";
        let at = "2024-03-15T10:30:00Z".parse().unwrap();
        let entries = [Entry::new("1", "log", at, text)];
        let plan = QueryPlan::default();
        let input = AnswerInput {
            plan: &plan,
            entries: &entries,
            scores: &[1.0],
            matches: None,
            style: CitationStyle::EntryId,
            timezone: "UTC",
            reader: None,
            grounded_probability: GROUNDED_PROBABILITY,
        };
        let chosen = beginning(0, &entries[0]);
        let reason = String::new();
        let answer = compose(&chosen, "", AnswerStatus::Grounded, reason, &input);
        let quoted = &answer.quotes[0].text;
        let end = "pump: P1; current: 3 A / pump: P2; current: 9 A / All well.";
        assert!(quoted.ends_with(end), "{quoted}");
    }
}
