//! Retrieval by the query plan: which entries the times and things that a
//! question names bring in, beside those that its text finds.

use std::collections::BTreeMap;

use gannet_plugin::filter::{Condition, FilterClause, FilterField, TimeRange};
use gannet_plugin::plan::{PlanEntity, QueryPlan};

use crate::plan_fit::around;

/// Times and things of a question that are searched, at most.
const TIMES_AT_MOST: usize = 2;
const ENTITIES_AT_MOST: usize = 3;

/// One search under some of what the plan names.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanLeg {
    /// What it is restricted to, in the words of the question: `March 2025,
    /// Voss`.
    pub label: String,
    /// The restriction, beside the filter of the request.
    pub clauses: Vec<FilterClause>,
}

/// The searches under the plan's soft times and things, in steps: those of a
/// step are made together, and the next step only when they found nothing. The
/// first step asks for all that the question names at once, the second for
/// each alone. Empty when it names nothing.
pub fn plan_legs(plan: &QueryPlan) -> Vec<Vec<PlanLeg>> {
    let times: Vec<PlanLeg> = plan
        .soft_times()
        .take(TIMES_AT_MOST)
        .map(|time| {
            let (from, until) = around(time);
            PlanLeg {
                label: words_of(plan, time.span.as_ref()),
                clauses: vec![FilterClause {
                    field: FilterField::Timestamp,
                    condition: Condition::Time(TimeRange { from, until }),
                }],
            }
        })
        .collect();
    let entities = entities(plan);
    let together: Vec<PlanLeg> = match times.is_empty() {
        true => joined(None, &entities).into_iter().collect(),
        false => times
            .iter()
            .filter_map(|time| joined(Some(time), &entities))
            .collect(),
    };
    let alone: Vec<PlanLeg> = times.into_iter().chain(entities).collect();
    match together.is_empty() {
        true => Vec::new(),
        // Several times alone are not asked for together.
        false if together == alone => vec![together],
        false => vec![together, alone],
    }
}

/// The restrictions to the things that the plan names, all of them together.
pub fn entity_clauses(plan: &QueryPlan) -> Vec<FilterClause> {
    let legs = entities(plan).into_iter();
    legs.flat_map(|leg| leg.clauses).collect()
}

/// One leg for each place of the text that names values of a field: of the
/// fields that have them, the one with most entries of one value.
fn entities(plan: &QueryPlan) -> Vec<PlanLeg> {
    let mut by_span: BTreeMap<(usize, usize), Vec<&PlanEntity>> = BTreeMap::new();
    for entity in plan.soft_entities().filter(|entity| entity.field.is_some()) {
        let Some(span) = &entity.span else { continue };
        let named = by_span.entry((span.start, span.end)).or_default();
        named.push(entity);
    }
    let legs = by_span.into_values().filter_map(|named| {
        // Of fields with as many, the first one.
        let best = named.iter().rev().max_by_key(|entity| entity.entries)?;
        let of_field = named.iter().filter(|entity| entity.field == best.field);
        let values: Vec<String> = of_field.map(|entity| entity.value.clone()).collect();
        Some(PlanLeg {
            label: words_of(plan, best.span.as_ref()),
            clauses: vec![match values.len() {
                1 => best.clause()?,
                _ => FilterClause {
                    field: best.field.clone()?,
                    condition: Condition::AnyOf(values),
                },
            }],
        })
    });
    legs.take(ENTITIES_AT_MOST).collect()
}

fn joined(time: Option<&PlanLeg>, entities: &[PlanLeg]) -> Option<PlanLeg> {
    let parts: Vec<&PlanLeg> = time.into_iter().chain(entities).collect();
    let labels: Vec<&str> = parts.iter().map(|part| part.label.as_str()).collect();
    (!parts.is_empty()).then(|| PlanLeg {
        label: labels.join(", "),
        clauses: parts.iter().flat_map(|part| part.clauses.clone()).collect(),
    })
}

fn words_of(plan: &QueryPlan, span: Option<&std::ops::Range<usize>>) -> String {
    let words = span.and_then(|span| plan.text.get(span.clone()));
    words.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use gannet_plugin::plan::{EntityKind, PlanSource, PlanTime, Precision};

    use super::*;

    fn plan() -> QueryPlan {
        let entity = |field: &str, entries| {
            PlanEntity::new(EntityKind::Author, "voss", PlanSource::Words)
                .with_field(FilterField::from_name(field))
                .with_span(16..20)
                .with_entries(entries)
        };
        QueryPlan::default()
            .with_text("2024: leaks for voss")
            .with_times(vec![
                PlanTime::new(Precision::Year, PlanSource::Words)
                    .with_from("2024-01-01T00:00:00Z".parse().ok())
                    .with_to("2025-01-01T00:00:00Z".parse().ok())
                    .with_span(0..4),
            ])
            .with_entities(vec![entity("shift", 3), entity("author", 40)])
    }

    #[test]
    fn all_is_asked_together_and_then_each_alone() {
        let steps = plan_legs(&plan());
        let labels = |step: &[PlanLeg]| -> Vec<String> {
            step.iter().map(|leg| leg.label.clone()).collect()
        };
        assert_eq!(labels(&steps[0]), ["2024, voss"]);
        assert_eq!(labels(&steps[1]), ["2024", "voss"]);
        assert_eq!(steps[0][0].clauses.len(), 2);
        assert_eq!(steps[0][0].clauses[1].field, FilterField::Author);
    }

    #[test]
    fn times_without_a_thing_are_one_step() {
        let mut plan = plan();
        plan.entities.clear();
        plan.times.push(plan.times[0].clone());
        let steps = plan_legs(&plan);
        assert_eq!((steps.len(), steps[0].len()), (1, 2));
    }

    #[test]
    fn what_is_strict_already_makes_no_leg() {
        let mut plan = plan();
        plan.times[0].strict = true;
        plan.entities.clear();
        assert!(plan_legs(&plan).is_empty());
    }
}
