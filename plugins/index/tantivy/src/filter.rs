//! Filters as sets of documents. What a filter means is defined by
//! `gannet_api::Filter::matches`; here it is asked of terms, not of entries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gannet_api::{Condition, Filter, FilterClause, FilterField, fold};
use tantivy::index::SegmentId;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, SegmentReader, TERMINATED};

use super::docs::Docs;
use super::schema::{Fields, TIMESTAMP, metadata_term, term};
use gannet_index::{Bitmap, micros_from};

/// How many sets are kept. One of a segment with a million documents has
/// 125 kB.
const KEPT: usize = 512;

/// Makes and keeps the sets. A segment never changes, so that a set is good
/// for as long as the segment is; deletions are looked at elsewhere.
#[derive(Debug, Default)]
pub(super) struct Filters {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    clock: u64,
    sets: HashMap<(SegmentId, String), (u64, Arc<Docs>)>,
}

impl Filters {
    /// The documents of a segment that belong to the tenant and pass the
    /// filter; `None` when these are all.
    pub(super) fn allowed(
        &self,
        tenant: &str,
        filter: &Filter,
        segment: &SegmentReader,
        fields: &Fields,
    ) -> tantivy::Result<Option<Arc<Docs>>> {
        let of_tenant = self.tenant(tenant, segment, fields)?;
        if filter.is_empty() {
            return Ok(of_tenant);
        }
        let name = format!("{tenant}\u{0}{filter:?}");
        self.get(segment, name, || {
            let mut bits = match &of_tenant {
                Some(docs) => docs.bits().clone(),
                None => Bitmap::full(segment.max_doc() as usize),
            };
            for clause in &filter.clauses {
                bits.and(self.clause(clause, segment, fields)?.bits());
            }
            Ok(bits)
        })
        .map(Some)
    }

    /// The documents of a segment that one clause lets through.
    pub(super) fn clause(
        &self,
        clause: &FilterClause,
        segment: &SegmentReader,
        fields: &Fields,
    ) -> tantivy::Result<Arc<Docs>> {
        self.get(segment, format!("{clause:?}"), || {
            clause_bits(clause, segment, fields)
        })
    }

    /// The tenant's documents; `None` when the segment has no others.
    pub(super) fn tenant(
        &self,
        tenant: &str,
        segment: &SegmentReader,
        fields: &Fields,
    ) -> tantivy::Result<Option<Arc<Docs>>> {
        let wanted = term(fields.tenant, tenant);
        let count = segment.inverted_index(fields.tenant)?.doc_freq(&wanted)?;
        if count == segment.max_doc() {
            return Ok(None);
        }
        self.get(segment, format!("tenant\u{0}{tenant}"), || {
            let mut bits = Bitmap::new(segment.max_doc() as usize);
            add_term(&mut bits, segment, fields.tenant, tenant)?;
            Ok(bits)
        })
        .map(Some)
    }

    fn get(
        &self,
        segment: &SegmentReader,
        name: String,
        make: impl FnOnce() -> tantivy::Result<Bitmap>,
    ) -> tantivy::Result<Arc<Docs>> {
        let key = (segment.segment_id(), name);
        if let Some(docs) = self.find(&key) {
            return Ok(docs);
        }
        let docs = Arc::new(Docs::new(make()?));
        self.keep(key, Arc::clone(&docs));
        Ok(docs)
    }

    fn find(&self, key: &(SegmentId, String)) -> Option<Arc<Docs>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let (used, docs) = kept.sets.get_mut(key)?;
        *used = now;
        Some(Arc::clone(docs))
    }

    fn keep(&self, key: (SegmentId, String), docs: Arc<Docs>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.sets.len() >= KEPT {
            // Away with the half that was not used for longest.
            let mut ages: Vec<u64> = kept.sets.values().map(|(used, _)| *used).collect();
            ages.sort_unstable();
            let oldest_kept = ages[ages.len() / 2];
            kept.sets.retain(|_, (used, _)| *used >= oldest_kept);
        }
        let now = kept.clock;
        kept.sets.insert(key, (now, docs));
    }
}

fn clause_bits(
    clause: &FilterClause,
    segment: &SegmentReader,
    fields: &Fields,
) -> tantivy::Result<Bitmap> {
    let condition = &clause.condition;
    match (&clause.field, terms_of_field(fields, &clause.field)) {
        (_, Some((column, prefix))) => text_bits(column, &prefix, condition, segment),
        (FilterField::Timestamp, None) => time_bits(condition, segment),
        (_, None) => id_bits(condition, segment, fields),
    }
}

