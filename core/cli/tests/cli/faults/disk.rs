//! Disks that fill up: a small file system in memory, where root may mount one.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use super::points::{Points, count};
use super::store::{ACKNOWLEDGED, ALL, Scene, copy, files};

/// Room beyond what is there already, at most.
const ROOM: u64 = 3 << 20;

/// A file system in memory; unmounted in the end.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    /// `None` where it cannot be mounted.
    fn mount(folder: &'a Path, bytes: u64) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o"])
            .arg(format!("size={bytes}"))
            .args([OsStr::new("tmpfs"), folder.as_os_str()])
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self(folder))
    }

    fn resize(&self, bytes: u64) {
        let resized = Command::new("mount")
            .arg("-o")
            .arg(format!("remount,size={bytes}"))
            .arg(self.0)
            .status();
        assert!(resized.unwrap().success());
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_disk_that_fills_up_loses_nothing_and_the_command_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::new(folder.path());
    let base = scene.build("base", "before.jsonl");
    let expected = scene.answers(&scene.build("reference", "all.jsonl"));
    let used: u64 = files(&base)
        .iter()
        .map(|file| file.metadata().unwrap().len().next_multiple_of(4096))
        .sum();
    let mount = scene.folder.join("disk");
    let mut points = Points::of("disk");
    let mut refused = 0;
    for point in 0..count().div_ceil(2) {
        let room = used + points.below(ROOM);
        let Some(disk) = Disk::mount(&mount, room + (64 << 20)) else {
            println!("skipped: no file system can be mounted here");
            return;
        };
        let store = mount.join("store");
        copy(&base, &store);
        disk.resize(room.next_multiple_of(4096));
        let place = format!("point {point}, {room} bytes of which {used} are used");

        let output = scene.run(&store, &["ingest", "all.jsonl"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => {}
            Some(4) => refused += 1,
            other => panic!("{place}: {other:?}: {said}"),
        }
        let meanwhile = scene.answers(&store);
        assert!(meanwhile.crashed.is_empty(), "{place}: {meanwhile:?}");

        disk.resize(room + (64 << 20));
        let entries = scene.entries(&store);
        assert!(
            (ACKNOWLEDGED as u64..=ALL as u64).contains(&entries),
            "{place}: {entries}"
        );
        scene.done(&store, &["ingest", "all.jsonl"]);
        assert_eq!(scene.entries(&store), ALL as u64, "{place}");
        let answers = scene.answers(&store);
        assert_eq!(
            answers.hits, expected.hits,
            "{place}: {:?} after {said}",
            answers.told
        );
        let verified = scene.run(&store, &["index", "verify", "--deep"]);
        let found = String::from_utf8_lossy(&verified.stdout);
        assert_eq!(verified.status.code(), Some(0), "{place}: {found}");
        drop(disk);
    }
    println!(
        "disk: {refused} of {} ended with an error, 0 lost, 0 twice",
        count().div_ceil(2)
    );
}
