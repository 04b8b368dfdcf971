//! Which entries a question asks for, and by what they are counted.

use gannet_plugin::filter::{Filter, FilterField};
use gannet_plugin::plan::{GroupBy, QueryPlan, SetOperation, SetQuery};
use gannet_plugin::prelude::{Context, PipelineRequest, Result};
use gannet_stages::{entity_clauses, is_asking_word, plan_of};

use crate::period::Unit;
use crate::settings::TrendSettings;

/// What makes a list of things a question about how many there are of them.
const PER_MONTH: &str = "per month";

/// Words before a period that entries are counted by.
const PER: [&str; 7] = ["per", "by", "each", "every", "pro", "je", "par"];
/// Days and weeks; a plan has no groups of them.
const SHORT_UNITS: [(&str, Unit); 6] = [
    ("day", Unit::Day),
    ("week", Unit::Week),
    ("tag", Unit::Day),
    ("woche", Unit::Week),
    ("jour", Unit::Day),
    ("semaine", Unit::Week),
];

/// Months and years; a plan has groups of them, but no second one.
const LONG_UNITS: [(&str, Unit); 7] = [
    ("month", Unit::Month),
    ("year", Unit::Year),
    ("monat", Unit::Month),
    ("jahr", Unit::Year),
    ("mois", Unit::Month),
    ("an", Unit::Year),
    ("année", Unit::Year),
];

/// A question as it is counted.
pub(crate) struct Question {
    /// The entries.
    pub(crate) set: SetQuery,
    /// What they are about, as it was asked; empty where there is no topic.
    pub(crate) topic: String,
    pub(crate) unit: Option<Unit>,
    pub(crate) by: Option<FilterField>,
}

impl Question {
    /// Reads a question: as the host plans it, or else as "… per month", or else
    /// the times, things and words that it names.
    ///
    /// # Errors
    /// Those of the host, and of an unknown unit.
    pub(crate) async fn of(
        request: &PipelineRequest,
        settings: &TrendSettings,
        context: &Context,
    ) -> Result<Self> {
        let filter = &request.filter;
        let (text, period) = without_unit(&request.query);
        let given = request.plan.as_ref().filter(|_| period.is_none());
        let plan = plan_of(&text, given, filter, context).await;
        let asked = plan.set.clone().map(|set| (set.group_by.clone(), set));
        let (group, set) = match asked {
            _ if text.trim().is_empty() => (None, SetQuery::new(SetOperation::Count)),
            Some(asked) => asked,
            None => (None, unasked(&text, request, &plan, context).await?),
        };
        let set = set.within(filter).with_limit(None).with_group_by(None);
        let named = |setting: &Option<String>| {
            let text = setting.as_deref().map(str::trim);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let unit = match (named(&settings.unit), &group) {
            (Some(name), _) => Some(Unit::of(&name)?),
            (None, Some(GroupBy::Day)) => Some(Unit::Day),
            (None, Some(GroupBy::Month)) => Some(Unit::Month),
            (None, Some(GroupBy::Year)) => Some(Unit::Year),
            _ => period,
        };
        let by = match (named(&settings.by), group) {
            (Some(name), _) => Some(FilterField::from_name(&name)),
            (None, Some(GroupBy::Field(field))) => Some(field),
            _ => None,
        };
        let topic = as_asked(&request.query, &set.topic);
        Ok(Self {
            set,
            topic,
            unit,
            by,
        })
    }

    /// The clauses of the sources and logbooks that the entries are of.
    pub(crate) fn logbook(&self) -> Filter {
        let is_of_logbook = |field: &FilterField| {
            *field == FilterField::SourceSystem || field.metadata_keys().contains(&"logbook")
        };
        let clauses = self.set.filter.clauses.iter();
        Filter {
            clauses: clauses
                .filter(|clause| is_of_logbook(&clause.field))
                .cloned()
                .collect(),
        }
    }
}

/// A question without "per week" or "by day", and the period that it named so;
/// without "per month" where it is counted by something else too: "by shift per
/// month".
fn without_unit(query: &str) -> (String, Option<Unit>) {
    let mut words: Vec<&str> = query.split_whitespace().collect();
    let is_per = |word: &str| PER.contains(&word.to_lowercase().as_str());
    let is_grouped_twice = words.iter().filter(|word| is_per(word)).count() > 1;
    let long = LONG_UNITS.iter().filter(|_| is_grouped_twice);
    let units: Vec<&(&str, Unit)> = SHORT_UNITS.iter().chain(long).collect();
    let unit_at = |at: usize| {
        let word = words.get(at + 1).filter(|_| is_per(words[at]))?;
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = word.to_lowercase();
        let unit = units.iter().find(|(name, _)| *name == word);
        unit.map(|(_, unit)| (at, *unit))
    };
    let Some((at, unit)) = (0..words.len()).find_map(unit_at) else {
        return (query.to_owned(), None);
    };
    words.drain(at..at + 2);
    (words.join(" "), Some(unit))
}

/// The words of a question from the first to the last one of its topic.
fn as_asked(question: &str, topic: &[String]) -> String {
    let words = question.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let terms = topic.iter().flat_map(|term| term.split_whitespace());
    let terms: Vec<String> = terms.map(str::to_lowercase).collect();
    let is_of_topic = |word: &&str| terms.contains(&word.to_lowercase());
    let first = words.iter().position(is_of_topic);
    let last = words.iter().rposition(is_of_topic);
    match first.zip(last) {
        Some((first, last)) => words[first..=last].join(" "),
        None => topic.join(" "),
    }
}

/// The entries of a question that asks for none: "scrams", "circulator trips".
async fn unasked(
    text: &str,
    request: &PipelineRequest,
    plan: &QueryPlan,
    context: &Context,
) -> Result<SetQuery> {
    let per_month = format!("{text} {PER_MONTH}");
    let asked = context.query_plan(&per_month, &request.filter).await;
    // A host without plans counts by words.
    if let Ok(Some(set)) = asked.map(|plan| plan.set.clone()) {
        return Ok(set);
    }
    let mut filter = plan.query.filter.clone();
    filter.clauses.extend(entity_clauses(plan));
    let mut topic = plan.content_terms();
    topic.retain(|term| !is_asking_word(&term.to_lowercase()));
    Ok(SetQuery::new(SetOperation::Count)
        .with_filter(filter)
        .with_times(plan.soft_times().map(|time| time.range()).collect())
        .with_topic(topic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_named_as_it_was_asked() {
        let topic = ["leak", "Pump"].map(str::to_owned);
        let asked = as_asked("How often did the pump have a leak?", &topic);
        assert_eq!(asked, "pump have a leak");
        assert_eq!(as_asked("leaks per week", &topic), "leak Pump");
    }

    #[test]
    fn a_period_beside_another_group_is_the_unit() {
        let read = |query: &str| without_unit(query);
        let is = |text: &str, unit| (text.to_owned(), unit);
        assert_eq!(read("trips per week"), is("trips", Some(Unit::Week)));
        // The plan reads it.
        assert_eq!(read("trips per month"), is("trips per month", None));
        for both in ["trips by shift per month", "trips per month by shift"] {
            assert_eq!(read(both), is("trips by shift", Some(Unit::Month)));
        }
        assert_eq!(
            read("scrams by plant each year?"),
            is("scrams by plant", Some(Unit::Year))
        );
    }
}
