//! A server that fails, is slow or away, or has lost what it was given.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gannet_index::{
    Access, Bitmap, FilterKey, IndexError, VectorChanges, VectorEngine, VectorIndex, VectorSpec,
    configured_vector_engine,
};
use serde_json::json;

use crate::fake_qdrant::FakeQdrant;
use crate::{engine_for, settings_for};

fn spec() -> VectorSpec {
    VectorSpec {
        model: "tiny".to_owned(),
        dimension: 2,
    }
}

/// The direction of a row, one degree each.
fn direction(doc: i64) -> Vec<f32> {
    let angle = (doc as f32).to_radians();
    vec![angle.cos(), angle.sin()]
}

/// Entries with so many passages each, all in the direction of the entry.
fn changes(docs: &[i64], passages: i64, reached: i64) -> VectorChanges {
    let vectors = docs.iter().flat_map(|doc| {
        let passage = move |ordinal| (*doc, ordinal, direction(*doc));
        (0..passages).map(passage)
    });
    VectorChanges {
        docs: docs.to_vec(),
        vectors: vectors.collect(),
        reached,
        mark: Some(reached),
        more: false,
    }
}

fn filled(engine: &dyn VectorEngine, folder: &Path) -> Arc<dyn VectorIndex> {
    let index = engine.open(folder, &spec(), Access::Write).unwrap();
    index.apply(&changes(&[1, 2, 3], 2, 5)).unwrap();
    index.commit().unwrap();
    index
}

/// Rows and ordinals by their nearness to a row.
fn found(index: &dyn VectorIndex, doc: i64, limit: usize) -> Vec<(i64, i64)> {
    let key = FilterKey {
        name: "all".to_owned(),
        generation: 1,
    };
    let hits = index.search(&direction(doc), limit, &key, &|| Ok(None));
    let hits = hits.unwrap();
    hits.iter().map(|hit| (hit.doc, hit.ordinal)).collect()
}

#[test]
fn a_commit_that_fails_anywhere_loses_and_doubles_nothing() {
    // State, state before, delete, points, state after: each of its requests.
    let faults = [
        ("POST /", 0),
        ("PUT /", 0),
        ("points/delete", 0),
        ("PUT /", 1),
        ("PUT /", 2),
    ];
    for (part, passing) in faults {
        for is_restarted in [false, true] {
            let server = FakeQdrant::start();
            let engine = engine_for(&server);
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path().join("tiny");
            let mut index = filled(engine.as_ref(), &folder);
            index.apply(&changes(&[2], 3, 6)).unwrap();
            // New: none of its passages is on the server yet.
            index.apply(&changes(&[4], 3, 7)).unwrap();
            index.apply(&changes(&[3], 0, 8)).unwrap();
            server.fail(part, passing);
            let refused = index.commit().unwrap_err();
            assert!(matches!(refused, IndexError::Failed(_)), "{refused}");
            assert!(refused.to_string().contains("out of disk"), "{refused}");
            server.recover();
            if !is_restarted {
                let now = found(index.as_ref(), 4, 4);
                assert_eq!(now, [(4, 0), (4, 1), (4, 2), (2, 0)], "{part} {passing}");
                // Entry 4 loses the passages that may be on the server.
                index.apply(&changes(&[4], 1, 9)).unwrap();
            } else {
                index = engine.open(&folder, &spec(), Access::Write).unwrap();
                assert_eq!((index.applied(), index.mark()), (5, Some(5)));
                index.apply(&changes(&[2], 3, 7)).unwrap();
                index.apply(&changes(&[3], 0, 8)).unwrap();
                index.apply(&changes(&[4], 1, 9)).unwrap();
            }
            index.commit().unwrap();
            for index in [
                Arc::clone(&index),
                engine.open(&folder, &spec(), Access::Read).unwrap(),
            ] {
                assert_eq!((index.vectors(), index.entries()), (6, 3));
                let expected = [(4, 0), (2, 0), (2, 1), (2, 2), (1, 0), (1, 1)];
                assert_eq!(found(index.as_ref(), 4, 20), expected, "{part} {passing}");
                assert!(index.damage().is_empty() && index.committed() == 9);
            }
            assert!(server.refused().is_empty(), "{:?}", server.refused());
        }
    }
}

