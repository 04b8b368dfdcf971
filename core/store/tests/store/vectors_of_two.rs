//! Two processes on one folder: the one that opened it first writes the
//! indexes, the other one finds what either of them stored.
use std::time::{Duration, Instant};

use crate::common::vectors::{embedded, nearest, on_circle, search_vectors, with_vectors_of};
use crate::common::{fresh, ids};
use gannet_store::{Health, Store, StoreError, StoreOptions};

async fn second(folder: &std::path::Path) -> Store {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    assert!(!store.stats().await.unwrap().writer);
    store
}

#[tokio::test]
async fn the_one_that_does_not_write_finds_its_own_vectors_after_a_flush() {
    let (folder, _first) = fresh().await;
    let second = second(folder.path()).await;
    with_vectors_of(&second, 0..3).await;
    let found = search_vectors(&second, "tiny", &on_circle(2), 1).await;
    assert_eq!(ids(&found), ["e2"]);
    // Only vectors change: there is nothing that the text index would commit.
    let again = vec![embedded(2, "tiny", &[vec![-1.0, 0.0]])];
    second.save_enhanced("text_embedding", again).await.unwrap();
    second.flush().await.unwrap();
    let found = search_vectors(&second, "tiny", &[-1.0, 0.0], 1).await;
    assert_eq!(ids(&found), ["e2"]);
    assert!(found.hits[0].score > 0.999_9);
}

#[tokio::test]
async fn vectors_of_one_process_are_found_by_another_before_they_are_on_disk() {
    let (folder, first) = fresh().await;
    let second = second(folder.path()).await;
    with_vectors_of(&first, 0..3).await;
    let patience = Instant::now() + Duration::from_secs(5);
    loop {
        let asked = second.vector_search("default", nearest("tiny", &on_circle(1), 1));
        match asked.await {
            Ok(found) if ids(&found) == ["e1"] => break,
            Ok(_) | Err(StoreError::VectorsNotReady { .. } | StoreError::UnknownModel { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(Instant::now() < patience, "not found");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!folder.path().join("vectors/tiny/manifest").exists());
}

#[tokio::test]
async fn the_one_that_takes_over_goes_on_where_the_other_one_ended() {
    let (folder, first) = fresh().await;
    let second = second(folder.path()).await;
    with_vectors_of(&first, 0..3).await;
    with_vectors_of(&second, 3..6).await;
    first.close().await.unwrap();
    with_vectors_of(&second, 6..9).await;
    assert!(second.stats().await.unwrap().writer);
    for index in 0..9 {
        let found = search_vectors(&second, "tiny", &on_circle(index), 1).await;
        assert_eq!(ids(&found), [format!("e{index}")]);
    }
    second.close().await.unwrap();
    let findings = Store::verify(&StoreOptions::at(folder.path()), true).await;
    let is_ok = findings.iter().all(|finding| finding.health == Health::Ok);
    assert!(is_ok, "{findings:?}");
}

#[tokio::test]
async fn vectors_that_cannot_be_read_are_an_error_and_never_an_empty_result() {
    let (folder, store) = fresh().await;
    with_vectors_of(&store, 0..3).await;
    store.close().await.unwrap();
    // A folder in the place of the manifest: reading it fails, whoever reads.
    let manifest = folder.path().join("vectors/tiny/manifest");
    std::fs::remove_file(&manifest).unwrap();
    std::fs::create_dir(&manifest).unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    let asked = store.vector_search("default", nearest("tiny", &on_circle(1), 1));
    let error = asked.await.unwrap_err();
    assert!(
        matches!(&error, StoreError::VectorsUnusable { model, .. } if model == "tiny"),
        "{error}"
    );
    assert_eq!(ids(&crate::common::search(&store, "unique1").await), ["e1"]);
    store.close().await.unwrap();
}
