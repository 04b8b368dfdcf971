//! Rules of the whole index: what it finds and what it refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::testing::{exact_keys, found_keys, spec};
use gannet_index::Bitmap;
use gannet_vectors::InvalidVector;
use gannet_vectors::testing::Random;

use super::{FlatIndex, MAX_SEGMENTS, VectorError};

pub(super) const DIMENSION: usize = 48;

pub(super) type NamedVectors = Vec<(u64, Vec<f32>)>;

/// Random vectors with keys in no order.
pub(super) fn vectors(count: usize, dimension: usize, seed: u64) -> NamedVectors {
    let mut random = Random::new(seed);
    (0..count as u64)
        .map(|number| {
            (
                number.wrapping_mul(0x9e37_79b9) % 1_000_003,
                random.vector(dimension),
            )
        })
        .collect()
}

pub(super) fn index_of(folder: &Path, rows: &NamedVectors) -> FlatIndex {
    let mut index = FlatIndex::open(folder, spec(rows[0].1.len())).unwrap();
    insert_all(&mut index, rows);
    index
}

pub(super) fn insert_all(index: &mut FlatIndex, rows: &[(u64, Vec<f32>)]) {
    for (key, vector) in rows {
        index.insert(*key, vector).unwrap();
    }
}

pub(super) fn bitmap_where(length: usize, wanted: impl Fn(usize) -> bool) -> Bitmap {
    let mut bitmap = Bitmap::new(length);
    (0..length)
        .filter(|&row| wanted(row))
        .for_each(|row| bitmap.set(row));
    bitmap
}

/// A sealed index of 100 rows, for tests of damage.
pub(super) fn sealed_index() -> (TempDir, NamedVectors) {
    let folder = tempfile::tempdir().unwrap();
    let rows = vectors(100, DIMENSION, 5);
    index_of(folder.path(), &rows).seal(9).unwrap();
    (folder, rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_search_is_exact_among_few_rows_wherever_they_lie(
        seed in any::<u64>(),
        count in 1usize..400,
        limit in 0usize..50,
        seals in proptest::collection::vec(0usize..400, 0..4),
        keep_one_in in 1usize..6,
    ) {
        let rows = vectors(count, DIMENSION, seed);
        let folder = tempfile::tempdir().unwrap();
        let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
        for (number, (key, vector)) in rows.iter().enumerate() {
            index.insert(*key, vector).unwrap();
            if seals.contains(&number) {
                index.seal(number as u64).unwrap();
            }
        }
        let query = Random::new(!seed).vector(DIMENSION);
        prop_assert_eq!(
            found_keys(&index, &query, limit, None),
            exact_keys(&rows, &query, limit, |_| true)
        );
        let allowed = bitmap_where(count, |row| row % keep_one_in == 0);
        prop_assert_eq!(
            found_keys(&index, &query, limit, Some(&allowed)),
            exact_keys(&rows, &query, limit, |row| allowed.get(row))
        );
    }

    #[test]
    fn deletions_hold_through_sealing_compacting_and_opening(
        seed in any::<u64>(),
        deleted_in_hundred in 0usize..100,
    ) {
        let rows = vectors(300, DIMENSION, seed);
        let deleted = |row: usize| row * 37 % 100 < deleted_in_hundred;
        let folder = tempfile::tempdir().unwrap();
        let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
        for part in rows.chunks(100) {
            insert_all(&mut index, part);
            index.seal(1).unwrap();
        }
        index.delete(&bitmap_where(300, deleted)).unwrap();
        let query = Random::new(!seed).vector(DIMENSION);
        let expected = exact_keys(&rows, &query, 300, |row| !deleted(row));
        prop_assert_eq!(found_keys(&index, &query, 300, None), expected.clone());
        index.seal(2).unwrap();
        index.compact().unwrap();
        prop_assert_eq!(found_keys(&index, &query, 300, None), expected.clone());
        let opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
        prop_assert_eq!(found_keys(&opened, &query, 300, None), expected.clone());
        prop_assert_eq!(opened.live_rows(), expected.len());
        opened.verify().unwrap();
    }
}

#[test]
fn equal_vectors_come_in_the_order_of_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = FlatIndex::open(folder.path(), spec(3)).unwrap();
    for key in [500, 3, 80, 7, 900, 1] {
        index.insert(key, &[1.0, 2.0, 3.0]).unwrap();
    }
    assert_eq!(found_keys(&index, &[3.0, 2.0, 1.0], 4, None), [1, 3, 7, 80]);
    // More of them than are rescored.
    for key in 1_000..2_000 {
        index.insert(3_000 - key, &[1.0, 2.0, 3.0]).unwrap();
    }
    index.seal(1).unwrap();
    assert_eq!(found_keys(&index, &[3.0, 2.0, 1.0], 3, None), [1, 3, 7]);
}

