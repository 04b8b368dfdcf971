//! Fields that are worth counting beside a search, and values of a field: what a
//! page asks for each time it is loaded.

use gannet_api::FilterField;
use gannet_store::FieldValues;

use crate::known_values::names_things;
use crate::{Gannet, HostError};

/// Values of a field at most; one with more is no help in narrowing a search.
const MOST_VALUES: usize = 400;
/// Fields at most.
const MOST_FIELDS: usize = 8;
/// A field that fewer than one entry in so many has is left out.
const RAREST: u64 = 20;
/// What everybody looks for comes first, then the field that most entries have.
const FIRST: [&str; 4] = ["author", "logbook", "shift", "tag"];

impl Gannet {
    /// The names of the fields that are worth counting beside a search: those
    /// with several values that are names, such as author, shift and tag. Kept
    /// until the entries change.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn facet_fields(&self, tenant: &str) -> Result<Vec<String>, HostError> {
        let store = self.store();
        let read = async {
            Ok(worth_counting(
                store.field_values(tenant, MOST_VALUES).await?,
            ))
        };
        let name = format!("{tenant}\u{0}");
        Ok(self
            .services()
            .known_values()
            .names(store, &name, read)
            .await?)
    }

    /// The most frequent values of a field, at most so many, sorted by name.
    /// Kept until the entries change: the store looks at every entry for them.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read, and for timestamps.
    pub async fn frequent_values(
        &self,
        tenant: &str,
        field: &FilterField,
        most: usize,
    ) -> Result<Vec<String>, HostError> {
        let store = self.store();
        let read = async {
            let values = store.distinct(tenant, field, most).await?;
            let mut names: Vec<String> = values.into_iter().map(|(value, _)| value).collect();
            names.retain(|name| !name.is_empty());
            names.sort();
            Ok(names)
        };
        let name = format!("{tenant}\u{0}{}\u{0}{most}", field.query_name());
        Ok(self
            .services()
            .known_values()
            .names(store, &name, read)
            .await?)
    }
}

fn worth_counting(fields: Vec<FieldValues>) -> Vec<String> {
    let entries = |known: &FieldValues| known.values.iter().map(|(_, count)| count).sum::<u64>();
    let most = fields.iter().map(entries).max().unwrap_or(0);
    let mut worth: Vec<(usize, u64, String)> = fields
        .into_iter()
        .filter(|known| {
            known.values.len() > 1
                && names_things(known)
                && !are_numbers(known)
                && known.field != FilterField::EntryId
                && entries(known) * RAREST >= most
        })
        .map(|known| {
            let name = known.field.query_name();
            let place = FIRST.iter().position(|first| *first == name);
            (place.unwrap_or(FIRST.len()), entries(&known), name)
        })
        .collect();
    worth.sort_by(|a, b| (a.0, b.1, &a.2).cmp(&(b.0, a.1, &b.2)));
    worth.truncate(MOST_FIELDS);
    worth.into_iter().map(|(_, _, name)| name).collect()
}

/// Whether most values are measured numbers.
fn are_numbers(known: &FieldValues) -> bool {
    let values = known.values.iter();
    let numbers = values.filter(|(value, _)| value.parse::<f64>().is_ok());
    numbers.count() * 2 > known.values.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, values: &[(&str, u64)]) -> FieldValues {
        FieldValues {
            field: FilterField::from_name(name),
            values: values
                .iter()
                .map(|(value, count)| ((*value).to_owned(), *count))
                .collect(),
        }
    }

    #[test]
    fn fields_with_several_names_are_worth_counting() {
        let fields = vec![
            field("phase", &[("users", 60), ("shutdown", 30)]),
            field("kind", &[("logbook", 100)]),
            field("current", &[("300", 50), ("250", 40)]),
            field("shift", &[("day", 50), ("night", 50)]),
            field("author", &[("voss", 70), ("quarry", 30)]),
            field("rare", &[("a", 1), ("b", 1)]),
        ];
        assert_eq!(worth_counting(fields), ["author", "shift", "meta.phase"]);
    }
}
