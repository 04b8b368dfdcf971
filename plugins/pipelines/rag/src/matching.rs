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
    // Entries of the time and the things, of which none has the other words:
    // they are the closest ones, and how many are meant is not known.
    if best <= 0.0 && named.len() < of_hits.len() {
        return None;
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::filter::FilterField;
    use gannet_plugin::plan::{EntityKind, Intent, PlanEntity, PlanSource};
    use gannet_plugin::prelude::PipelineRequest;
    use gannet_plugin::query::ParsedQuery;

    use super::*;

    /// How many entries a question for a list matches: of two found, the first
    /// is of the class `alert`, which the question names.
    fn matches(question: &str, texts: [&str; 2]) -> Option<Matches> {
        let start = question.find("alerts").unwrap();
        let class = PlanEntity::new(EntityKind::Category, "alert", PlanSource::Words)
            .with_field(FilterField::from_name("meta.class"))
            .with_span(start..start + "alerts".len());
        let plan = QueryPlan::of_terms(question, ParsedQuery::default())
            .with_intent(Intent::List)
            .with_entities(vec![class]);
        let mut search = SearchText::of(&PipelineRequest::new(question, 5), None, None);
        search.plan = plan.into();
        let mut hits = Vec::new();
        let mut entries = HashMap::new();
        for (id, text, class) in [("A", texts[0], "alert"), ("B", texts[1], "other")] {
            let mut entry = Entry::new(id, "log", "2024-03-02T08:00:00Z".parse().unwrap(), text);
            entry.metadata.insert("class".to_owned(), class.into());
            entries.insert(id.to_owned(), entry);
            hits.push(Hit::new(id, "log", 1.0, ScoreKind::Convex));
        }
        arrange(&search, &mut hits, &entries, "UTC")
    }

    #[test]
    fn entries_of_the_named_thing_match_where_they_have_the_other_words() {
        let found = matches("alerts about pumps", ["The pump tripped.", "A pump."]);
        assert_eq!(found.map(|found| found.entries), Some(1));
    }

    #[test]
    fn entries_of_the_named_thing_without_any_other_word_are_not_counted() {
        let found = matches("alerts about zebras", ["The pump tripped.", "A zebra."]);
        assert!(found.is_none());
    }
}
