//! Sets of documents of one segment, and queries made of them.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::query::{ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use gannet_index::Bitmap;

/// A set of documents of one segment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Docs {
    bits: Bitmap,
    count: usize,
}

impl Docs {
    pub(super) fn new(bits: Bitmap) -> Self {
        Self {
            count: bits.count(),
            bits,
        }
    }

    pub(super) fn contains(&self, doc: DocId) -> bool {
        self.bits.get(doc as usize)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn bits(&self) -> &Bitmap {
        &self.bits
    }
}

/// Walks over a set.
pub(super) struct DocsCursor {
    docs: Arc<Docs>,
    doc: DocId,
}

impl DocsCursor {
    pub(super) fn new(docs: Arc<Docs>) -> Self {
        let mut cursor = Self { docs, doc: 0 };
        cursor.doc = cursor.next_at(0);
        cursor
    }

    fn next_at(&self, from: DocId) -> DocId {
        let words = self.docs.bits.words();
        let mut index = from as usize / 64;
        let Some(&first) = words.get(index) else {
            return TERMINATED;
        };
        let mut word = first & (u64::MAX << (from % 64));
        while word == 0 {
            index += 1;
            match words.get(index) {
                Some(&next) => word = next,
                None => return TERMINATED,
            }
        }
        // Documents of a segment are counted in 32 bits.
        u32::try_from(index * 64).unwrap_or(TERMINATED) + word.trailing_zeros()
    }
}

impl DocSet for DocsCursor {
    fn advance(&mut self) -> DocId {
        if self.doc != TERMINATED {
            self.doc = self.next_at(self.doc + 1);
        }
        self.doc
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc < target {
            self.doc = if target == TERMINATED {
                TERMINATED
            } else {
                self.next_at(target)
            };
        }
        self.doc
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        u32::try_from(self.docs.count).unwrap_or(u32::MAX)
    }
}

/// A query that is met by given documents, with one score for all of them.
#[derive(Debug, Clone)]
pub(super) struct DocsQuery {
    pub(super) by_segment: Arc<HashMap<SegmentId, Arc<Docs>>>,
    pub(super) score: Score,
}

impl Query for DocsQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for DocsQuery {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let docs = match self.by_segment.get(&reader.segment_id()) {
            Some(docs) => Arc::clone(docs),
            None => Arc::new(Docs::new(Bitmap::new(0))),
        };
        let cursor = DocsCursor::new(docs);
        Ok(Box::new(ConstScorer::new(cursor, self.score * boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("one of a set of documents", self.score))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_gives_every_document_of_the_set_in_order(
            rows in proptest::collection::btree_set(0usize..400, 0..60), target in 0u32..420,
        ) {
            let mut bits = Bitmap::new(400);
            rows.iter().for_each(|&row| bits.set(row));
            let docs = Arc::new(Docs::new(bits));
            let mut cursor = DocsCursor::new(Arc::clone(&docs));
            let mut seen = Vec::new();
            while cursor.doc() != TERMINATED {
                seen.push(cursor.doc() as usize);
                cursor.advance();
            }
            prop_assert!(seen.iter().eq(rows.iter()));
            let wanted = rows.range(target as usize..).next();
            let found = DocsCursor::new(docs).seek(target);
            prop_assert_eq!(found, wanted.map_or(TERMINATED, |&row| u32::try_from(row).unwrap()));
        }
    }
}
