//! The contract of a vector index.

use std::cell::Cell;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::{files_of, replace};
use crate::{
    Access, Bitmap, FilterKey, IndexError, PassageHit, VectorChanges, VectorEngine, VectorIndex,
    VectorSpec,
};

/// Checks an engine of vectors, with indexes in folders below this one.
///
/// # Panics
/// The engine does not keep the contract; the message says where.
pub fn check_vectors(engine: &dyn VectorEngine, folder: &Path) {
    let case = |name: &str| Case {
        engine,
        folder: folder.join(name),
    };
    case("changes").changes_are_found_at_once_and_kept_by_a_commit();
    case("replaced").what_was_replaced_or_deleted_is_not_found();
    case("filtered").a_filter_is_read_once_for_a_key();
    case("refused").vectors_that_cannot_be_compared_are_left_out();
    case("other").an_index_of_other_records_is_refused();
    case("stale").another_process_sees_that_files_changed();
    case("merged").merging_changes_no_result();
    case("damaged").no_damage_passes_unnoticed();
}

struct Case<'e> {
    engine: &'e dyn VectorEngine,
    folder: std::path::PathBuf,
}

const DIMENSION: usize = 64;

/// A vector near to one axis.
fn vector(axis: usize) -> Vec<f32> {
    let value = |at| match at == axis {
        true => 1.0,
        false => 0.01 * (at % 7) as f32,
    };
    (0..DIMENSION).map(value).collect()
}

/// One passage of each entry, along the axis of its row.
fn changes(docs: std::ops::Range<i64>, reached: i64) -> VectorChanges {
    let axis = |doc: i64| usize::try_from(doc).unwrap_or(0) % DIMENSION;
    VectorChanges {
        docs: docs.clone().collect(),
        vectors: docs.map(|doc| (doc, 0, vector(axis(doc)))).collect(),
        reached,
        mark: Some(reached * 7),
        more: false,
    }
}

fn spec() -> VectorSpec {
    VectorSpec {
        model: "conformance".to_owned(),
        dimension: DIMENSION,
    }
}

fn key(name: &str) -> FilterKey {
    FilterKey {
        name: name.to_owned(),
        generation: 1,
    }
}

fn nearest(index: &dyn VectorIndex, axis: usize, limit: usize) -> Vec<PassageHit> {
    let found = index.search(&vector(axis), limit, &key("all"), &|| Ok(None));
    found.expect("a vector of the model can be searched")
}

fn docs(hits: &[PassageHit]) -> Vec<i64> {
    hits.iter().map(|hit| hit.doc).collect()
}

