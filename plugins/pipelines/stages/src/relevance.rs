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
    /// Stems with their inverse document frequencies, which sum to 1.
    weights: Vec<(String, f64)>,
}

impl Relevance {
    /// For a question over the entries that were found.
    pub fn new(plan: &QueryPlan, entries: &[&Entry]) -> Self {
        let stems_of: Vec<HashSet<String>> = entries.iter().map(|entry| all_stems(entry)).collect();
        let kinds = kinds_asked_for(plan);
        let mut weights: Vec<(String, f64)> = content_stems(plan)
            .into_iter()
            .filter(|stem| !kinds.contains(stem))
            .map(|stem| {
                let holding = stems_of.iter().filter(|stems| stems.contains(&stem));
                let weight = idf(entries.len(), holding.count());
                (stem, weight)
            })
            .collect();
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in &mut weights {
            *weight /= total;
        }
        Self { weights }
    }

    /// How much of the question an entry is about, 0 to 1; 1 when the question
    /// names nothing but times and values of fields.
    pub fn of(&self, entry: &Entry) -> f64 {
        if self.weights.is_empty() {
            return 1.0;
        }
        let heading = heading_stems(entry);
        let mut counts: HashMap<String, f64> = HashMap::new();
        for stem in stems(&entry.raw_text) {
            *counts.entry(stem).or_default() += 1.0;
        }
        let part = |(stem, weight): &(String, f64)| {
            let share = match counts.get(stem) {
                _ if heading.contains(stem) => 1.0,
                Some(count) => IN_TEXT + (OFTEN_IN_TEXT - IN_TEXT) * (count / OFTEN).min(1.0),
                None => 0.0,
            };
            weight * share
        };
        self.weights.iter().map(part).sum()
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

fn all_stems(entry: &Entry) -> HashSet<String> {
    let mut all = heading_stems(entry);
    all.extend(stems(&entry.raw_text));
    all
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
