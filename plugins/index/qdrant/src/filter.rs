//! Sets of rows as conditions of a payload.

use gannet_index::Bitmap;
use serde_json::{Value, json};

/// Rows that a filter names one by one at most.
const MOST_ROWS: usize = 50_000;
/// Ranges of a filter at most: each is a lookup of its own.
const MOST_RANGES: usize = 2_000;
/// Rows that follow each other are a range from so many on.
const SHORTEST_RANGE: usize = 4;

/// The field of a point that has the row of its entry.
pub(crate) const DOC: &str = "doc";

/// The rows that a search may find, kept for its key.
#[derive(Debug)]
pub(crate) struct AllowedPassages {
    rows: Bitmap,
    /// What the server compares; `None` where that would be too long, so that
    /// what it finds is sorted out here.
    pub(crate) condition: Option<Value>,
}

impl AllowedPassages {
    pub(crate) fn new(rows: Bitmap) -> Self {
        Self {
            condition: condition(&rows),
            rows,
        }
    }

    pub(crate) fn has(&self, doc: i64) -> bool {
        usize::try_from(doc).is_ok_and(|row| row < self.rows.len() && self.rows.get(row))
    }

    /// Whether no row is allowed.
    pub(crate) fn is_nothing(&self) -> bool {
        self.rows.ones().next().is_none()
    }
}

/// Points of any of these rows.
pub(crate) fn any_of(docs: &[i64]) -> Value {
    json!({ "key": DOC, "match": { "any": docs } })
}

/// Points that are passages, which all but one are.
pub(crate) fn any_passage() -> Value {
    json!({ "key": DOC, "range": { "gte": 0 } })
}

fn condition(rows: &Bitmap) -> Option<Value> {
    let mut single = Vec::new();
    let mut ranges = Vec::new();
    let mut ones = rows.ones().peekable();
    while let Some(first) = ones.next() {
        let mut last = first;
        while let Some(next) = ones.next_if_eq(&(last + 1)) {
            last = next;
        }
        match last - first + 1 >= SHORTEST_RANGE {
            true => ranges.push(json!({ "key": DOC, "range": { "gte": first, "lte": last } })),
            false => single.extend(first..=last),
        }
        if single.len() > MOST_ROWS || ranges.len() > MOST_RANGES {
            return None;
        }
    }
    if !single.is_empty() {
        ranges.push(json!({ "key": DOC, "match": { "any": single } }));
    }
    Some(match ranges.len() {
        1 => ranges.swap_remove(0),
        _ => json!({ "should": ranges }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(rows: impl IntoIterator<Item = usize>) -> AllowedPassages {
        let mut bits = Bitmap::new(300_000);
        rows.into_iter().for_each(|row| bits.set(row));
        AllowedPassages::new(bits)
    }

    #[test]
    fn rows_that_follow_each_other_are_a_range() {
        let range = json!({ "key": "doc", "range": { "gte": 5, "lte": 9 } });
        assert_eq!(allowed(5..10).condition, Some(range.clone()));
        let single = json!({ "key": "doc", "match": { "any": [1, 2, 20] } });
        assert_eq!(allowed([1, 2, 20]).condition, Some(single.clone()));
        let both = json!({ "should": [range, single] });
        assert_eq!(allowed([1, 2, 5, 6, 7, 8, 9, 20]).condition, Some(both));
    }

    #[test]
    fn what_is_too_long_for_the_server_is_sorted_out_here() {
        let every_other = allowed((0..200_000).step_by(2));
        assert_eq!(every_other.condition, None);
        assert!(every_other.has(4) && !every_other.has(5) && !every_other.has(400_000));
        assert!(!every_other.has(-1) && !every_other.is_nothing());
        assert!(allowed([]).is_nothing());
    }
}
