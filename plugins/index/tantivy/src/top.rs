//! The best documents in the one total order: rank descending, then kind,
//! then entry id. Ties are told apart at the cut too, so that the best ten
//! are always the first ten of the best hundred.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tantivy::columnar::StrColumn;
use tantivy::query::{ConstScorer, Scorer, Weight, intersect_scorers};
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, TantivyError};

use super::docs::{Docs, DocsCursor};
use super::schema::{DOC, ID, KIND, TIMESTAMP};

/// Under this share of a segment, walking over the allowed documents is
/// cheaper than walking over the matching ones.
const SELECTIVE: usize = 16;

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Best {
    pub(super) rank: Rank,
    pub(super) kind: String,
    pub(super) entry_id: String,
    /// The row in the records.
    pub(super) row: i64,
    /// Where it is in the index.
    pub(super) segment: usize,
    pub(super) doc: DocId,
}

/// What the order is made of, greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u64);

impl Rank {
    const LEAST: Self = Self(0);

    /// A score of 0 or more. The sum of the same numbers in another order
    /// differs in its last bits: these are dropped, so that equal texts in
    /// two segments tie.
    pub(super) fn of_score(score: Score) -> Self {
        Self(u64::from((score.max(0.0).to_bits() + HALF) & !DROPPED))
    }

    pub(super) fn score(self) -> f64 {
        // Made from 32 bits.
        f64::from(f32::from_bits(u32::try_from(self.0).unwrap_or(0)))
    }

    pub(super) fn of_time(micros: i64) -> Self {
        Self(micros.cast_unsigned() ^ (1 << 63))
    }

    pub(super) fn micros(self) -> i64 {
        (self.0 ^ (1 << 63)).cast_signed()
    }

    /// A score that lies below all that have this rank.
    fn score_below(self) -> Score {
        match u32::try_from(self.0) {
            Ok(bits) if bits > DROPPED => f32::from_bits(bits - HALF - 1),
            _ => f32::MIN,
        }
    }
}

/// Six of the 23 bits of a score's mantissa: 17 remain, five decimal digits.
const DROPPED: u32 = 0x3f;
const HALF: u32 = 0x20;

/// How documents with some of several terms are walked over. The result is
/// the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traversal {
    /// Blocks that cannot reach the best scores are skipped: for a few terms.
    Pruned,
    /// All are scored, in windows of a bit set: for many or common terms.
    Exhaustive,
}

/// The best `limit` documents by score. `allowed` has one set a segment;
/// `None` allows all of it.
pub(super) fn by_score(
    searcher: &Searcher,
    weight: &dyn Weight,
    traversal: Traversal,
    allowed: &[Option<Arc<Docs>>],
    limit: usize,
) -> tantivy::Result<Vec<Best>> {
    collect(searcher, allowed, limit, |segment, top, docs| {
        let Some(docs) = docs.filter(|docs| is_selective(docs, segment)) else {
            if traversal == Traversal::Exhaustive {
                return weight.for_each(segment, &mut |doc, score| {
                    top.offer(Rank::of_score(score), doc);
                });
            }
            return weight.for_each_pruning(top.threshold(), segment, &mut |doc, score| {
                top.offer(Rank::of_score(score), doc);
                top.threshold()
            });
        };
        let filter: Box<dyn Scorer> = Box::new(ConstScorer::new(DocsCursor::new(docs), 0.0));
        let matching = weight.scorer(segment, 1.0)?;
        let mut both = intersect_scorers(vec![filter, matching], segment.num_docs());
        while both.doc() != TERMINATED {
            top.offer(Rank::of_score(both.score()), both.doc());
            both.advance();
        }
        Ok(())
    })
}

/// The newest `limit` documents; of those that `weight` matches, if given.
pub(super) fn by_time(
    searcher: &Searcher,
    weight: Option<&dyn Weight>,
    allowed: &[Option<Arc<Docs>>],
    limit: usize,
) -> tantivy::Result<Vec<Best>> {
    collect(searcher, allowed, limit, |segment, top, docs| {
        let times = segment.fast_fields().i64(TIMESTAMP)?;
        let mut offer = |doc: DocId| {
            top.offer(Rank::of_time(times.first(doc).unwrap_or(i64::MIN)), doc);
        };
        match (weight, docs) {
            (Some(weight), _) => weight.for_each_no_score(segment, &mut |docs| {
                docs.iter().copied().for_each(&mut offer);
            })?,
            (None, Some(docs)) => {
                let mut cursor = DocsCursor::new(docs);
                while cursor.doc() != TERMINATED {
                    offer(cursor.doc());
                    cursor.advance();
                }
            }
            (None, None) => (0..segment.max_doc()).for_each(offer),
        }
        Ok(())
    })
}

