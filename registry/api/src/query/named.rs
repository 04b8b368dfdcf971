//! A query that is the id of an entry and nothing else.

use super::references::LONGEST_ID;

/// Names of the field that holds the id, as a query writes them.
const FIELDS: [&str; 2] = ["id:", "entry_id:"];

/// The entry id that a query as a whole may be: one word, or a quoted text,
/// with or without `#`, `id:` or `entry_id:` before it. Behind a field, an id
/// may have quotes itself, but none before a space. Whether there is such an
/// entry, only a store can tell.
///
/// ```
/// use gannet_api::query::named_entry;
///
/// for query in ["SKY-0169", " #SKY-0169", "id:SKY-0169", "ID:\"SKY-0169\""] {
///     assert_eq!(named_entry(query), Some("SKY-0169"), "{query}");
/// }
/// assert_eq!(named_entry("id:\"tube 5\"/17\""), Some("tube 5\"/17"));
/// assert_eq!(named_entry("id:\"A-1\" id:\"A-2\""), None);
/// assert_eq!(named_entry("what does SKY-0169 say?"), None);
/// assert_eq!(named_entry("author:smith"), Some("author:smith"));
/// ```
pub fn named_entry(query: &str) -> Option<&str> {
    let query = query.trim();
    let field = FIELDS.iter().find(|field| {
        let start = query.get(..field.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(field))
    });
    let value = query.get(field.map_or(0, |field| field.len())..)?.trim();
    let quoted = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    let id = match quoted {
        Some(quoted) => quoted,
        None => value.strip_prefix('#').unwrap_or(value),
    };
    let is_one = quoted.is_some() || !id.contains(char::is_whitespace);
    // A quote before a space ends a text, and something else follows.
    let mut behind_quotes = id.split('"').skip(1);
    let has_own_quotes = field.is_some() && quoted.is_some();
    let is_quoted_once = match has_own_quotes {
        true => behind_quotes.all(|rest| !rest.starts_with(char::is_whitespace)),
        false => behind_quotes.next().is_none(),
    };
    (is_one && !id.is_empty() && is_quoted_once).then_some(id)
}

/// Whether a text has an id, and not as a part of a longer word.
///
/// ```
/// use gannet_api::query::names_id;
/// assert!(names_id("as in SKY-1.", "SKY-1"));
/// assert!(!names_id("as in SKY-12", "SKY-1"));
/// assert!(!names_id("RSKY-1", "SKY-1"));
/// ```
pub fn names_id(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + id.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// What may be an id in a text: words with a digit, without the punctuation
/// around them. Which are ids, the store knows. [`named_ids`](super::named_ids)
/// reads what an entry says of its references more closely.
///
/// ```
/// use gannet_api::query::possible_ids;
/// let words: Vec<&str> = possible_ids("As in SKY-0158, (SKY-0169). No flow on 3 June").collect();
/// assert_eq!(words, ["SKY-0158", "SKY-0169", "3"]);
/// ```
pub fn possible_ids(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    let words = words.map(|word| word.trim_matches(|edge: char| !edge.is_alphanumeric()));
    words.filter(|word| word.len() <= LONGEST_ID && word.bytes().any(|byte| byte.is_ascii_digit()))
}
