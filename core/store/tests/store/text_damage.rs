//! Damaged files of the text index are found, cost their own rebuild, and no
//! panic.
use std::path::{Path, PathBuf};

use crate::common::{entry, fresh, search, sorted_ids};
use gannet_store::{Finding, Health, RebuildScope, Store, StoreOptions};
use tempfile::TempDir;

async fn open(folder: &Path) -> Store {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    store.flush().await.unwrap();
    store
}

/// A closed store with two segments of three entries each; one of them has a
/// deleted entry.
async fn closed_store() -> TempDir {
    let (folder, store) = fresh().await;
    for first in [0, 3] {
        let entries = (first..first + 3).map(|index| entry(index, &format!("beam lost {index}")));
        store.upsert(entries.collect()).await.unwrap();
        store.flush().await.unwrap();
    }
    store.upsert(vec![entry(9, "beam gone")]).await.unwrap();
    store.delete("default", &["e4".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    store.delete("default", &["e9".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    store.close().await.unwrap();
    folder
}

const EXPECTED: [&str; 5] = ["e0", "e1", "e2", "e3", "e5"];

fn segment_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("text")).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.starts_with('.') && name != "meta.json"
    });
    paths.sort();
    paths
}

fn flip(path: &Path, position: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[position] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

async fn text_findings(folder: &Path, deep: bool) -> Vec<Finding> {
    let mut findings = Store::verify(&StoreOptions::at(folder), deep).await;
    findings.retain(|finding| finding.check == "text index");
    findings
}

async fn is_sound(folder: &Path) -> bool {
    let findings = text_findings(folder, true).await;
    !findings.is_empty() && findings.iter().all(|one| one.health == Health::Ok)
}

#[tokio::test]
async fn a_flipped_bit_in_any_file_of_a_segment_costs_that_segment_s_rebuild_and_no_entry() {
    let sound = closed_store().await;
    let names: Vec<PathBuf> = segment_files(sound.path())
        .iter()
        .map(|path| PathBuf::from(path.file_name().unwrap()))
        .collect();
    for name in &names {
        let folder = copy_of(sound.path());
        let path = folder.path().join("text").join(name);
        let length = std::fs::read(&path).unwrap().len();
        flip(&path, length.saturating_sub(113).min(length / 2));
        let findings = text_findings(folder.path(), true).await;
        let file = name.to_string_lossy();
        assert!(
            findings.iter().any(|one| one.message.contains(&*file)),
            "{file}: {findings:?}"
        );
        let store = open(folder.path()).await;
        let found = search(&store, "beam").await;
        assert_eq!(sorted_ids(&found), EXPECTED, "{file}");
        store.close().await.unwrap();
        assert!(is_sound(folder.path()).await, "{file}");
        // Files of other segments are the ones that were there.
        let own = file.split('.').next().unwrap().to_owned();
        let kept = segment_files(folder.path());
        let others = names.iter().filter(|other| {
            let other = other.to_string_lossy();
            !other.starts_with(&own) && other.ends_with(".idx")
        });
        for other in others {
            let is_kept = kept.iter().any(|path| path.ends_with(other));
            assert!(is_kept, "{file}: {}", other.display());
        }
    }
}

#[tokio::test]
async fn verifying_changes_nothing_and_names_what_is_missing() {
    let folder = closed_store().await;
    assert!(is_sound(folder.path()).await);
    // As after a commit that claimed more than it held: the list of segments
    // without one of them.
    let meta = folder.path().join("text/meta.json");
    let mut metas: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&meta).unwrap()).unwrap();
    let segments = metas["segments"].as_array_mut().unwrap();
    segments.pop();
    std::fs::write(&meta, serde_json::to_vec(&metas).unwrap()).unwrap();
    let before = std::fs::read(&meta).unwrap();
    let findings = text_findings(folder.path(), false).await;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].health, Health::Fail);
    let message = &findings[0].message;
    assert!(
        message.contains("of 5 entries cannot be found"),
        "{message}"
    );
    assert_eq!(std::fs::read(&meta).unwrap(), before);
    // Beside a process that writes.
    let store = open(folder.path()).await;
    assert_eq!(
        text_findings(folder.path(), false).await[0].health,
        Health::Fail
    );
    store.rebuild(RebuildScope::Text).await.unwrap();
    assert_eq!(sorted_ids(&search(&store, "beam").await), EXPECTED);
    assert!(is_sound(folder.path()).await);
}

#[tokio::test]
async fn verifying_tells_an_index_of_another_database_and_one_that_is_ahead() {
    let folder = closed_store().await;
    let other = closed_store().await;
    let meta = |folder: &TempDir| folder.path().join("text/meta.json");
    let own = std::fs::read_to_string(meta(&folder)).unwrap();
    std::fs::remove_dir_all(folder.path().join("text")).unwrap();
    copy_folder(&other.path().join("text"), &folder.path().join("text"));
    let findings = text_findings(folder.path(), false).await;
    assert!(findings[0].message.contains("another database"));
    std::fs::remove_dir_all(folder.path().join("text")).unwrap();
    let missing = &text_findings(folder.path(), false).await[0];
    assert_eq!(missing.health, Health::Fail);
    assert!(missing.message.contains("it is missing"), "{missing:?}");
    let payload = own.split("\"payload\": \"").nth(1).unwrap();
    let payload = payload.split('"').next().unwrap();
    let (origin, _) = payload.split_once(' ').unwrap();
    copy_folder(&other.path().join("text"), &folder.path().join("text"));
    let theirs = std::fs::read_to_string(meta(&folder)).unwrap();
    let foreign = theirs.split("\"payload\": \"").nth(1).unwrap();
    let foreign = foreign.split('"').next().unwrap();
    std::fs::write(
        meta(&folder),
        theirs.replace(foreign, &format!("{origin} 999")),
    )
    .unwrap();
    let findings = text_findings(folder.path(), false).await;
    assert!(
        findings[0].message.contains("at change 999"),
        "{findings:?}"
    );
}

fn copy_of(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder, copy.path());
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let target = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            copy_folder(&file.path(), &target);
        } else {
            std::fs::copy(file.path(), target).unwrap();
        }
    }
}
