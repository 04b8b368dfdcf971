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
    relevance: &mut Relevance,
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
    let meaning = Meant::of(search, &of_hits, relevance, timezone)?;
    let is_meant = |hit: &Hit| meaning.scores.contains_key(&hit.entry_id);
    let was_cut = hits.len() >= POOL;
    let (mut meant, others): (Vec<Hit>, Vec<Hit>) = hits.drain(..).partition(is_meant);
    let time = |hit: &Hit| entries.get(&hit.entry_id).map(|entry| entry.timestamp);
    let score = |hit: &Hit| meaning.scores.get(&hit.entry_id).copied().unwrap_or(0.0);
    match plan.time_order() {
        Some(TimeOrder::Newest) => meant.sort_by_key(|hit| Reverse(time(hit))),
        Some(TimeOrder::Oldest) => meant.sort_by_key(time),
        None => meant.sort_by(|a, b| score(b).total_cmp(&score(a))),
    }
    let matches = Matches {
        // Of "the last three" no others are meant.
        entries: plan
            .entries_wanted
            .map_or(meant.len(), |wanted| wanted.min(meant.len())),
        at_least: was_cut && plan.entries_wanted.is_none(),
        are_close: meaning.are_close,
    };
    score_in_order(&mut meant, &others);
    hits.extend(meant);
    hits.extend(others);
    is_list.then_some(matches)
}

/// The entries that are meant.
pub(crate) struct Meant {
    /// The relevance of each, by its id.
    scores: HashMap<String, f64>,
    /// They are of what the question names and have no other word of it.
    are_close: bool,
}

impl Meant {
    /// `None` where no entry is of all that a list names, so that how many are
    /// meant is not known, and where the question has no other word by which an
    /// entry that is not of all of them could be meant.
    pub(crate) fn of(
        search: &SearchText,
        entries: &[&Entry],
        relevance: &mut Relevance,
        timezone: &str,
    ) -> Option<Self> {
        let plan = &search.plan;
        let is_list = asks_for_entries(plan);
        let mut named = named_entries(plan, entries, timezone);
        let is_unknown = named.is_empty() && (is_list || !relevance.has_words());
        if is_unknown && !entries.is_empty() {
            return None;
        }
        // A word that is a name may be meant as a word.
        if named.is_empty() {
            named = entries.to_vec();
        }
        relevance.weigh(entries);
        let scored: Vec<(&Entry, f64)> = named.iter().map(|e| (*e, relevance.of(e))).collect();
        let best = scored.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        let are_close = best <= 0.0 && is_list && named.len() < entries.len();
        let share = match plan.time_order() {
            Some(_) => MEANT_BY_TIME,
            None => MEANT_IN_A_LIST,
        };
        let is_meant = |score: f64| are_close || (best > 0.0 && score >= share * best);
        let meant = scored.into_iter().filter(|(_, score)| is_meant(*score));
        let scores = meant.map(|(entry, score)| (entry.entry_id.clone(), score));
        Some(Self {
            scores: scores.collect(),
            are_close,
        })
    }

    /// Whether an entry is meant.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        self.scores.contains_key(&entry.entry_id)
    }
}

/// The entries of the times and things that the question names.
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
    of_times(&of_all, plan, timezone)
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
        let mut relevance = Relevance::of_question(&search.plan);
        arrange(&search, &mut hits, &entries, &mut relevance, "UTC")
    }

    #[test]
    fn entries_of_the_named_thing_match_where_they_have_the_other_words() {
        let found = matches("alerts about pumps", ["The pump tripped.", "A pump."]);
        assert_eq!(found.map(|found| found.entries), Some(1));
    }

    #[test]
    fn entries_of_the_named_thing_without_any_other_word_are_close() {
        let found = matches("alerts about zebras", ["The pump tripped.", "A zebra."]).unwrap();
        assert!(found.are_close);
        assert_eq!(found.entries, 1);
    }

    #[test]
    fn no_entry_is_meant_by_time_where_none_is_of_all_that_is_named() {
        let question = "first alert";
        let class = PlanEntity::new(EntityKind::Category, "alert", PlanSource::Words)
            .with_field(FilterField::from_name("meta.class"))
            .with_span("first ".len()..question.len());
        let plan = QueryPlan::of_terms(question, ParsedQuery::default())
            .with_intent(Intent::First)
            .with_intent_words(vec!["first".to_owned()])
            .with_entities(vec![class]);
        let mut search = SearchText::of(&PipelineRequest::new(question, 5), None, None);
        search.plan = plan.into();
        let mut relevance = Relevance::of_question(&search.plan);
        let time = "2024-03-02T08:00:00Z".parse().unwrap();
        let mut entry = Entry::new("A", "log", time, "The pump tripped.");
        let meant = Meant::of(&search, &[&entry], &mut relevance, "UTC");
        assert!(meant.is_none());
        entry.metadata.insert("class".to_owned(), "alert".into());
        let meant = Meant::of(&search, &[&entry], &mut relevance, "UTC");
        assert!(meant.is_some_and(|meant| meant.has(&entry)));
    }
}
