//! All documents that a query matches, without order and scores.

use std::sync::Arc;

use gannet_api::query::Node;
use gannet_api::{Filter, Matched};
use tantivy::query::{EnableScoring, Weight};
use tantivy::{DocId, Searcher};

use super::docs::Docs;
use super::index::TextIndex;
use super::schema::DOC;
use super::spelling::{check_spelling, near_words};
use crate::analysis::{Reader, Reading, Spelling, has_words, with_all_words};
use crate::error::{StoreError, TextContext};
use crate::matching::MatchRequest;

/// Every document that matches a query.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    /// Their rows in the records.
    pub(crate) rows: Vec<i64>,
    /// Whether they match the whole query.
    pub(crate) matched: Matched,
}

impl TextIndex {
    /// Finds every entry that matches the whole query or, when there is none,
    /// every entry with some of its words.
    pub(crate) fn matching(
        &self,
        tenant: &str,
        request: &MatchRequest,
    ) -> Result<Matching, StoreError> {
        self.find_matching(tenant, request).doing("count matches")
    }

    fn find_matching(&self, tenant: &str, request: &MatchRequest) -> tantivy::Result<Matching> {
        let filter = request.whole_filter();
        let searcher = self.reader.searcher();
        let allowed = self.allowed(&searcher, tenant, &filter)?;
        let Some(root) = &request.query.root else {
            return Ok(Matching {
                rows: match filter.is_empty() {
                    true => Vec::new(),
                    false => matching_rows(&searcher, None, &allowed)?,
                },
                matched: Matched::All,
            });
        };
        let root = match request.query.plain {
            true => with_all_words(root),
            false => root.clone(),
        };
        let is_corrected = request.fuzzy && has_words(&root);
        let spelling = if is_corrected {
            let visible = self.allowed(&searcher, tenant, &Filter::none())?;
            check_spelling(&searcher, &visible, &self.fields, &root)?
        } else {
            Spelling::default()
        };
        let found = self.matching_words(&searcher, &allowed, &root, &spelling)?;
        if !is_corrected || !found.rows.is_empty() {
            return Ok(found);
        }
        let near = near_words(&searcher, &allowed, &self.fields, &root)?;
        match near.is_empty() {
            true => Ok(found),
            false => self.matching_words(&searcher, &allowed, &root, &near),
        }
    }

    /// What the words of a query match, spelt so.
    fn matching_words(
        &self,
        searcher: &Searcher,
        allowed: &[Option<Arc<Docs>>],
        root: &Node,
        spelling: &Spelling,
    ) -> tantivy::Result<Matching> {
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
            let rows = matching_rows(searcher, Some(weight.as_ref()), allowed)?;
            if !rows.is_empty() {
                return Ok(Matching { rows, matched });
            }
            if !reader.can_relax {
                break;
            }
        }
        Ok(Matching::default())
    }
}

/// The rows of the allowed documents; of those that `weight` matches, if given.
fn matching_rows(
    searcher: &Searcher,
    weight: Option<&dyn Weight>,
    allowed: &[Option<Arc<Docs>>],
) -> tantivy::Result<Vec<i64>> {
    let mut rows = Vec::new();
    for (segment, docs) in searcher.segment_readers().iter().zip(allowed) {
        let column = segment.fast_fields().u64(DOC)?;
        let alive = segment.alive_bitset();
        let mut add = |doc: DocId| {
            let is_allowed = docs.as_ref().is_none_or(|docs| docs.contains(doc));
            if is_allowed && alive.is_none_or(|alive| alive.is_alive(doc)) {
                let row = column.first(doc);
                rows.extend(row.and_then(|row| i64::try_from(row).ok()));
            }
        };
        match weight {
            Some(weight) => weight.for_each_no_score(segment, &mut |docs| {
                docs.iter().copied().for_each(&mut add);
            })?,
            None => (0..segment.max_doc()).for_each(add),
        }
    }
    Ok(rows)
}