/// Where the folded values of a field are terms, and what these begin with.
/// `None` for ids and timestamps.
pub(super) fn terms_of_field(fields: &Fields, field: &FilterField) -> Option<(Field, String)> {
    match field {
        FilterField::Author => Some((fields.author_folded, String::new())),
        FilterField::SourceSystem => Some((fields.source, String::new())),
        FilterField::Kind => Some((fields.kind_folded, String::new())),
        FilterField::Metadata(key) => Some((fields.metadata, metadata_term(key, ""))),
        FilterField::EntryId | FilterField::Timestamp => None,
    }
}

/// Ids are opaque: they are equal to the letter, or not.
fn id_bits(
    condition: &Condition,
    segment: &SegmentReader,
    fields: &Fields,
) -> tantivy::Result<Bitmap> {
    let mut bits = Bitmap::new(segment.max_doc() as usize);
    match condition {
        Condition::Equals(id) => add_term(&mut bits, segment, fields.id, id)?,
        Condition::AnyOf(ids) => {
            for id in ids {
                add_term(&mut bits, segment, fields.id, id)?;
            }
        }
        Condition::Contains(part) => {
            let part = fold(part);
            add_terms(&mut bits, segment, fields.id, "", |id| {
                fold(id).contains(&part)
            })?;
        }
        Condition::Number(_) | Condition::Time(_) => {}
    }
    Ok(bits)
}

/// A condition on the folded terms that begin with `prefix`.
fn text_bits(
    field: Field,
    prefix: &str,
    condition: &Condition,
    segment: &SegmentReader,
) -> tantivy::Result<Bitmap> {
    let mut bits = Bitmap::new(segment.max_doc() as usize);
    match condition {
        Condition::Equals(wanted) => {
            add_term(
                &mut bits,
                segment,
                field,
                &format!("{prefix}{}", fold(wanted)),
            )?;
        }
        Condition::AnyOf(wanted) => {
            for one in wanted {
                add_term(&mut bits, segment, field, &format!("{prefix}{}", fold(one)))?;
            }
        }
        Condition::Contains(part) => {
            let part = fold(part);
            add_terms(&mut bits, segment, field, prefix, |text| {
                text.contains(&part)
            })?;
        }
        Condition::Number(range) => add_terms(&mut bits, segment, field, prefix, |text| {
            text.trim()
                .parse()
                .is_ok_and(|number| range.contains(number))
        })?,
        Condition::Time(range) => add_terms(&mut bits, segment, field, prefix, |text| {
            text.trim()
                .parse()
                .is_ok_and(|instant| range.contains(instant))
        })?,
    }
    Ok(bits)
}

fn time_bits(condition: &Condition, segment: &SegmentReader) -> tantivy::Result<Bitmap> {
    let mut bits = Bitmap::new(segment.max_doc() as usize);
    let Condition::Time(range) = condition else {
        return Ok(bits);
    };
    let from = range.from.map_or(i64::MIN, micros_from);
    let until = range.until.map_or(i64::MAX, micros_from);
    let times = segment.fast_fields().i64(TIMESTAMP)?;
    for doc in 0..segment.max_doc() {
        if times
            .first(doc)
            .is_some_and(|time| time >= from && time < until)
        {
            bits.set(doc as usize);
        }
    }
    Ok(bits)
}

fn add_term(
    bits: &mut Bitmap,
    segment: &SegmentReader,
    field: Field,
    text: &str,
) -> tantivy::Result<()> {
    let index = segment.inverted_index(field)?;
    if let Some(mut postings) = index.read_postings(&term(field, text), IndexRecordOption::Basic)? {
        add_postings(bits, &mut postings);
    }
    Ok(())
}

/// Adds the documents of every term that begins with `prefix` and whose rest
/// is `wanted`.
pub(super) fn add_terms(
    bits: &mut Bitmap,
    segment: &SegmentReader,
    field: Field,
    prefix: &str,
    mut wanted: impl FnMut(&str) -> bool,
) -> tantivy::Result<()> {
    let index = segment.inverted_index(field)?;
    let mut terms = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
    while terms.advance() {
        let Some(rest) = terms.key().strip_prefix(prefix.as_bytes()) else {
            break;
        };
        let Ok(rest) = std::str::from_utf8(rest) else {
            continue;
        };
        if wanted(rest) {
            let mut postings =
                index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
            add_postings(bits, &mut postings);
        }
    }
    Ok(())
}

fn add_postings(bits: &mut Bitmap, postings: &mut impl DocSet) {
    let mut doc = postings.doc();
    while doc != TERMINATED {
        bits.set(doc as usize);
        doc = postings.advance();
    }
}
