//! How much of what a question asks about an entry is about.

use std::collections::{HashMap, HashSet};

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::Entry;

use crate::answer::{content_stems, idf, stem, stems, words};

/// The share of the best relevance from which an entry is meant by a question
/// for the last or the first of something. Fitted on questions over reports.
pub const MEANT_BY_TIME: f64 = 0.55;

/// Words before the kind of thing that is asked for.
const BEFORE_A_KIND: [&str; 2] = ["which", "what"];

/// What a word counts in the text: once, and three times or more.
const IN_TEXT: f64 = 0.4;
const OFTEN_IN_TEXT: f64 = 0.7;
const OFTEN: f64 = 3.0;

/// Scores entries by the words of a question: a word of the title or of a
/// field says what the entry is about and counts in full, one in the text may
/// be a passing mention.
pub struct Relevance {
    stems: Vec<String>,
    /// The inverse document frequencies of the stems, which sum to 1.
    weights: Vec<f64>,
    /// What each stem counts in an entry, by the id of the entry. Stemming a
    /// text takes longest, and a question is weighed again for each search.
    shares: HashMap<String, Vec<f64>>,
}

impl Relevance {
    /// For a question, before any entry is found.
    pub fn of_question(plan: &QueryPlan) -> Self {
        let kinds = kinds_asked_for(plan);
        let mut stems = content_stems(plan);
        stems.retain(|stem| !kinds.contains(stem));
        Self {
            weights: Vec::new(),
            stems,
            shares: HashMap::new(),
        }
    }

    /// Whether the question has words beside times and values of fields. Without
    /// any, every entry is as relevant as the others.
    pub fn has_words(&self) -> bool {
        !self.stems.is_empty()
    }

    /// For a question over the entries that were found.
    pub fn new(plan: &QueryPlan, entries: &[&Entry]) -> Self {
        let mut relevance = Self::of_question(plan);
        relevance.weigh(entries);
        relevance
    }

    /// Takes these entries for those that were found. Of entries that were read
    /// before nothing is read again.
    pub fn weigh(&mut self, entries: &[&Entry]) {
        if self.stems.is_empty() {
            return;
        }
        for entry in entries {
            if !self.shares.contains_key(&entry.entry_id) {
                let shares = self.shares_in(entry);
                self.shares.insert(entry.entry_id.clone(), shares);
            }
        }
        let rows = || entries.iter().filter_map(|e| self.shares.get(&e.entry_id));
        let weight = |stem: usize| {
            let holding = rows().filter(|shares| shares[stem] > 0.0);
            idf(entries.len(), holding.count())
        };
        let weights: Vec<f64> = (0..self.stems.len()).map(weight).collect();
        let total: f64 = weights.iter().sum();
        self.weights = weights.into_iter().map(|weight| weight / total).collect();
    }

    /// How much of the question one of these entries is about, 0 to 1; 1 when
    /// the question names nothing but times and values of fields.
    pub fn of(&self, entry: &Entry) -> f64 {
        if self.stems.is_empty() {
            return 1.0;
        }
        let shares = self.shares.get(&entry.entry_id);
        let parts = self.weights.iter().zip(shares.into_iter().flatten());
        parts.map(|(weight, share)| weight * share).sum()
    }

    /// What each stem counts in an entry, 0 to 1.
    fn shares_in(&self, entry: &Entry) -> Vec<f64> {
        let heading = heading_stems(entry);
        let mut counts: HashMap<String, f64> = HashMap::new();
        for stem in stems(&entry.raw_text) {
            *counts.entry(stem).or_default() += 1.0;
        }
        let share = |stem: &String| match counts.get(stem) {
            _ if heading.contains(stem) => 1.0,
            Some(count) => IN_TEXT + (OFTEN_IN_TEXT - IN_TEXT) * (count / OFTEN).min(1.0),
            None => 0.0,
        };
        self.stems.iter().map(share).collect()
    }
}

/// The stems of the words after "which", where the question names a value of a
/// field: of "which plant had the last alert" the alert is looked for, and the
/// plant is what its entry says.
fn kinds_asked_for(plan: &QueryPlan) -> HashSet<String> {
    if !plan.soft_entities().any(|entity| entity.field.is_some()) {
        return HashSet::new();
    }
    let asked = words(&plan.text);
    let pairs = asked.windows(2);
    let kinds = pairs.filter(|pair| BEFORE_A_KIND.contains(&pair[0].as_str()));
    kinds.map(|pair| stem(&pair[1])).collect()
}

/// The stems of the title and of the fields.
fn heading_stems(entry: &Entry) -> HashSet<String> {
    let mut heading: HashSet<String> = stems(entry.title().unwrap_or_default()).collect();
    for value in entry.metadata.values() {
        match value {
            serde_json::Value::Array(members) => {
                for member in members.iter().filter_map(|member| member.as_str()) {
                    heading.extend(stems(member));
                }
            }
            serde_json::Value::String(text) => heading.extend(stems(text)),
            _ => {}
        }
    }
    heading
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn entry(id: &str, title: &str, text: &str) -> Entry {
        let mut entry = Entry::new(id, "log", "2024-03-15T10:30:00Z".parse().unwrap(), text);
        entry.metadata.insert("title".to_owned(), json!(title));
        entry
    }

    #[test]
    fn a_title_counts_more_than_a_mention() {
        let about = entry("1", "Pump 2 tripped", "It was restarted.");
        let mentions = entry(
            "2",
            "Shift summary",
            "Quiet after the pump tripped at noon.",
        );
        let other = entry("3", "Vacuum leak", "A flange was leaking.");
        let plan =
            QueryPlan::of_terms("pump tripped", gannet_plugin::query::ParsedQuery::default());
        let relevance = Relevance::new(&plan, &[&about, &mentions, &other]);
        assert!((relevance.of(&about) - 1.0).abs() < 1e-12);
        assert!((relevance.of(&mentions) - 0.5).abs() < 1e-12);
        assert!(relevance.of(&other) == 0.0);
    }

    #[test]
    fn the_kind_of_thing_that_is_asked_for_is_looked_for_only_where_nothing_else_is_named() {
        use gannet_plugin::filter::FilterField;
        use gannet_plugin::plan::{EntityKind, PlanEntity, PlanSource};

        let of_plant = entry("1", "Plant tripped", "The plant tripped.");
        let other = entry("2", "Vacuum leak", "A flange was leaking.");
        let question = "Which plant had it?";
        let plan = QueryPlan::of_terms(question, gannet_plugin::query::ParsedQuery::default());
        let entries = [&of_plant, &other];
        assert!(Relevance::new(&plan, &entries).of(&other) < 0.5);
        let class = PlanEntity::new(EntityKind::Category, "alert", PlanSource::Words)
            .with_field(FilterField::from_name("meta.class"));
        let named = plan.with_entities(vec![class]);
        assert!((Relevance::new(&named, &entries).of(&other) - 1.0).abs() < 1e-12);
    }
}
