//! How far the class of an entry stands out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gannet_plugin::filter::{Filter, FilterField, fold};
use gannet_plugin::plan::{GroupBy, SetGroup, SetRequest};
use gannet_plugin::prelude::{Context, Entry, Result};

use gannet_stages::{begins_with, cues, spaced};

/// Words in the names of fields for classes.
const CLASS_NAMES: [&str; 5] = ["class", "severity", "priority", "urgency", "category"];
/// Words beside `level` in the name of a field for classes; a `water_level` is
/// none.
const LEVELS: [&str; 7] = [
    "alarm",
    "alert",
    "emergency",
    "event",
    "hazard",
    "log",
    "risk",
];
/// Fields whose values are counted, at most.
const FIELDS: usize = 6;
/// The share of entries from which the most common value is the routine one.
const ROUTINE_SHARE: f64 = 0.5;
/// The share of entries below which another value is rare.
const RARE_SHARE: f64 = 0.1;

/// The values that stand out, by field.
#[derive(Debug, Default)]
pub(crate) struct Severity {
    fields: Vec<(FilterField, HashMap<String, f64>)>,
}

/// A value that stands out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grave {
    /// How far: more is graver.
    pub(crate) rank: f64,
    /// The field and the value, for people.
    pub(crate) why: String,
}

impl Severity {
    /// The configured orders; of other fields for classes that these entries
    /// have, the values that are rare among all entries of the store.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn of(
        entries: &[Entry],
        configured: &BTreeMap<String, Vec<String>>,
        context: &Context,
    ) -> Result<Self> {
        let ordered = configured.iter().map(|(field, values)| {
            let ranked = values.iter().enumerate().skip(1);
            let ranked = ranked.map(|(rank, value)| (fold(value), rank as f64));
            (FilterField::from_name(field), ranked.collect())
        });
        let mut fields: Vec<(FilterField, HashMap<String, f64>)> = ordered.collect();
        for field in class_fields(entries) {
            if fields.iter().any(|(known, _)| *known == field) {
                continue;
            }
            let request = SetRequest::new(Filter::none(), Vec::new())
                .with_group_by(GroupBy::Field(field.clone()));
            let counted = context.set_members(&request).await?;
            fields.push((field, rare_values(&counted.groups)));
        }
        Ok(Self { fields })
    }

    /// The gravest value of an entry.
    pub(crate) fn of_entry(&self, entry: &Entry) -> Option<Grave> {
        let found = self.fields.iter().filter_map(|(field, ranks)| {
            let values = field.values_of(entry).into_iter();
            let ranked = values.filter_map(|value| Some((*ranks.get(&fold(&value))?, value)));
            let (rank, value) = ranked.max_by(|a, b| a.0.total_cmp(&b.0))?;
            let name = field.label().replace('_', " ");
            Some(Grave {
                rank,
                why: format!("{name} {value}"),
            })
        });
        found.max_by(|a, b| a.rank.total_cmp(&b.rank))
    }
}

/// Fields that say what class an entry is of, by their names.
fn class_fields(entries: &[Entry]) -> Vec<FilterField> {
    let keys: BTreeSet<&String> = entries.iter().flat_map(|one| one.metadata.keys()).collect();
    let fields = keys.into_iter().filter(|key| names_class(key));
    let fields = fields.map(|key| FilterField::Metadata(key.clone()));
    let has_value =
        |field: &FilterField| entries.iter().any(|one| !field.values_of(one).is_empty());
    fields.filter(has_value).take(FIELDS).collect()
}

/// Whether the name of a field says that it is one for classes.
fn names_class(key: &str) -> bool {
    let key = spaced(key);
    let words: Vec<&str> = key.split_whitespace().collect();
    let is_level = |word: &&str| *word == "level" || LEVELS.contains(word);
    words.iter().any(|word| CLASS_NAMES.contains(word))
        || (words.contains(&"level") && words.iter().all(is_level))
}

/// The rare values of a field that mostly has one value, each with the share of
/// entries that do not have it. Values are compared without their case.
fn rare_values(groups: &[SetGroup]) -> HashMap<String, f64> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    let with_value = groups.iter().filter(|one| one.value != SetGroup::NO_VALUE);
    for group in with_value {
        *counts.entry(fold(&group.value)).or_default() += group.count;
    }
    let all: u64 = counts.values().sum();
    let share = |count: u64| count as f64 / all.max(1) as f64;
    let most = counts.values().copied().max().unwrap_or_default();
    if share(most) < ROUTINE_SHARE {
        return HashMap::new();
    }
    let rare = counts.into_iter().filter(|(value, count)| {
        let is_routine = begins_with(&spaced(value), &cues().routine_values);
        share(*count) < RARE_SHARE && !is_routine
    });
    rare.map(|(value, count)| (value, 1.0 - share(count)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(counts: &[(&str, u64)]) -> Vec<SetGroup> {
        let group = |(value, count): &(&str, u64)| SetGroup {
            value: (*value).to_owned(),
            count: *count,
        };
        counts.iter().map(group).collect()
    }

    #[test]
    fn fields_for_classes_are_told_by_whole_words() {
        for key in [
            "Class",
            "emergency_class",
            "level",
            "alarm-level",
            "Event Severity",
        ] {
            assert!(names_class(key), "{key}");
        }
        for key in [
            "water_level",
            "Level (m)",
            "classroom",
            "tank.level",
            "levels",
        ] {
            assert!(!names_class(key), "{key}");
        }
    }

    #[test]
    fn a_rare_value_beside_a_routine_one_stands_out() {
        let counts = [
            ("NON EMERGENCY", 80),
            ("N/A", 15),
            ("Alert", 2),
            ("ALERT", 1),
            ("none", 1),
            (SetGroup::NO_VALUE, 500),
        ];
        let rare = rare_values(&groups(&counts));
        assert_eq!(rare.len(), 1);
        assert!(rare["alert"] > 0.9);
    }

    #[test]
    fn values_that_are_all_common_do_not_stand_out() {
        let counts = [("RF", 30), ("vacuum", 30), ("cryo", 35), ("PSS", 5)];
        assert!(rare_values(&groups(&counts)).is_empty());
    }
}
