//! Which of the entries found are meant by a question for the last time, for
//! a list or for a count.

use std::cmp::Reverse;
use std::collections::HashMap;

use gannet_plugin::plan::{QueryPlan, TimeOrder};
use gannet_plugin::prelude::{Entry, Hit};
use gannet_plugin::search::ScoreKind;
use gannet_stages::{MEANT_BY_TIME, Matches, Relevance, asks_for_entries, is_of_entity, of_times};

use crate::search_text::SearchText;

/// Hits whose entries are read for such a question.
pub(crate) const POOL: usize = 100;
/// The share of the best relevance from which an entry is meant for a list.
/// Fitted on questions over reports.
const MEANT_IN_A_LIST: f64 = 0.6;

/// Whether the entries of more hits than are shown have to be read.
pub(crate) fn needs_pool(plan: &QueryPlan) -> bool {
    plan.soft_times().next().is_some()
        || plan.soft_entities().any(|entity| entity.field.is_some())
        || is_by_time(plan)
        || asks_for_entries(plan)
}

fn is_by_time(plan: &QueryPlan) -> bool {
    plan.time_order().is_some()
}

/// Puts the entries that are meant first, in the order that the question asks
/// for; says how many there are where it asks for them.
pub(crate) fn arrange(
    search: &SearchText,
    hits: &mut Vec<Hit>,
    entries: &HashMap<String, Entry>,
    timezone: &str,
) -> Option<Matches> {
    let plan = &search.plan;
    let is_list = asks_for_entries(plan);
    if !is_list && !is_by_time(plan) {
        return None;
    }
    let of_hits: Vec<&Entry> = hits
        .iter()
        .filter_map(|hit| entries.get(&hit.entry_id))
        .collect();
    let relevance = Relevance::new(plan, &of_hits);
    let named = named_entries(plan, &of_hits, timezone);
    let scored: HashMap<&str, f64> = named
        .iter()
        .map(|entry| (entry.entry_id.as_str(), relevance.of(entry)))
        .collect();
    let best = scored.values().copied().fold(0.0, f64::max);
    let share = match plan.time_order() {
        Some(_) => MEANT_BY_TIME,
        None => MEANT_IN_A_LIST,
    };
    let is_meant = |hit: &Hit| {
        best > 0.0
            && scored
                .get(hit.entry_id.as_str())
                .is_some_and(|score| *score >= share * best)
    };
    let was_cut = hits.len() >= POOL;
    let (mut meant, others): (Vec<Hit>, Vec<Hit>) = hits.drain(..).partition(is_meant);
    let time = |hit: &Hit| entries.get(&hit.entry_id).map(|entry| entry.timestamp);
    let score = |hit: &Hit| scored.get(hit.entry_id.as_str()).copied().unwrap_or(0.0);
    match plan.time_order() {
        Some(TimeOrder::Newest) => meant.sort_by_key(|hit| Reverse(time(hit))),
        Some(TimeOrder::Oldest) => meant.sort_by_key(time),
        None => meant.sort_by(|a, b| score(b).total_cmp(&score(a))),
    }
    let matches = match plan.entries_wanted {
        // Of "the last three" no others are meant.
        Some(wanted) => Matches {
            entries: wanted.min(meant.len()),
            at_least: false,
        },
        None => Matches {
            entries: meant.len(),
            at_least: was_cut,
        },
    };
    score_in_order(&mut meant, &others);
    hits.extend(meant);
    hits.extend(others);
    is_list.then_some(matches)
}

/// The entries of the times and things that the question names; all when none
/// is of them.
fn named_entries<'e>(plan: &QueryPlan, entries: &[&'e Entry], timezone: &str) -> Vec<&'e Entry> {
    let is_of_all = |entry: &&Entry| {
        let mut named = plan.soft_entities().filter(|e| e.field.is_some());
        named.all(|entity| {
            let mut same_words = plan
                .soft_entities()
                .filter(|other| other.span == entity.span);
            same_words.any(|other| is_of_entity(entry, other))
        })
    };
    let of_all: Vec<&Entry> = entries.iter().copied().filter(is_of_all).collect();
    let named = of_times(&of_all, plan, timezone);
    match named.is_empty() {
        true => entries.to_vec(),
        false => named,
    }
}

/// Scores that fall from hit to hit and stand above those of the others.
fn score_in_order(meant: &mut [Hit], others: &[Hit]) {
    let above = others.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let count = meant.len() as f64;
    for (place, hit) in meant.iter_mut().enumerate() {
        hit.score = above + 1.0 - place as f64 / count;
        hit.score_kind = ScoreKind::Other;
    }
}