fn is_selective(docs: &Docs, segment: &SegmentReader) -> bool {
    docs.count() < segment.max_doc() as usize / SELECTIVE
}

fn collect(
    searcher: &Searcher,
    allowed: &[Option<Arc<Docs>>],
    limit: usize,
    mut visit: impl FnMut(&SegmentReader, &mut SegmentTop, Option<Arc<Docs>>) -> tantivy::Result<()>,
) -> tantivy::Result<Vec<Best>> {
    let mut found: Vec<(Rank, usize, DocId)> = Vec::new();
    let mut floor = Rank::LEAST;
    if limit == 0 {
        return Ok(Vec::new());
    }
    for (ordinal, segment) in searcher.segment_readers().iter().enumerate() {
        let docs = allowed.get(ordinal).cloned().flatten();
        if docs.as_ref().is_some_and(|docs| docs.count() == 0) {
            continue;
        }
        let mut top = SegmentTop::new(segment, docs.clone(), limit, floor)?;
        visit(segment, &mut top, docs)?;
        found.extend(top.into_found().map(|(rank, doc)| (rank, ordinal, doc)));
        found.sort_unstable_by_key(|&(rank, ..)| Reverse(rank));
        if let Some(&(cut, ..)) = found.get(limit - 1) {
            floor = cut;
            found.retain(|&(rank, ..)| rank >= cut);
        }
    }
    name_and_cut(searcher, found, limit)
}

/// Reads what tells ties apart, orders, and cuts.
fn name_and_cut(
    searcher: &Searcher,
    mut found: Vec<(Rank, usize, DocId)>,
    limit: usize,
) -> tantivy::Result<Vec<Best>> {
    found.sort_unstable_by_key(|&(_, segment, _)| segment);
    let mut best = Vec::with_capacity(found.len());
    for of_segment in found.chunk_by(|a, b| a.1 == b.1) {
        let segment = of_segment[0].1;
        let names = Names::open(searcher.segment_reader(
            // A segment's ordinal comes from tantivy as 32 bits.
            u32::try_from(segment).unwrap_or(u32::MAX),
        ))?;
        let docs: Vec<DocId> = of_segment.iter().map(|&(.., doc)| doc).collect();
        let kinds = texts_of(&names.kinds, &docs)?;
        let ids = texts_of(&names.ids, &docs)?;
        for ((&(rank, _, doc), kind), entry_id) in of_segment.iter().zip(kinds).zip(ids) {
            best.push(Best {
                rank,
                kind,
                entry_id,
                row: names.row(doc),
                segment,
                doc,
            });
        }
    }
    best.sort_unstable_by(|a, b| {
        (b.rank.cmp(&a.rank))
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| a.entry_id.cmp(&b.entry_id))
    });
    best.truncate(limit);
    Ok(best)
}

/// The columns that name a segment's documents.
struct Names {
    ids: StrColumn,
    kinds: StrColumn,
    rows: tantivy::fastfield::Column<u64>,
}

impl Names {
    fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        Ok(Self {
            ids: text_column(segment, ID)?,
            kinds: text_column(segment, KIND)?,
            rows: segment.fast_fields().u64(DOC)?,
        })
    }

    fn row(&self, doc: DocId) -> i64 {
        self.rows.first(doc).unwrap_or(0).cast_signed()
    }

    /// Ordinals of a segment's dictionary stand in the order of its texts.
    fn tie(&self, doc: DocId) -> (u64, u64) {
        let ordinal = |column: &StrColumn| column.ords().first(doc).unwrap_or(u64::MAX);
        (ordinal(&self.kinds), ordinal(&self.ids))
    }
}

fn text_column(segment: &SegmentReader, name: &str) -> tantivy::Result<StrColumn> {
    let column = segment.fast_fields().str(name)?;
    column.ok_or_else(|| damaged(format!("a segment lacks the column `{name}`")))
}

