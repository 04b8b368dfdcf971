//! The ids that the metadata of an entry links it to, and the order in which ids
//! that it may name are looked up.

use super::references::named_ids;
use crate::Entry;
use crate::filter::scalar_text;

/// Metadata keys whose values are ids, as adapters write them.
pub(super) const FIELDS_OF_IDS: [&str; 3] = ["linked_to", "replies", "in_reply_to"];

/// The ids in a metadata field: one, or a list.
///
/// ```
/// use gannet_api::Entry;
/// use gannet_api::query::linked_ids;
/// use serde_json::json;
///
/// let mut entry = Entry::new("RF/1", "log", Default::default(), "Window looks dark");
/// entry.metadata.insert("replies".to_owned(), json!(["RF/2", 3]));
/// assert_eq!(linked_ids(&entry, "replies"), ["RF/2", "3"]);
/// ```
pub fn linked_ids(entry: &Entry, field: &str) -> Vec<String> {
    let Some(value) = entry.metadata.get(field) else {
        return Vec::new();
    };
    let list = value.as_array().map(Vec::as_slice);
    let ids = list.unwrap_or(std::slice::from_ref(value)).iter();
    let ids = ids.map(|id| scalar_text(id).trim().to_owned());
    ids.filter(|id| !id.is_empty()).collect()
}

/// The first of [`named_ids`], so many at most: those of the metadata before
/// others, and words that begin with a digit last, since most are no ids.
pub fn first_named_ids(entry: &Entry, most: usize) -> Vec<String> {
    let fields = FIELDS_OF_IDS.iter();
    let linked: Vec<String> = fields.flat_map(|field| linked_ids(entry, field)).collect();
    let mut named: Vec<String> = named_ids(entry).into_iter().collect();
    named.sort_by_key(|id| {
        let begins_with_digit = id.starts_with(|first: char| first.is_ascii_digit());
        (!linked.contains(id), begins_with_digit)
    });
    named.truncate(most);
    named
}
