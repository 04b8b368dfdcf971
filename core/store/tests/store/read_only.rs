//! Stores in folders that cannot be written, and on disks that are full.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{entry, ids, search, write_texts};
use gannet_store::{Health, INCOMPLETE_INDEX, Store, StoreError, StoreOptions};
use tempfile::TempDir;

/// A small file system in memory, of its own.
struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// `None` where nothing can be mounted.
    fn mounted(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let is_mounted = run(
            "mount",
            &["-t", "tmpfs", "-o", &options, "tmpfs"],
            folder.path(),
        );
        is_mounted.then_some(Self { folder })
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn make_read_only(&self) {
        assert!(run("mount", &["-o", "remount,ro"], self.folder.path()));
    }

    /// Leaves no byte.
    fn fill(&self) -> PathBuf {
        let path = self.folder.path().join("ballast");
        let mut file = std::fs::File::create(&path).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["-l"], self.folder.path());
    }
}

fn run(program: &str, arguments: &[&str], last: &Path) -> bool {
    let run = Command::new(program).args(arguments).arg(last).output();
    run.is_ok_and(|output| output.status.success())
}

async fn make_store(folder: &Path) {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    write_texts(&store, &["beam lost", "beam back", "pump"]).await;
    store.close().await.unwrap();
}

async fn assert_reads_and_refuses_to_write(folder: &Path) {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    assert_eq!(search(&store, "pump").await.hits.len(), 1);
    assert_eq!(search(&store, "beam").await.hits.len(), 2);
    assert_eq!(store.count("default").await.unwrap(), 3);
    let stats = store.stats().await.unwrap();
    assert!(!stats.writer);
    assert!(stats.read_only.is_some());
    let refused = store.upsert(vec![entry(7, "new")]).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::ReadOnlyFolder { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("read-only"), "{refused}");
    store.flush().await.unwrap();
    for finding in Store::verify(&StoreOptions::at(folder), true).await {
        assert_eq!(finding.health, Health::Ok, "{finding:?}");
    }
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_store_on_a_read_only_disk_can_be_searched_and_says_that_it_cannot_be_written() {
    let Some(disk) = SmallDisk::mounted("32m") else {
        return;
    };
    make_store(&disk.store()).await;
    disk.make_read_only();
    assert_reads_and_refuses_to_write(&disk.store()).await;
}

#[tokio::test]
async fn what_a_killed_process_left_in_the_log_is_read_on_a_read_only_disk() {
    let Some(disk) = SmallDisk::mounted("32m") else {
        return;
    };
    let original = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::at(original.path()))
        .await
        .unwrap();
    write_texts(&store, &["beam lost", "beam back", "pump"]).await;
    // As a kill leaves them: the log is there, and the index complete.
    run(
        "cp",
        &["-r", &original.path().display().to_string()],
        &disk.store(),
    );
    assert!(disk.store().join("store.db-wal").metadata().unwrap().len() > 0);
    disk.make_read_only();
    assert_reads_and_refuses_to_write(&disk.store()).await;
    store.close().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_store_in_somebody_else_s_folder_can_be_searched() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    make_store(&store).await;
    let allow = |mode: u32, files: u32| {
        for path in [store.clone(), store.join("text")] {
            for file in std::fs::read_dir(&path).unwrap() {
                let file = file.unwrap();
                if file.file_type().unwrap().is_file() {
                    let permissions = std::fs::Permissions::from_mode(files);
                    std::fs::set_permissions(file.path(), permissions).unwrap();
                }
            }
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(0o555, 0o444);
    let is_root = std::fs::write(store.join("probe"), "").is_ok();
    if !is_root {
        assert_reads_and_refuses_to_write(&store).await;
    }
    allow(0o755, 0o644);
}

#[tokio::test]
async fn a_store_on_a_full_disk_can_be_searched_and_written_again_when_there_is_room() {
    let Some(disk) = SmallDisk::mounted("32m") else {
        return;
    };
    make_store(&disk.store()).await;
    let ballast = disk.fill();
    let store = Store::open(StoreOptions::at(disk.store())).await.unwrap();
    assert_eq!(search(&store, "beam").await.hits.len(), 2);
    let long = "x ".repeat(1 << 19);
    let refused = store.upsert(vec![entry(7, &long)]).await.unwrap_err();
    assert!(matches!(refused, StoreError::DiskFull { .. }), "{refused}");
    std::fs::remove_file(ballast).unwrap();
    store.upsert(vec![entry(8, "quench")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(ids(&search(&store, "quench").await), ["e8"]);
    store.close().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn the_group_that_may_write_in_the_folder_may_write_the_database() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let group_may_write = |path: &Path| path.metadata().unwrap().mode() & 0o060 == 0o060;
    let (shared, alone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::set_permissions(shared.path(), PermissionsExt::from_mode(0o770)).unwrap();
    std::fs::set_permissions(alone.path(), PermissionsExt::from_mode(0o750)).unwrap();
    for (folder, expected) in [(&shared, true), (&alone, false)] {
        let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
        write_texts(&store, &["pump"]).await;
        for name in ["store.db", "store.db-wal", "store.db-shm"] {
            let path = folder.path().join(name);
            assert_eq!(group_may_write(&path), expected, "{}", path.display());
        }
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_read_only_store_without_its_text_index_says_that_results_are_incomplete() {
    let Some(disk) = SmallDisk::mounted("32m") else {
        return;
    };
    make_store(&disk.store()).await;
    std::fs::remove_dir_all(disk.store().join("text")).unwrap();
    disk.make_read_only();
    let store = Store::open(StoreOptions::at(disk.store())).await.unwrap();
    let found = search(&store, "pump").await;
    assert!(found.hits.is_empty());
    let said = &found.diagnostics[0];
    assert_eq!(said.category.as_deref(), Some(INCOMPLETE_INDEX), "{said:?}");
    assert!(
        said.message.contains("no entry is in the text index"),
        "{said:?}"
    );
    store.close().await.unwrap();
}
