//! The filters that a client names beside its question.

/// Names and values as the host reads them; a blank value counts as not given.
pub(crate) fn given<const N: usize>(filters: [(&str, Option<String>); N]) -> Vec<(String, String)> {
    let given = filters.into_iter().filter_map(|(name, value)| {
        let value = value.filter(|value| !value.trim().is_empty())?;
        Some((name.to_owned(), value))
    });
    given.collect()
}
