//! All documents that a query matches, without order and scores.

use std::sync::Arc;

use gannet_api::query::Node;
use gannet_api::{Filter, FilterField, Matched};
use tantivy::query::{EnableScoring, Weight};
use tantivy::{DocId, Searcher};

use super::docs::Docs;
use super::error::{TextContext, TextError};
use super::facets::frequent_values;
use super::index::TantivyIndex;
use super::schema::DOC;
use super::spelling::{check_spelling, near_words};
use gannet_analysis::{Reader, Reading, Spelling, has_words, with_all_words};
use gannet_index::{Bitmap, FoldedValue, MatchRequest, Matching};

/// The values of a field are counted by its terms where at least one of so many
/// documents matches, and else in the records. Over 100,000 entries a row of the
/// records takes 0.8 µs, and a document of a posting list about 15 ns.
const TERMS_FROM: u64 = 50;

/// Documents that match.
#[derive(Debug, Default)]
struct Documents {
    of_segments: Vec<Bitmap>,
    count: u64,
    matched: Matched,
}

impl TantivyIndex {
    /// Finds every entry that matches the whole query or, when there is none,
    /// every entry with some of its words.
    pub fn matching(&self, tenant: &str, request: &MatchRequest) -> Result<Matching, TextError> {
        let searcher = self.reader.searcher();
        let found = self.find_matching(&searcher, tenant, request);
        let found = found.doing("count matches")?;
        let values = request.facets.iter().map(|field| {
            let values = self.values_among(&searcher, &found, field, request.values);
            values.doing("count the values of a field")
        });
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let rows = match values.iter().any(Option::is_none) {
            true => rows_of(&searcher, &found).doing("count the values of a field")?,
            false => Vec::new(),
        };
        Ok(Matching {
            count: found.count,
            rows,
            matched: found.matched,
            values,
        })
    }

    /// `None` where the records have them sooner.
    fn values_among(
        &self,
        searcher: &Searcher,
        found: &Documents,
        field: &FilterField,
        limit: usize,
    ) -> tantivy::Result<Option<Vec<FoldedValue>>> {
        if found.count * TERMS_FROM < searcher.num_docs() {
            return Ok(None);
        }
        frequent_values(searcher, &found.of_segments, &self.fields, field, limit)
    }

    fn find_matching(
        &self,
        searcher: &Searcher,
        tenant: &str,
        request: &MatchRequest,
    ) -> tantivy::Result<Documents> {
        let filter = request.whole_filter();
        let allowed = self.allowed(searcher, tenant, &filter)?;
        let Some(root) = &request.query.root else {
            return match filter.is_empty() {
                true => Ok(Documents::default()),
                false => matching_documents(searcher, None, &allowed),
            };
        };
        let root = match request.query.plain {
            true => with_all_words(root),
            false => root.clone(),
        };
        let is_corrected = request.fuzzy && has_words(&root);
        let spelling = if is_corrected {
            let visible = self.allowed(searcher, tenant, &Filter::none())?;
            check_spelling(searcher, &visible, &self.fields, &root, request.query.plain)?
        } else {
            Spelling::default()
        };
        let found = self.matching_words(searcher, &allowed, &root, &spelling)?;
        if !is_corrected || found.count > 0 {
            return Ok(found);
        }
        let near = near_words(searcher, &allowed, &self.fields, &root)?;
        match near.is_empty() {
            true => Ok(found),
            false => self.matching_words(searcher, &allowed, &root, &near),
        }
    }

    /// What the words of a query match, spelt so.
    fn matching_words(
        &self,
        searcher: &Searcher,
        allowed: &[Option<Arc<Docs>>],
        root: &Node,
        spelling: &Spelling,
    ) -> tantivy::Result<Documents> {
        let mut reader = Reader::new(spelling);
        let readings = [
            (Reading::Strict, Matched::All),
            (Reading::Relaxed, Matched::Some),
        ];
        for (reading, matched) in readings {
            let Some(wanted) = reader.read(root, reading) else {
                break;
            };
            let query = self.compiler(searcher).query(&wanted, &reader.families)?;
            let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
            let found = matching_documents(searcher, Some(weight.as_ref()), allowed)?;
            if found.count > 0 {
                return Ok(Documents { matched, ..found });
            }
            if !reader.can_relax {
                break;
            }
        }
        Ok(Documents::default())
    }
}

/// The allowed documents; of those that `weight` matches, if given.
fn matching_documents(
    searcher: &Searcher,
    weight: Option<&dyn Weight>,
    allowed: &[Option<Arc<Docs>>],
) -> tantivy::Result<Documents> {
    let mut found = Documents::default();
    for (segment, docs) in searcher.segment_readers().iter().zip(allowed) {
        let alive = segment.alive_bitset();
        let mut bits = Bitmap::new(segment.max_doc() as usize);
        let mut add = |doc: DocId| {
            let is_allowed = docs.as_ref().is_none_or(|docs| docs.contains(doc));
            if is_allowed && alive.is_none_or(|alive| alive.is_alive(doc)) {
                bits.set(doc as usize);
            }
        };
        match weight {
            Some(weight) => weight.for_each_no_score(segment, &mut |docs| {
                docs.iter().copied().for_each(&mut add);
            })?,
            None => (0..segment.max_doc()).for_each(add),
        }
        found.count += bits.count() as u64;
        found.of_segments.push(bits);
    }
    Ok(found)
}

/// The rows of documents in the records.
fn rows_of(searcher: &Searcher, found: &Documents) -> tantivy::Result<Vec<i64>> {
    let mut rows = Vec::new();
    for (segment, bits) in searcher.segment_readers().iter().zip(&found.of_segments) {
        let column = segment.fast_fields().u64(DOC)?;
        let of_segment = bits.ones().filter_map(|doc| {
            let row = column.first(DocId::try_from(doc).ok()?)?;
            i64::try_from(row).ok()
        });
        rows.extend(of_segment);
    }
    Ok(rows)
}
