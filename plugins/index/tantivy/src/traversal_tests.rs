//! Both ways over the documents rank alike.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_api::Entry;
use proptest::prelude::*;
use tantivy::IndexWriter;

use super::compile::Compiler;
use super::document::document_of;
use super::index::TantivyIndex;
use super::top::{Traversal, by_score};
use gannet_analysis::Wanted;
use gannet_index::{EntryRow, FieldWeights};

const WORDS: [&str; 12] = [
    "alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo", "lima", "oscar", "papa",
    "romeo",
];

/// A rank has 17 bits of a score. The sum of the same numbers in another order
/// may be rounded to the next rank.
const STEP: f64 = 1.0 / 65_536.0;

/// Word `n` is about half as frequent as word `n - 1`.
fn word() -> impl Strategy<Value = &'static str> {
    any::<u16>().prop_map(|bits| WORDS[(bits.leading_ones() as usize).min(WORDS.len() - 1)])
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..12).prop_map(|words| words.join(" "))
}

/// An index of some texts, in two segments.
fn index_of(texts: &[String]) -> TantivyIndex {
    let index = TantivyIndex::nothing(FieldWeights::default()).unwrap();
    let mut writer: IndexWriter = index.index.writer_with_num_threads(1, 15_000_000).unwrap();
    for (number, text) in texts.iter().enumerate() {
        let at = "2024-06-12T08:00:00Z".parse().unwrap();
        let mut entry = Entry::new(format!("{:03}", number * 37 % 1000), "test", at, text);
        entry.author = WORDS[number % WORDS.len()].to_owned();
        let row = EntryRow {
            doc: i64::try_from(number).unwrap(),
            created_seq: 0,
            entry,
        };
        writer
            .add_document(document_of(&row, &index.fields))
            .unwrap();
        if number == texts.len() / 2 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    index.reload().unwrap();
    index
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pruned_and_exhaustive_searches_rank_alike(
        texts in prop::collection::vec(text(), 1..300),
        query in prop::collection::vec((word(), 1_u8..4), 1..12),
        limit in 1_usize..40,
    ) {
        let index = index_of(&texts);
        let searcher = index.reader.searcher();
        let mut compiler = Compiler::new(&searcher, &index.fields, &index.filters, index.weights);
        let parts = query.into_iter().map(|(term, times)| {
            let one = Wanted::Word(vec![term.to_owned()]);
            Wanted::Repeated(Box::new(one), 1.0 + f32::from(times).ln())
        });
        let query = compiler.query(&Wanted::Any(parts.collect()), &[]).unwrap();
        let weight = query.weight(compiler.statistics.scoring()).unwrap();
        let allowed = vec![None; searcher.segment_readers().len()];
        let found = |traversal| {
            by_score(&searcher, weight.as_ref(), traversal, &allowed, limit).unwrap()
        };
        let (pruned, exhaustive) = (found(Traversal::Pruned), found(Traversal::Exhaustive));
        prop_assert_eq!(pruned.len(), exhaustive.len());
        for (one, other) in pruned.iter().zip(&exhaustive) {
            let (score, other_score) = (one.rank.score(), other.rank.score());
            prop_assert!((score - other_score).abs() <= score * STEP, "{one:?} {other:?}");
        }
        // Where the sequences differ, ranks of one step decide.
        for best in &pruned {
            let same = exhaustive.iter().find(|other| other.row == best.row);
            let worst = exhaustive.last().map_or(0.0, |last| last.rank.score());
            let score = same.map_or(worst, |same| same.rank.score());
            prop_assert!((score - best.rank.score()).abs() <= score * STEP, "{best:?}");
        }
    }
}
