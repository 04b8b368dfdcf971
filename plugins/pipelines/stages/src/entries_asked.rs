//! Questions that the search itself answers: which entries there are, or how
//! many.

use gannet_plugin::plan::{EntityKind, Intent, QueryPlan};

use crate::answer::counts_events;

/// How many entries match a question for a list or a count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Matches {
    /// The entries that match.
    pub entries: usize,
    /// Whether there may be more: the search was cut at its depth.
    pub at_least: bool,
    /// They are of the times and things that the question names, and none has
    /// another word of it: the closest entries, and not what is asked for.
    pub are_close: bool,
}

/// Whether a question is answered from the search itself: it asks which
/// entries there are, how many, or for several of the last or the first.
///
/// "How many pumps failed" asks for a number that an entry states, "how many
/// times did the pump fail" and "how many reports are there" for a number of
/// entries: an entry is about an event, and may name any number of things.
pub fn asks_for_entries(plan: &QueryPlan) -> bool {
    match plan.intent {
        // What a search finds is not what the whole question asks for.
        _ if !plan.unread.is_empty() || excludes(plan) => false,
        Intent::List => true,
        Intent::Count => counts_events(&plan.text) || counts_a_category(plan),
        Intent::Latest | Intent::First => plan.entries_wanted.is_some(),
        _ => false,
    }
}

fn excludes(plan: &QueryPlan) -> bool {
    plan.set
        .as_ref()
        .is_some_and(|set| !set.excluded.is_empty())
}

/// Whether what stands after "how many" is a value of a category: that is what
/// an entry is, and not a thing that it names.
fn counts_a_category(plan: &QueryPlan) -> bool {
    let Some(asking) = plan.intent_words.last() else {
        return false;
    };
    let mut values = plan.soft_entities().filter(|entity| {
        let is_category = entity.kind == EntityKind::Category;
        is_category && entity.field.is_some()
    });
    values.any(|value| {
        let start = value.span.as_ref().map_or(0, |span| span.start);
        let before = plan.text.get(..start).unwrap_or_default();
        before.trim_end().ends_with(asking.as_str())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::filter::FilterField;
    use gannet_plugin::plan::{PlanEntity, PlanSource};
    use gannet_plugin::query::ParsedQuery;

    use super::*;

    /// The plan of a question with "how many", in which this value is named.
    fn counting(question: &str, value: &str, field: &str, kind: EntityKind) -> QueryPlan {
        let start = question.find(value).unwrap();
        let entity = PlanEntity::new(kind, value, PlanSource::Words)
            .with_field(FilterField::from_name(field))
            .with_span(start..start + value.len());
        QueryPlan::of_terms(question, ParsedQuery::default())
            .with_intent(Intent::Count)
            .with_intent_words(vec!["How many".to_owned()])
            .with_entities(vec![entity])
    }

    #[test]
    fn entries_of_a_category_are_counted_and_things_are_not() {
        let (class, tag) = (EntityKind::Category, EntityKind::Tag);
        for (question, value, field, kind, expected) in [
            (
                "How many alerts in 2005?",
                "alerts",
                "meta.class",
                class,
                true,
            ),
            ("How many pumps failed?", "pumps", "meta.tags", tag, false),
            (
                "How many pumps failed in alerts?",
                "alerts",
                "meta.class",
                class,
                false,
            ),
        ] {
            let plan = counting(question, value, field, kind);
            assert_eq!(asks_for_entries(&plan), expected, "{question}");
        }
    }

    #[test]
    fn several_of_the_last_are_asked_for_as_entries() {
        let last = QueryPlan::default().with_intent(Intent::Latest);
        let unread = last.clone().with_unread(vec!["not in 2008".to_owned()]);
        assert!(!asks_for_entries(&unread.with_entries_wanted(3)));
        assert!(!asks_for_entries(&last));
        assert!(asks_for_entries(&last.with_entries_wanted(3)));
    }
}
