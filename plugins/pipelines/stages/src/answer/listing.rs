//! Lists and counts, which the search itself answers.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::Entry;

use super::layout::{lead_in, nothing, of_quotes};
use super::sentences::sentences;
use super::{AnswerInput, ComposedAnswer, Quote};
use crate::assemble::Unit;
use crate::entries_asked::Matches;

/// Entries that an answer lists.
const LISTED_AT_MOST: usize = 20;
/// Characters of each entry's heading.
const HEADING_CHARS: usize = 120;
/// What stands before entries that may not answer.
const CLOSEST: &str = "Closest entries, not an answer:";
/// Entries that are shown where there is no answer.
const SHOWN_WITHOUT_AN_ANSWER: usize = 3;

/// Asks back, with the first entries, when the question names nothing.
pub(super) fn ask_back(input: &AnswerInput<'_>) -> ComposedAnswer {
    let opening = "Several events fit this question; which one is meant?";
    let reason = "the question names nothing to look for".to_owned();
    first_entries(input, opening, AnswerStatus::Clarify, reason)
}

/// Says that nothing answers, with the first entries.
pub(super) fn closest(input: &AnswerInput<'_>, reason: String) -> ComposedAnswer {
    let opening = "No entry answers this. Closest:";
    first_entries(input, opening, AnswerStatus::Insufficient, reason)
}

/// The first entries where nobody read them for an answer.
pub(super) fn unread(input: &AnswerInput<'_>, reason: String) -> ComposedAnswer {
    first_entries(input, CLOSEST, AnswerStatus::Insufficient, reason)
}

/// Says which parts of the question nothing answers, with the first entries.
pub(super) fn not_answered(input: &AnswerInput<'_>) -> ComposedAnswer {
    let opening = format!("{} {CLOSEST}", unanswered(&input.plan.unread));
    let reason = "no search and no condition says a part of the question".to_owned();
    first_entries(input, &opening, AnswerStatus::Insufficient, reason)
}

/// Names parts of a question that are not answered.
pub(super) fn unanswered(parts: &[String]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
    format!("Not answered of the question: {}.", parts.join(", "))
}

fn first_entries(
    input: &AnswerInput<'_>,
    opening: &str,
    status: AnswerStatus,
    reason: String,
) -> ComposedAnswer {
    let entries: Vec<&Entry> = input.entries.iter().take(SHOWN_WITHOUT_AN_ANSWER).collect();
    of_quotes(headings(&entries, input), opening, status, reason)
}

/// `7 entries match:` and the entries in the order of time; a number of the
/// newest or oldest ones as they stand.
pub(super) fn compose(matches: Matches, input: &AnswerInput<'_>) -> ComposedAnswer {
    let shown = matches.entries.min(input.entries.len());
    if shown == 0 {
        let text = "No entry matches what is asked for.";
        return nothing(text, "no entry has enough of the question's words");
    }
    let listed = shown.min(LISTED_AT_MOST);
    let mut entries: Vec<&Entry> = input.entries.iter().take(listed).collect();
    if input.plan.entries_wanted.is_none() {
        entries.sort_by(|a, b| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
    }
    let quotes = headings(&entries, input);
    let opening = opening(matches, listed, input.plan);
    let reason = "entries that match the question, counted by the search".to_owned();
    // How well an entry matches is a matter of degree: a list is what was
    // found, not a proof that there is no other.
    let status = match matches.are_close {
        true => AnswerStatus::Insufficient,
        false => AnswerStatus::Partial,
    };
    of_quotes(quotes, &opening, status, reason)
}

/// The entries by their headings.
pub(super) fn headings(entries: &[&Entry], input: &AnswerInput<'_>) -> Vec<Quote> {
    let given: Vec<String> = input.entries.iter().map(|e| e.entry_id.clone()).collect();
    let quote = |entry: &&Entry| Quote {
        entry_id: entry.entry_id.clone(),
        lead_in: lead_in(entry, input),
        text: heading(entry),
        highlights: Vec::new(),
        mark: input.style.mark(&entry.entry_id, &given),
    };
    entries.iter().map(quote).collect()
}

fn opening(matches: Matches, listed: usize, plan: &QueryPlan) -> String {
    // The search was cut at its depth, and how well an entry matches is a matter
    // of degree.
    let about = if matches.at_least { "About " } else { "" };
    let count = matches.entries;
    if matches.are_close {
        return CLOSEST.to_owned();
    }
    if let (Some(order), Some(_), 2..) = (plan.time_order(), plan.entries_wanted, listed) {
        return format!("The {} {listed} entries that match:", order.name());
    }
    match (count, listed < count) {
        (1, _) => format!("{about}1 entry matches:"),
        (_, false) => format!("{about}{count} entries match:"),
        (_, true) => format!("{about}{count} entries match; the best {listed}:"),
    }
}

/// The title, or the first sentence where there is none.
fn heading(entry: &Entry) -> String {
    let first_sentence = || sentences(&entry.raw_text).into_iter().next();
    let titled = entry.title().map(str::to_owned).or_else(first_sentence);
    let line = titled.unwrap_or_default();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = Unit::Chars.prefix(&line, HEADING_CHARS);
    match kept.len() < line.len() {
        true => format!("{kept}…"),
        false => line,
    }
}
