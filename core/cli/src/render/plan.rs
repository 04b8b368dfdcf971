//! How a question was read.

use gannet_core::api::{PlanEntity, PlanTime, Precision, QueryPlan, SetQuery};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::safe::safe_line;
use super::{Clock, DIM, HEADING, number};

/// Prints the plan of a question: one line for each part, then the reasons.
pub fn print_plan(plan: &QueryPlan, clock: &Clock) {
    outln!("{HEADING}Plan{HEADING:#}\n");
    for (name, text) in lines(plan, clock) {
        outln!("  {DIM}{name:<8}{DIM:#} {}", safe_line(&text));
    }
    outln!();
}

fn lines(plan: &QueryPlan, clock: &Clock) -> Vec<(&'static str, String)> {
    let mut lines = vec![("query", plan.query.to_string())];
    lines.push(("terms", plan.content_terms().join(" ")));
    lines.extend(
        plan.times
            .iter()
            .map(|time| ("time", time_line(time, clock))),
    );
    lines.extend(
        plan.entities
            .iter()
            .map(|entity| ("entity", entity_line(entity))),
    );
    lines.push(("intent", name(plan.intent)));
    lines.extend(plan.set.iter().flat_map(set_lines));
    lines.extend(plan.notes.iter().map(|note| ("note", note.clone())));
    lines
}

/// `count · by year · about leaks · assumed`, then each condition as
/// `meta.class:alert`, and what is not answered.
fn set_lines(set: &SetQuery) -> Vec<(&'static str, String)> {
    let topic = Some(set.topic.join(" ")).filter(|topic| !topic.is_empty());
    let facts = [
        Some(set.operation.name().to_owned()),
        set.group_by.as_ref().map(|by| format!("by {}", by.name())),
        set.measure.map(|measure| measure.name().to_owned()),
        topic.map(|topic| format!("about {topic}")),
        set.is_assumed.then(|| "assumed".to_owned()),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let mut lines = vec![("set", facts.join(" · "))];
    let conditions = set.filter.clauses.iter();
    lines.extend(conditions.map(|clause| ("member", clause.to_string())));
    let excluded = set.excluded.iter();
    lines.extend(excluded.map(|clause| ("member", format!("NOT {clause}"))));
    lines.extend(set.unread.iter().map(|part| ("unread", part.clone())));
    lines
}

/// `2025-03-01 00:00 CET to 2025-04-01 00:00 CEST · month · words`
fn time_line(time: &PlanTime, clock: &Clock) -> String {
    let written = |time: Timestamp| clock.minute(time);
    let bounds = match (time.from.map(written), time.to.map(written)) {
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (Some(from), None) => format!("from {from}"),
        (None, Some(to)) => format!("before {to}"),
        (None, None) => "any".to_owned(),
    };
    let precision: Precision = time.precision;
    let facts = [
        bounds,
        name(precision),
        name(time.source),
        strictness(time.strict),
    ];
    facts.join(" · ")
}

/// `author voss, a. · 12 entries · words · soft`
fn entity_line(entity: &PlanEntity) -> String {
    let mut facts = vec![format!("{} {}", name(entity.kind), entity.value)];
    if let Some(field) = &entity.field {
        facts.push(format!("field {}", field.query_name()));
    }
    if let Some(entries) = entity.entries {
        facts.push(number::count(entries, "entry", "entries"));
    }
    facts.push(name(entity.source));
    facts.push(strictness(entity.strict));
    facts.join(" · ")
}

fn strictness(is_strict: bool) -> String {
    match is_strict {
        true => "strict".to_owned(),
        false => "soft".to_owned(),
    }
}

/// The name of a member of an enum, as JSON has it.
fn name(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use gannet_core::api::{
        Condition, EntityKind, Filter, FilterField, GroupBy, Intent, PlanSource, SetOperation,
    };

    use super::*;

    #[test]
    fn every_part_of_a_plan_is_one_line() {
        let plan = QueryPlan::default()
            .with_text("leak of Voss since May")
            .with_times(vec![
                PlanTime::new(Precision::Month, PlanSource::Words)
                    .with_from("2026-05-01T00:00:00Z".parse().ok())
                    .with_span(13..22),
            ])
            .with_entities(vec![
                PlanEntity::new(EntityKind::Author, "voss, a.", PlanSource::Words)
                    .with_field(FilterField::Author)
                    .with_span(8..12)
                    .with_entries(12),
            ])
            .with_intent(Intent::YesNo)
            .with_notes(vec!["a reason".to_owned()]);
        let lines = lines(&plan, &Clock::utc());
        let expected = [
            ("query", ""),
            ("terms", "leak"),
            ("time", "from 2026-05-01 00:00 UTC · month · words · soft"),
            (
                "entity",
                "author voss, a. · field author · 12 entries · words · soft",
            ),
            ("intent", "yes_no"),
            ("note", "a reason"),
        ];
        let expected = expected.map(|(name, text)| (name, text.to_owned()));
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_conditions_of_a_set_are_lines() {
        let tag = FilterField::from_name("meta.class");
        let set = SetQuery::new(SetOperation::Count)
            .with_group_by(GroupBy::Year)
            .with_filter(Filter::none().and(tag, Condition::Equals("alert".to_owned())))
            .with_topic(vec!["leaks".to_owned()])
            .with_unread(vec!["mean".to_owned()])
            .with_is_assumed(true);
        let expected = [
            ("set", "count · by year · about leaks · assumed"),
            ("member", "meta.class:alert"),
            ("unread", "mean"),
        ];
        let expected = expected.map(|(name, text)| (name, text.to_owned()));
        assert_eq!(set_lines(&set), expected);
    }
}
