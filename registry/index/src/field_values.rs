//! The values of fields, with how many entries have them.

use std::collections::{BTreeMap, HashMap};

use gannet_api::FilterField;

/// Longer values, in bytes, are texts; they are not listed.
pub const LONGEST_VALUE: usize = 100;

/// Keys that another field reads too, see [`FilterField::metadata_keys`].
const READ_BY_OTHERS: [&str; 3] = ["logbook_name", "books", "tag"];

/// A field and its values, folded, each with the number of entries that have
/// it: the most frequent first, then by text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldValues {
    /// The field.
    pub field: FilterField,
    /// The values that are short enough to be names.
    pub values: Vec<(String, u64)>,
}

/// Collects the values of every field. A field with too many is left out.
#[derive(Debug)]
pub struct Collected {
    most: usize,
    fields: BTreeMap<String, Option<HashMap<String, u64>>>,
}

impl Collected {
    /// Nothing yet; a field may have at most so many values.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            fields: BTreeMap::new(),
        }
    }

    /// Adds a value of a field that so many entries have. Returns whether the
    /// field is still listed.
    pub fn add(&mut self, field: &FilterField, value: &str, entries: u64) -> bool {
        let name = field.query_name();
        let most = self.most;
        let values = self
            .fields
            .entry(name)
            .or_insert_with(|| Some(HashMap::new()));
        let Some(counts) = values else {
            return false;
        };
        if entries == 0 || value.is_empty() {
            return true;
        }
        let is_full = counts.len() == most;
        match counts.get_mut(value) {
            Some(count) => *count += entries,
            None if is_full => {
                *values = None;
                return false;
            }
            None => {
                counts.insert(value.to_owned(), entries);
            }
        }
        true
    }

    /// The fields by name, each with its values.
    pub fn into_fields(self) -> Vec<FieldValues> {
        let listed = self.fields.into_iter().filter_map(|(name, counts)| {
            let is_short = |(value, _): &(String, u64)| value.len() <= LONGEST_VALUE;
            let mut values: Vec<(String, u64)> = counts?.into_iter().filter(is_short).collect();
            values.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let field = FilterField::from_name(&name);
            (!values.is_empty()).then_some(FieldValues { field, values })
        });
        listed.collect()
    }
}

/// Whether a metadata key is listed under its own name.
pub fn is_listed(key: &str) -> bool {
    !READ_BY_OTHERS.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_too_many_values_is_left_out() {
        let mut collected = Collected::new(2);
        for (value, entries) in [("a", 1), ("b", 2), ("a", 3)] {
            assert!(collected.add(&FilterField::Author, value, entries));
        }
        assert!(collected.add(&FilterField::Kind, "x", 1));
        let plant = FilterField::Metadata("plant".to_owned());
        assert!(collected.add(&plant, &"long ".repeat(30), 1));
        let fields = collected.into_fields();
        assert_eq!(fields.len(), 2);
        let expected = [("a".to_owned(), 4), ("b".to_owned(), 2)];
        assert_eq!(fields[0].values, expected);

        let mut collected = Collected::new(1);
        assert!(collected.add(&FilterField::Author, "a", 1));
        assert!(!collected.add(&FilterField::Author, "b", 1));
        assert!(!collected.add(&FilterField::Author, "a", 1));
        assert_eq!(collected.into_fields(), []);
    }
}