fn damaged(comment: impl ToString) -> TantivyError {
    TantivyError::DataCorruption(tantivy::error::DataCorruption::comment_only(comment))
}

/// The texts of documents, in their order. A block of the dictionary is
/// unpacked from its start for every look-up: in the order of the texts, each
/// is unpacked once.
fn texts_of(column: &StrColumn, docs: &[DocId]) -> tantivy::Result<Vec<String>> {
    let mut places: Vec<(u64, usize)> = docs
        .iter()
        .enumerate()
        .filter_map(|(place, &doc)| Some((column.ords().first(doc)?, place)))
        .collect();
    places.sort_unstable();
    let ordinals: Vec<u64> = places.iter().map(|&(ordinal, _)| ordinal).collect();
    let mut terms: Vec<Vec<u8>> = Vec::with_capacity(places.len());
    let dictionary = column.dictionary();
    dictionary.sorted_ords_to_term_cb(&ordinals, |term| terms.push(term.to_owned()))?;
    if terms.len() < places.len() {
        return Err(damaged("a dictionary lacks a text of its column"));
    }
    let mut texts = vec![String::new(); docs.len()];
    for (term, (_, place)) in terms.into_iter().zip(places) {
        texts[place] = String::from_utf8(term)
            .map_err(|_| damaged("a dictionary has a text that is not UTF-8"))?;
    }
    Ok(texts)
}

/// The best documents of one segment. The heap's top is the worst of them.
struct SegmentTop<'a> {
    heap: BinaryHeap<(Reverse<Rank>, (u64, u64), DocId)>,
    limit: usize,
    floor: Rank,
    names: Names,
    segment: &'a SegmentReader,
    allowed: Option<Arc<Docs>>,
}

impl<'a> SegmentTop<'a> {
    fn new(
        segment: &'a SegmentReader,
        allowed: Option<Arc<Docs>>,
        limit: usize,
        floor: Rank,
    ) -> tantivy::Result<Self> {
        Ok(Self {
            heap: BinaryHeap::with_capacity(limit.min(1024)),
            limit,
            floor,
            names: Names::open(segment)?,
            segment,
            allowed,
        })
    }

    /// Documents of this score or less are of no use. One that ties with the
    /// worst may be: the order of ids decides.
    fn threshold(&self) -> Score {
        let worst = match self.heap.peek() {
            Some((Reverse(rank), ..)) if self.heap.len() == self.limit => *rank,
            _ => Rank::LEAST,
        };
        worst.max(self.floor).score_below()
    }

    fn offer(&mut self, rank: Rank, doc: DocId) {
        let is_full = self.heap.len() == self.limit;
        let worst = self.heap.peek().filter(|_| is_full);
        if rank < self.floor || worst.is_some_and(|(Reverse(worst), ..)| rank < *worst) {
            return;
        }
        let is_alive = self
            .segment
            .alive_bitset()
            .is_none_or(|alive| alive.is_alive(doc));
        if !is_alive
            || self
                .allowed
                .as_ref()
                .is_some_and(|docs| !docs.contains(doc))
        {
            return;
        }
        let item = (Reverse(rank), self.names.tie(doc), doc);
        if worst.is_some_and(|worst| item >= *worst) {
            return;
        }
        if is_full {
            self.heap.pop();
        }
        self.heap.push(item);
    }

    fn into_found(self) -> impl Iterator<Item = (Rank, DocId)> {
        self.heap
            .into_iter()
            .map(|(Reverse(rank), _, doc)| (rank, doc))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_keep_the_order_of_scores_and_the_threshold_hides_no_tie(
            a in 0f32..100.0, b in 0f32..100.0,
        ) {
            let (low, high) = if a <= b { (a, b) } else { (b, a) };
            prop_assert!(Rank::of_score(low) <= Rank::of_score(high));
            let below = Rank::of_score(low).score_below();
            prop_assert!(below < low);
            prop_assert!((Rank::of_score(a).score() - f64::from(a)).abs() <= f64::from(a) * 1e-5);
        }

        #[test]
        fn ranks_keep_the_order_of_time(a: i64, b: i64) {
            prop_assert_eq!(Rank::of_time(a).cmp(&Rank::of_time(b)), a.cmp(&b));
            prop_assert_eq!(Rank::of_time(a).micros(), a);
        }
    }
}
