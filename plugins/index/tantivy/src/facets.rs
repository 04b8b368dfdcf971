//! Counts of the values that matching documents have, from the terms that
//! filters look up: every document of a value is in its posting list.

use std::collections::HashMap;

use gannet_api::FilterField;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED};

use super::filter::terms_of_field;
use super::schema::{DOC, Fields};
use gannet_index::{Bitmap, FoldedValue};

/// The most frequent values of a field over some documents of each segment,
/// then by value; at most `limit`. `None` for a field without terms of its own.
///
/// Costs a walk over the posting lists of the field, however few the documents.
pub(super) fn frequent_values(
    searcher: &Searcher,
    documents: &[Bitmap],
    fields: &Fields,
    field: &FilterField,
    limit: usize,
) -> tantivy::Result<Option<Vec<FoldedValue>>> {
    let Some((column, prefix)) = terms_of_field(fields, field) else {
        return Ok(None);
    };
    let mut counts = HashMap::new();
    for (segment, documents) in searcher.segment_readers().iter().zip(documents) {
        count_segment(segment, documents, column, &prefix, &mut counts)?;
    }
    // An entry without an author has an empty one.
    if prefix.is_empty() {
        counts.remove("");
    }
    let values = counts
        .into_iter()
        .map(|(folded, (count, row))| FoldedValue { folded, count, row });
    let mut values: Vec<FoldedValue> = values.collect();
    values.sort_unstable_by(|a, b| {
        let by_count = b.count.cmp(&a.count);
        by_count.then_with(|| a.folded.cmp(&b.folded))
    });
    values.truncate(limit);
    Ok(Some(values))
}

/// Adds the number of documents of each value, and the row of one of them.
fn count_segment(
    segment: &SegmentReader,
    documents: &Bitmap,
    column: Field,
    prefix: &str,
    counts: &mut HashMap<String, (u64, i64)>,
) -> tantivy::Result<()> {
    let rows = segment.fast_fields().u64(DOC)?;
    let index = segment.inverted_index(column)?;
    let mut terms = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
    while terms.advance() {
        let Some(value) = terms.key().strip_prefix(prefix.as_bytes()) else {
            break;
        };
        let mut postings =
            index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
        let Some((first, count)) = count_among(&mut postings, documents) else {
            continue;
        };
        let (Ok(value), Some(row)) = (std::str::from_utf8(value), rows.first(first)) else {
            continue;
        };
        match counts.get_mut(value) {
            Some((known, _)) => *known += count,
            None => {
                let row = i64::try_from(row).unwrap_or(i64::MAX);
                counts.insert(value.to_owned(), (count, row));
            }
        }
    }
    Ok(())
}

/// The first of the postings that are among the documents, and their number.
fn count_among(postings: &mut impl DocSet, documents: &Bitmap) -> Option<(u32, u64)> {
    let mut found: Option<(u32, u64)> = None;
    let mut doc = postings.doc();
    while doc != TERMINATED {
        if documents.get(doc as usize) {
            let (_, count) = found.get_or_insert((doc, 0));
            *count += 1;
        }
        doc = postings.advance();
    }
    found
}
