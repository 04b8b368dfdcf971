//! Verifying the vectors of a folder against its records.
use std::path::{Path, PathBuf};

use crate::common::vectors::{model, on_circle, with_vectors_of, write_vectors};
use gannet_store::{Finding, Health, Store, StoreOptions};

/// A closed store with 100 entries, each with a vector.
async fn closed() -> tempfile::TempDir {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..100).await;
    store.close().await.unwrap();
    folder
}

async fn verify(folder: &Path, deep: bool) -> Vec<Finding> {
    Store::verify(&StoreOptions::at(folder), deep)
        .await
        .into_iter()
        .filter(|finding| finding.check.starts_with("vectors"))
        .collect()
}

fn healths(findings: &[Finding]) -> Vec<Health> {
    findings.iter().map(|finding| finding.health).collect()
}

fn segment(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder.join("vectors/tiny")).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    paths
        .find(|path| path.extension().is_some_and(|end| end == "segment"))
        .unwrap()
}

async fn change(folder: &Path, statement: &'static str) {
    use sqlx::Connection;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.join("store.db"));
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    sqlx::query(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn vectors_that_are_those_of_the_records_pass_and_nothing_is_changed() {
    let folder = closed().await;
    let before = bytes(folder.path());
    for deep in [false, true] {
        let findings = verify(folder.path(), deep).await;
        assert_eq!(healths(&findings), [Health::Ok], "{findings:?}");
        assert!(findings[0].message.starts_with("100 vectors"));
    }
    assert_eq!(bytes(folder.path()), before);
}

/// The files of the vectors with their bytes, in order.
fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = std::fs::read_dir(folder.join("vectors/tiny")).unwrap();
    let mut files: Vec<_> = files
        .map(|file| file.unwrap().path())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_store_that_is_written_meanwhile_passes() {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..100).await;
    store.close().await.unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    with_vectors_of(&store, 50..170).await;
    let findings = verify(folder.path(), true).await;
    assert_eq!(healths(&findings), [Health::Ok], "{findings:?}");
}

#[tokio::test]
async fn a_flipped_bit_is_found_by_a_deep_look() {
    let folder = closed().await;
    let path = segment(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    // The last byte is padding of the last vector: no comparison sees it.
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let findings = verify(folder.path(), true).await;
    assert_eq!(healths(&findings), [Health::Fail], "{findings:?}");
    assert!(findings[0].message.contains(".segment"));
    assert!(
        findings[0]
            .advice
            .as_ref()
            .unwrap()
            .contains("index rebuild")
    );
}

#[tokio::test]
async fn a_manifest_that_is_damaged_and_a_segment_that_is_gone_are_found() {
    let folder = closed().await;
    std::fs::remove_file(segment(folder.path())).unwrap();
    let findings = verify(folder.path(), false).await;
    assert_eq!(healths(&findings), [Health::Fail], "{findings:?}");
    std::fs::write(folder.path().join("vectors/tiny/manifest"), "x").unwrap();
    let findings = verify(folder.path(), false).await;
    assert_eq!(healths(&findings), [Health::Fail], "{findings:?}");
}

#[tokio::test]
async fn vectors_that_are_missing_or_others_than_those_of_the_records_are_found() {
    let folder = closed().await;
    change(
        folder.path(),
        "UPDATE embeddings SET vector = x'0000803f00000000' WHERE doc > 50",
    )
    .await;
    let findings = verify(folder.path(), false).await;
    assert_eq!(healths(&findings), [Health::Fail], "{findings:?}");
    assert!(findings[0].message.contains("compared"), "{findings:?}");
    let folder = closed().await;
    change(
        folder.path(),
        "UPDATE entry_vectors SET passages = 2 WHERE doc = 7",
    )
    .await;
    let findings = verify(folder.path(), false).await;
    assert!(findings[0].message.contains("101"), "{findings:?}");
}

#[tokio::test]
async fn a_vector_of_the_records_that_changed_is_found_by_a_deep_look() {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..200).await;
    store.close().await.unwrap();
    change(
        folder.path(),
        "UPDATE embeddings SET vector = x'0000803f00000000' WHERE doc = 102",
    )
    .await;
    let findings = verify(folder.path(), true).await;
    assert_eq!(healths(&findings), [Health::Fail], "{findings:?}");
    assert!(
        findings[0].message.contains("of 200 vectors"),
        "{findings:?}"
    );
    let advice = findings[0].advice.as_deref().unwrap();
    assert!(advice.contains("store.db"), "{advice}");
}

#[tokio::test]
async fn a_segment_that_was_changed_is_rebuilt_when_the_store_is_opened() {
    let folder = closed().await;
    let path = segment(folder.path());
    let flip = |keeps_its_time: bool| {
        let modified = path.metadata().unwrap().modified().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let other = modified + std::time::Duration::from_secs(1);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(if keeps_its_time { modified } else { other })
            .unwrap();
    };
    let open = async || {
        let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
        store.flush().await.unwrap();
        store.close().await.unwrap();
        healths(&verify(folder.path(), true).await)
    };
    // As when a bit flips on the disk: nothing tells, and nothing is read.
    flip(true);
    assert_eq!(open().await, [Health::Fail]);
    flip(true);
    assert_eq!(open().await, [Health::Ok]);
    flip(false);
    assert_eq!(open().await, [Health::Ok]);
}

#[tokio::test]
async fn stored_vectors_that_no_index_takes_are_named() {
    let folder = closed().await;
    // NaN and 0.
    change(
        folder.path(),
        "UPDATE embeddings SET vector = x'0000c07f00000000' WHERE doc = 8",
    )
    .await;
    let findings = verify(folder.path(), true).await;
    assert!(
        findings
            .iter()
            .any(|finding| finding.message.contains("`e7`")),
        "{findings:?}"
    );
}

#[tokio::test]
async fn models_without_vectors_and_folders_without_models_are_named() {
    let (folder, store) = crate::common::fresh().await;
    store.register_model(&model("other", 3)).await.unwrap();
    write_vectors(&store, "tiny", 0..3, on_circle).await;
    store.close().await.unwrap();
    std::fs::create_dir_all(folder.path().join("vectors/stranger")).unwrap();
    let findings = verify(folder.path(), false).await;
    let warned: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.health == Health::Warn)
        .map(|finding| finding.check.as_str())
        .collect();
    assert_eq!(warned, ["vectors of other", "vectors"], "{findings:?}");
}
