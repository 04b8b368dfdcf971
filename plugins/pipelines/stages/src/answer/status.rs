//! How far an answer can be trusted.

use std::collections::HashSet;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::Entry;
use serde_json::Value;

use super::AnswerInput;
use super::asked::{Asked, Need, names_a_day, stems};
use super::layout::Chosen;
use crate::entries_asked::asks_for_entries;
use crate::plan_fit::{is_of_time, time_fit};
use crate::plan_names::{missing_entity, missing_name};

/// What happened on a day is answered by an entry of that day, when the
/// question says no more than this about it.
const WORDS_OF_AN_OPEN_QUESTION: usize = 2;

/// The status of the chosen sentences, with the reason.
pub(super) fn status(
    asked: &Asked,
    chosen: &[Chosen],
    input: &AnswerInput<'_>,
) -> (AnswerStatus, String) {
    let cited = chosen
        .first()
        .and_then(|first| input.entries.get(first.entry));
    let doubt = cited.and_then(|entry| doubt(asked, chosen, entry, input));
    if let Some(doubt) = doubt {
        return (AnswerStatus::Partial, doubt);
    }
    let covered: HashSet<String> = chosen.iter().flat_map(|c| c.stems.clone()).collect();
    let share = 100.0 * asked.coverage(&covered);
    let reason = match asked.terms.is_empty() {
        true => "quotes of the entry of that place and time".to_owned(),
        false => format!("the quotes hold {share:.0} % of the question's words by weight"),
    };
    (AnswerStatus::Grounded, reason)
}

/// Why the quotes may not answer the question.
fn doubt(
    asked: &Asked,
    chosen: &[Chosen],
    entry: &Entry,
    input: &AnswerInput<'_>,
) -> Option<String> {
    let plan = input.plan;
    if asks_for_entries(plan) {
        return Some("quotes are no list and no number of entries".to_owned());
    }
    // Who asks for a day is not answered from the days around it.
    let is_of_time = match names_a_day(plan) {
        true => time_fit(entry, plan, input.timezone) >= 1.0,
        false => is_of_time(entry, plan, input.timezone),
    };
    if !is_of_time {
        return Some("no entry of the time that was asked for fits".to_owned());
    }
    if let Some(missing) = missing_entity(entry, input.plan) {
        return Some(format!("no entry of {} fits", missing.value));
    }
    if let Some(missing) = missing_name(entry, plan) {
        return Some(format!("the closest entry does not name {missing}"));
    }
    let is_stated = chosen.iter().any(|sentence| sentence.is_stated);
    if asked.need != Need::Any && !is_stated {
        return Some("no quote has what the question asks for".to_owned());
    }
    let held = asked.coverage(&stems_of(entry));
    let is_open = asked.is_open && asked.terms.len() <= WORDS_OF_AN_OPEN_QUESTION;
    let is_far = !asked.terms.is_empty() && !is_open && held < input.grounded_share;
    let share = format!("{:.0} % of the question's words by weight", 100.0 * held);
    is_far.then(|| format!("the closest entry holds {share}"))
}

/// The stems of an entry's text, title, author and metadata.
fn stems_of(entry: &Entry) -> HashSet<String> {
    let values = entry.metadata.values().map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let texts = [&entry.raw_text, &entry.author].into_iter().cloned();
    let all = texts.chain(values);
    all.flat_map(|text| stems(&text).collect::<Vec<_>>())
        .collect()
}