#[test]
fn cosines_are_those_of_the_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = FlatIndex::open(folder.path(), spec(2)).unwrap();
    index.insert(1, &[3.0, 4.0]).unwrap();
    index.insert(2, &[0.0, 0.0]).unwrap();
    index.insert(3, &[-1.0, 0.0]).unwrap();
    let hits = index.search(&[10.0, 0.0], 3, None).unwrap();
    assert_eq!(
        hits.iter().map(|hit| hit.key).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!((hits[0].cosine - 0.6).abs() < 1e-6);
    assert_eq!(hits[1].cosine, 0.0);
    assert_eq!(hits[2].cosine, -1.0);
    assert_eq!(index.vector(2), Some(vec![-1.0, 0.0]));
    assert_eq!(index.vector(3), None);
}

/// Vectors around common centres, as texts about common topics have.
fn clustered(count: usize, dimension: usize, seed: u64) -> NamedVectors {
    let mut random = Random::new(seed);
    let centres: Vec<Vec<f32>> = (0..count / 100).map(|_| random.vector(dimension)).collect();
    let vector = |key| {
        let centre = &centres[random.below(centres.len())];
        let noise = random.vector(dimension);
        (
            key,
            centre.iter().zip(noise).map(|(c, n)| c + 0.8 * n).collect(),
        )
    };
    (0..count as u64).map(vector).collect()
}

#[test]
fn the_scan_of_signs_finds_what_the_exact_search_finds() {
    let rows = clustered(22_000, 128, 7);
    let folder = tempfile::tempdir().unwrap();
    let mut index = index_of(folder.path(), &rows);
    index.seal(1).unwrap();
    let allowed = bitmap_where(rows.len(), |row| row % 15 != 0);
    let (mut found, mut found_filtered) = (0, 0);
    for row in (0..rows.len()).step_by(2_200) {
        // A query that is no row, about the topic of one.
        let mut random = Random::new(row as u64 + 99);
        let query: Vec<f32> = rows[row]
            .1
            .iter()
            .map(|v| v + 0.5 * random.normal())
            .collect();
        let exact = exact_keys(&rows, &query, 10, |_| true);
        let hits = found_keys(&index, &query, 10, None);
        found += hits.iter().filter(|key| exact.contains(key)).count();
        let exact = exact_keys(&rows, &query, 10, |row| allowed.get(row));
        let hits = found_keys(&index, &query, 10, Some(&allowed));
        found_filtered += hits.iter().filter(|key| exact.contains(key)).count();
        assert!(hits.iter().all(|key| key % 15 != 0));
    }
    assert!(found >= 98, "{found} of 100");
    assert!(found_filtered >= 98, "{found_filtered} of 100");
}

#[test]
fn one_segment_many_segments_and_a_tail_find_the_same() {
    let rows = clustered(21_000, 128, 8);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut whole = index_of(folders[0].path(), &rows);
    whole.seal(1).unwrap();
    let mut parts = FlatIndex::open(folders[1].path(), spec(128)).unwrap();
    insert_all(&mut parts, &rows[..10_000]);
    parts.seal(1).unwrap();
    for part in rows[10_000..20_000].chunks(1_000) {
        insert_all(&mut parts, part);
        parts.seal(1).unwrap();
    }
    insert_all(&mut parts, &rows[20_000..]);
    assert_eq!(parts.segments(), 11);
    let queries = || rows.iter().step_by(1_999).map(|(_, vector)| vector);
    for query in queries() {
        assert_eq!(
            found_keys(&parts, query, 5, None),
            found_keys(&whole, query, 5, None)
        );
    }
    assert!(parts.compact().unwrap());
    assert_eq!(
        (parts.segments(), parts.tail_rows(), parts.layout()),
        (1, 1_000, 1)
    );
    for query in queries() {
        assert_eq!(
            found_keys(&parts, query, 5, None),
            found_keys(&whole, query, 5, None)
        );
    }
}

