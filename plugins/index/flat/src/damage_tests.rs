//! What is left of an index after a crash, and how damage is noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use super::manifest::{manifest_path, segment_path};
use super::rows::Row;
use super::segment_writer::prepare_segment;
use super::testing::spec;
use super::tests::{DIMENSION, bitmap_where, insert_all, sealed_index};
use super::{FlatIndex, VectorError};
use gannet_vectors::quantize::Codes;

#[test]
fn rows_that_were_not_sealed_are_gone_and_the_sequence_says_so() {
    let (folder, rows) = sealed_index();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    index.insert(1, &rows[0].1).unwrap();
    index.delete_where(|key| key == rows[3].0);
    drop(index);
    let opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!(
        (opened.rows(), opened.live_rows(), opened.applied_seq()),
        (100, 100, 9)
    );
}

#[test]
fn a_crash_before_a_segment_has_its_name_leaves_the_old_state() {
    let (folder, rows) = sealed_index();
    let row = Row {
        key: 1,
        codes: Codes {
            scale: 1.0,
            int8: &[1; 64],
            lower: &[1; 64],
        },
    };
    let path = segment_path(folder.path(), 1);
    // Forgotten, as by a process that is killed: the unfinished file stays.
    std::mem::forget(prepare_segment(&path, &spec(DIMENSION), 10, &[row]).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    let mut opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!((opened.rows(), opened.applied_seq()), (100, 9));
    opened.insert(2, &rows[0].1).unwrap();
    opened.seal(10).unwrap();
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        3,
        "the leftover was used up"
    );
}

#[test]
fn a_crash_before_the_manifest_is_replaced_leaves_the_old_state() {
    let (folder, rows) = sealed_index();
    let old_manifest = fs::read(manifest_path(folder.path())).unwrap();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    insert_all(&mut index, &rows[..5]);
    index.seal(10).unwrap();
    fs::write(manifest_path(folder.path()), old_manifest).unwrap();
    let mut opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!((opened.rows(), opened.applied_seq()), (100, 9));
    insert_all(&mut opened, &rows[..7]);
    opened.seal(11).unwrap();
    let opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!((opened.rows(), opened.applied_seq()), (107, 11));
    opened.verify().unwrap();
}

#[test]
fn a_crash_before_old_segments_are_removed_costs_only_their_space() {
    let (folder, rows) = sealed_index();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    let old_segment = fs::read(segment_path(folder.path(), 0)).unwrap();
    index
        .delete(&bitmap_where(100, |row| row % 2 == 0))
        .unwrap();
    assert!(index.compact().unwrap());
    index.seal(10).unwrap();
    assert!(!segment_path(folder.path(), 0).exists());
    fs::write(segment_path(folder.path(), 0), old_segment).unwrap();
    let mut opened = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!(opened.rows(), 50);
    insert_all(&mut opened, &rows[..1]);
    opened.seal(11).unwrap();
    assert!(!segment_path(folder.path(), 0).exists());
}

#[test]
fn every_cut_of_a_segment_is_refused_when_it_is_opened() {
    let (folder, _) = sealed_index();
    let path = segment_path(folder.path(), 0);
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(61) {
        fs::write(&path, &whole[..length]).unwrap();
        let refused = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap_err();
        assert!(refused.calls_for_rebuild(), "{length}: {refused}");
    }
    fs::remove_file(&path).unwrap();
    let refused = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap_err();
    assert!(refused.calls_for_rebuild(), "gone: {refused}");
}

#[test]
fn every_changed_byte_of_a_section_is_found_by_verify() {
    let (folder, rows) = sealed_index();
    let path = segment_path(folder.path(), 0);
    let whole = fs::read(&path).unwrap();
    let mut noticed = 0;
    let places: Vec<usize> = (0..whole.len()).step_by(97).collect();
    for &place in &places {
        let mut changed = whole.clone();
        changed[place] ^= 0x40;
        fs::write(&path, &changed).unwrap();
        match FlatIndex::open(folder.path(), spec(DIMENSION)) {
            Err(refused) => {
                assert!(refused.calls_for_rebuild());
                noticed += 1;
            }
            Ok(opened) => {
                // A damaged index still answers, and with numbers.
                let hits = opened.search(&rows[1].1, 100, None).unwrap();
                assert!(hits.iter().all(|hit| hit.cosine.is_finite()));
                noticed += usize::from(opened.verify().is_err());
            }
        }
    }
    // Only the padding between sections is in no checksum.
    assert!(
        noticed * 100 >= places.len() * 98,
        "{noticed} of {}",
        places.len()
    );
}

#[test]
fn damage_is_not_copied_by_compacting() {
    let (folder, _) = sealed_index();
    let path = segment_path(folder.path(), 0);
    let mut changed = fs::read(&path).unwrap();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    fs::write(&path, &changed).unwrap();
    let mut index = FlatIndex::open(folder.path(), spec(DIMENSION)).unwrap();
    index.delete(&bitmap_where(100, |row| row < 50)).unwrap();
    assert!(matches!(index.compact(), Err(VectorError::Corrupt { .. })));
    assert_eq!((index.rows(), index.segments()), (100, 1));
}

#[test]
fn a_rebuild_starts_empty_and_clears_the_folder() {
    let (folder, rows) = sealed_index();
    fs::write(manifest_path(folder.path()), "rubbish").unwrap();
    assert!(
        FlatIndex::open(folder.path(), spec(DIMENSION))
            .unwrap_err()
            .calls_for_rebuild()
    );
    let mut index = FlatIndex::create(folder.path(), spec(DIMENSION)).unwrap();
    assert_eq!((index.rows(), index.applied_seq()), (0, 0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    insert_all(&mut index, &rows);
    index.seal(9).unwrap();
    assert_eq!(
        FlatIndex::open(folder.path(), spec(DIMENSION))
            .unwrap()
            .rows(),
        100
    );
}