impl Case<'_> {
    fn open(&self, access: Access) -> Arc<dyn VectorIndex> {
        let opened = self.engine.open(&self.folder, &spec(), access);
        opened.expect("the index can be opened")
    }

    /// An index with the entries 1 to 20 on disk.
    fn filled(&self) -> Arc<dyn VectorIndex> {
        let index = self.open(Access::Write);
        index
            .apply(&changes(1..21, 5))
            .expect("changes are taken over");
        index.commit().expect("the index can be committed");
        index
    }

    fn changes_are_found_at_once_and_kept_by_a_commit(&self) {
        let index = self.open(Access::Write);
        assert_eq!(
            (index.applied(), index.committed(), index.vectors()),
            (0, 0, 0)
        );
        assert!(nearest(index.as_ref(), 1, 10).is_empty());
        index
            .apply(&changes(1..11, 3))
            .expect("changes are taken over");
        assert_eq!((index.applied(), index.mark()), (3, Some(21)));
        assert_eq!((index.committed(), index.uncommitted()), (0, 10));
        let hits = nearest(index.as_ref(), 4, 3);
        assert_eq!((hits.len(), hits[0].doc, hits[0].ordinal), (3, 4, 0));
        assert!(hits[0].cosine > 0.999 && hits.is_sorted_by(|a, b| a.cosine >= b.cosine));
        index.commit().expect("the index can be committed");
        assert_eq!((index.committed(), index.uncommitted()), (3, 0));
        index
            .apply(&changes(11..14, 9))
            .expect("changes are taken over");
        drop(index);
        // What was not committed is lost with the process, and says so.
        let index = self.open(Access::Read);
        assert_eq!(
            (index.applied(), index.committed(), index.mark()),
            (3, 3, Some(21))
        );
        assert_eq!((index.vectors(), index.entries()), (10, 10));
        assert_eq!(docs(&nearest(index.as_ref(), 4, 1)), [4]);
    }

    fn what_was_replaced_or_deleted_is_not_found(&self) {
        let index = self.filled();
        let replaced = VectorChanges {
            docs: vec![3, 4],
            vectors: vec![(3, 0, vector(50)), (3, 1, vector(51))],
            ..changes(0..0, 6)
        };
        index.apply(&replaced).expect("changes are taken over");
        for is_on_disk in [false, true] {
            if is_on_disk {
                index.commit().expect("the index can be committed");
            }
            let index = match is_on_disk {
                true => self.open(Access::Read),
                false => Arc::clone(&index),
            };
            assert_eq!((index.vectors(), index.entries()), (20, 19));
            assert!(index.passages_per_entry() >= 1.0);
            let hits = nearest(index.as_ref(), 51, 1);
            assert_eq!((hits[0].doc, hits[0].ordinal), (3, 1));
            assert!(!docs(&nearest(index.as_ref(), 4, 20)).contains(&4));
            assert_eq!(index.vectors_except(&HashSet::from([3, 99])), 18);
            let held = [(3, 0, vector(50)), (5, 0, vector(5)), (4, 0, vector(4))];
            assert_eq!(index.differing(&held), 1, "entry 4 is gone");
            assert_eq!(index.differing(&[(5, 0, vector(6))]), 1);
        }
    }

    fn a_filter_is_read_once_for_a_key(&self) {
        let index = self.filled();
        let reads = Cell::new(0);
        let search = |name: &str, allowed: &[usize]| {
            let rows = || {
                reads.set(reads.get() + 1);
                let mut rows = Bitmap::new(30);
                allowed.iter().for_each(|row| rows.set(*row));
                Ok(Some(rows))
            };
            let found = index.search(&vector(4), 20, &key(name), &rows);
            let mut found = docs(&found.expect("a filter can be applied"));
            found.sort_unstable();
            found
        };
        assert_eq!(search("two", &[4, 9, 29]), [4, 9]);
        assert!(search("none", &[]).is_empty());
        assert!(reads.get() >= 2);
        index
            .apply(&changes(29..30, 6))
            .expect("changes are taken over");
        assert_eq!(
            search("two", &[4, 9, 29]),
            [4, 9, 29],
            "rows were added since"
        );
        let failed = index.search(&vector(4), 1, &key("failing"), &|| {
            Err(IndexError::Unsupported { action: "filter" })
        });
        assert!(matches!(failed, Err(IndexError::Unsupported { .. })));
    }

    fn vectors_that_cannot_be_compared_are_left_out(&self) {
        let index = self.open(Access::Write);
        let mut broken = changes(1..5, 1);
        broken.vectors[1].2[3] = f32::NAN;
        broken.vectors[2].2.pop();
        index.apply(&broken).expect("the others are taken over");
        assert_eq!((index.applied(), index.vectors()), (1, 2));
        assert!(index.search(&[1.0], 1, &key("all"), &|| Ok(None)).is_err());
        let infinite = [f32::INFINITY; DIMENSION];
        assert!(
            index
                .search(&infinite, 1, &key("all"), &|| Ok(None))
                .is_err()
        );
    }

    fn an_index_of_other_records_is_refused(&self) {
        drop(self.filled());
        let other = VectorSpec {
            model: "another".to_owned(),
            ..spec()
        };
        let refused = self.engine.open(&self.folder, &other, Access::Write);
        assert!(refused.is_err_and(|error| error.is_damage()));
        let index = self.engine.create(&self.folder, &other);
        let index = index.expect("an index can be started again");
        assert_eq!(
            (index.applied(), index.committed(), index.vectors()),
            (0, 0, 0)
        );
    }

    fn another_process_sees_that_files_changed(&self) {
        let writer = self.filled();
        let reader = self.open(Access::Read);
        assert!(!reader.is_stale() && !writer.is_stale());
        // Times of files may be as coarse as 10 ms.
        std::thread::sleep(std::time::Duration::from_millis(20));
        writer
            .apply(&changes(21..23, 6))
            .expect("changes are taken over");
        writer.commit().expect("the index can be committed");
        assert!(reader.is_stale() && !writer.is_stale());
        assert_eq!(reader.vectors(), 20, "what is open stays as it is");
        assert_eq!(self.open(Access::Read).vectors(), 22);
    }

    fn merging_changes_no_result(&self) {
        let index = self.open(Access::Write);
        for first in 0..20 {
            let own = changes(1 + 3 * first..4 + 3 * first, 1 + first);
            index.apply(&own).expect("changes are taken over");
            index.commit().expect("the index can be committed");
        }
        let before = nearest(index.as_ref(), 7, 60);
        index.compact().expect("the index can be merged");
        assert_eq!(nearest(index.as_ref(), 7, 60), before);
        assert_eq!(nearest(self.open(Access::Read).as_ref(), 7, 60), before);
        assert!(index.damage().is_empty());
    }

    fn no_damage_passes_unnoticed(&self) {
        let sound = nearest(self.filled().as_ref(), 4, 20);
        for file in files_of(&self.folder) {
            let intact = std::fs::read(&file).expect("a file of the index can be read");
            let mut flipped = intact.clone();
            flipped[intact.len() / 2] ^= 0x10;
            for bytes in [&flipped[..], &intact[..intact.len() / 2], &[]] {
                replace(&file, bytes);
                let opened = self.engine.open(&self.folder, &spec(), Access::Read);
                match opened {
                    Err(error) => assert!(error.is_damage(), "{}: {error}", file.display()),
                    // A file that is of no matter, such as a list of what was verified.
                    Ok(index) => assert_eq!(nearest(index.as_ref(), 4, 20), sound),
                }
                replace(&file, &intact);
            }
        }
        let index = self.open(Access::Inspect);
        assert!(index.damage().is_empty());
    }
}