#[test]
fn an_opened_index_is_the_one_that_was_sealed() {
    let (folder, rows) = sealed_index();
    let opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!(
        (opened.rows(), opened.applied_seq(), opened.segments()),
        (100, 9, 1)
    );
    assert!(opened.row_keys().eq(rows.iter().map(|row| row.0)));
    let query = &rows[42].1;
    let in_memory = index_of(tempfile::tempdir().unwrap().path(), &rows);
    assert_eq!(
        opened.search(query, 20, None).unwrap(),
        in_memory.search(query, 20, None).unwrap()
    );
}

#[test]
fn changes_during_a_compaction_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let rows = vectors(200, DIMENSION, 11);
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    for part in rows[..180].chunks(20) {
        insert_all(&mut index, part);
        index.seal(1).unwrap();
    }
    assert_eq!(index.segments(), MAX_SEGMENTS + 1);
    index.delete_where(|key| key == rows[5].0);
    let merged = index.plan_compaction().unwrap().run().unwrap();
    index.delete_where(|key| key == rows[6].0);
    insert_all(&mut index, &rows[180..190]);
    index.seal(2).unwrap();
    insert_all(&mut index, &rows[190..]);
    index.delete_where(|key| key == rows[195].0);
    assert!(index.finish_compaction(merged).unwrap());
    assert_eq!(index.segments(), 2);
    let alive = |row: usize| ![5, 6, 195].contains(&row);
    let query = &rows[6].1;
    assert_eq!(
        found_keys(&index, query, 200, None),
        exact_keys(&rows, query, 200, alive)
    );
    index.seal(3).unwrap();
    let opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!(
        found_keys(&opened, query, 200, None),
        exact_keys(&rows, query, 200, alive)
    );
}

#[test]
fn a_compaction_whose_sources_are_gone_changes_nothing() {
    let (folder, _) = sealed_index();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    index.delete(&bitmap_where(100, |row| row < 50)).unwrap();
    let late = index.plan_compaction().unwrap().run().unwrap();
    assert!(index.compact().unwrap());
    assert!(!index.finish_compaction(late).unwrap());
    assert_eq!((index.rows(), index.segments()), (50, 1));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_segment_without_live_rows_disappears() {
    let (folder, _) = sealed_index();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!(index.delete_where(|_| true), 100);
    assert!(index.compact().unwrap());
    assert_eq!((index.rows(), index.segments()), (0, 0));
    assert!(!index.compact().unwrap());
    assert_eq!(
        FlatIndex::open(folder.path(), spec(DIMENSION))
            .unwrap()
            .rows(),
        0
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let (folder, rows) = sealed_index();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    let short = &rows[0].1[1..];
    assert!(matches!(
        index.insert(1, short),
        Err(VectorError::Invalid(InvalidVector::WrongDimension { .. }))
    ));
    assert!(matches!(
        index.search(short, 1, None),
        Err(VectorError::Invalid(InvalidVector::WrongDimension { .. }))
    ));
    let mut infinite = rows[0].1.clone();
    infinite[3] = f32::INFINITY;
    assert!(matches!(
        index.insert(1, &infinite),
        Err(VectorError::Invalid(InvalidVector::NotFinite))
    ));
    let filter = Bitmap::full(99);
    let refused = index.search(&rows[0].1, 1, Some(&filter));
    assert!(matches!(
        refused,
        Err(VectorError::WrongFilter {
            expected: 100,
            found: 99
        })
    ));
    assert_eq!(index.rows(), 100);
    let refused = FlatIndex::open(folder.path(), spec(0));
    assert!(matches!(refused, Err(VectorError::UnsupportedDimension(0))));
}