#[test]
fn what_the_server_lost_is_noticed_and_calls_for_a_rebuild() {
    let server = FakeQdrant::start();
    let engine = engine_for(&server);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("tiny");
    let index = filled(engine.as_ref(), &folder);
    let opened = || engine.open(&folder, &spec(), Access::Write).err();
    assert!(opened().is_none());
    server.change(|collection| {
        collection.points.remove(&(2 << 20)).unwrap();
    });
    assert!(opened().is_some_and(|error| error.is_damage()));
    assert_eq!(index.damage().len(), 1);
    server.drop_collections();
    assert!(!index.is_stale());
    let gone = index.apply(&changes(&[9], 1, 6)).unwrap_err();
    assert!(
        gone.is_damage() && gone.to_string().contains("is gone"),
        "{gone}"
    );
    assert!(index.is_stale(), "it is to be opened again");
    assert!(opened().is_some_and(|error| error.is_damage()));
    let index = engine.create(&folder, &spec()).unwrap();
    assert_eq!((index.applied(), index.vectors()), (0, 0));
    index.apply(&changes(&[9], 1, 6)).unwrap();
    index.commit().unwrap();
    assert_eq!(found(index.as_ref(), 9, 5), [(9, 0)]);
}

#[test]
fn a_collection_that_somebody_else_wrote_is_not_written_on() {
    let server = FakeQdrant::start();
    let engine = engine_for(&server);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("tiny");
    let index = filled(engine.as_ref(), &folder);
    let other = engine.open(&folder, &spec(), Access::Write).unwrap();
    other.apply(&changes(&[7], 1, 6)).unwrap();
    other.commit().unwrap();
    index.apply(&changes(&[8], 1, 6)).unwrap();
    let refused = index.commit().unwrap_err();
    assert!(refused.to_string().contains("another program"), "{refused}");
    assert!(index.is_stale());
}

#[test]
fn a_server_that_is_away_or_slow_is_an_error_and_is_left_alone_for_a_while() {
    let server = FakeQdrant::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("tiny");
    let mut settings = settings_for(&server);
    settings.insert("timeout_seconds".to_owned(), json!(0.2));
    settings.insert("pause_seconds".to_owned(), json!(0.5));
    let engine = configured_vector_engine("qdrant", &settings).unwrap();
    let index = filled(engine.as_ref(), &folder);
    server.be_slow(Duration::from_secs(1));
    let slow = index.apply(&changes(&[4], 1, 6)).unwrap_err();
    assert!(matches!(slow, IndexError::Failed(_)), "{slow}");
    assert!(slow.to_string().contains("takes too long"), "{slow}");
    server.recover();
    let begun = Instant::now();
    let again = index.apply(&changes(&[4], 1, 6)).unwrap_err();
    assert_eq!(again.to_string(), slow.to_string());
    assert!(begun.elapsed() < Duration::from_millis(150));
    std::thread::sleep(Duration::from_millis(600));
    index.apply(&changes(&[4], 1, 6)).unwrap();
    assert_eq!(found(index.as_ref(), 4, 1), [(4, 0)]);
    server.be_gone();
    let gone = index.commit().unwrap_err();
    assert!(matches!(gone, IndexError::Failed(_)), "{gone}");
    assert_eq!((index.applied(), index.committed()), (6, 5));
    let unreachable = engine.open(&folder, &spec(), Access::Read).err();
    assert!(unreachable.is_some_and(|error| !error.is_damage()));
}

#[test]
fn a_filter_that_is_too_long_for_the_server_finds_the_same() {
    let server = FakeQdrant::start();
    let engine = engine_for(&server);
    let folder = tempfile::tempdir().unwrap();
    let index = engine
        .open(&folder.path().join("tiny"), &spec(), Access::Write)
        .unwrap();
    let docs: Vec<i64> = (1..90).collect();
    index.apply(&changes(&docs, 1, 5)).unwrap();
    index.commit().unwrap();
    let allowed = |length: usize| {
        let mut rows = Bitmap::new(length);
        (1..length).step_by(2).for_each(|row| rows.set(row));
        let key = FilterKey {
            name: length.to_string(),
            generation: 1,
        };
        let rows = || Ok(Some(rows.clone()));
        let hits = index.search(&direction(40), 5, &key, &rows).unwrap();
        let mut docs: Vec<i64> = hits.iter().map(|hit| hit.doc).collect();
        docs.sort_unstable();
        docs
    };
    assert_eq!(allowed(90).len(), 5);
    let queries = |requests: Vec<String>| {
        let is_query = |asked: &&String| asked.contains("points/query");
        requests.iter().filter(is_query).count()
    };
    assert_eq!(queries(server.requests()), 1);
    // Sorted out here, so that more is asked for.
    let hits = allowed(200_000);
    assert!(hits.contains(&39) && hits.contains(&41) && hits.len() == 5);
    assert!(hits.iter().all(|doc| doc % 2 == 1));
    assert_eq!(queries(server.requests()), 2);
}
