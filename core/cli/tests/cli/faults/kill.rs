//! Processes that are killed with SIGKILL at any moment.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use super::points::{Points, count};
use super::store::{ACKNOWLEDGED, ALL, Scene, copy};
use crate::killed_service::{ENTRIES as SERVED, Logbook};

/// Kills a command at random moments of its run; each time the store is then
/// sound, has everything acknowledged, and the same command completes it.
fn kill_at_random(test: &str, command: &[&str], source: &str) {
    kill_and_complete(test, command, command, source);
}

/// The same for a command that does not end by itself: another one does what
/// it was about, and is what completes it.
fn kill_and_complete(test: &str, killed: &[&str], command: &[&str], source: &str) {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::new(folder.path());
    let expected = scene.answers(&scene.build("reference", "all.jsonl"));
    let base = scene.folder.join("base");
    scene.done(&base, &["ingest", source, "--no-enhance"]);

    let store = scene.folder.join("store");
    copy(&base, &store);
    let started = Instant::now();
    scene.done(&store, command);
    let length = started.elapsed();

    let mut points = Points::of(test);
    let mut ended = 0;
    for point in 0..count() {
        std::fs::remove_dir_all(&store).unwrap();
        copy(&base, &store);
        let moment = Duration::from_micros(points.below(length.as_micros() as u64));
        ended += u64::from(kill_after(moment, scene.start(&store, killed)));
        let place = format!("point {point}, after {moment:?}");
        assert_sound(&scene, &store, &place);
        let entries = scene.entries(&store);
        let least = if source == "all.jsonl" {
            ALL
        } else {
            ACKNOWLEDGED
        };
        assert!(
            (least as u64..=ALL as u64).contains(&entries),
            "{place}: {entries}"
        );
        scene.done(&store, command);
        assert_eq!(scene.entries(&store), ALL as u64, "{place}");
        let answers = scene.answers(&store);
        assert_eq!(answers.hits, expected.hits, "{place}: {:?}", answers.told);
    }
    println!("{test}: {ended} of {} killed, 0 lost, 0 twice", count());
}

/// Kills a process after a time, and tells whether it was still running.
fn kill_after(moment: Duration, mut child: Child) -> bool {
    let deadline = Instant::now() + moment;
    while Instant::now() < deadline && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

fn assert_sound(scene: &Scene, store: &Path, place: &str) {
    let verified = scene.run(store, &["index", "verify", "--deep"]);
    let told = String::from_utf8_lossy(&verified.stdout);
    assert_eq!(verified.status.code(), Some(0), "{place}: {told}");
}

#[test]
fn an_ingestion_that_is_killed_loses_nothing_and_is_repeated() {
    kill_at_random("ingest", &["ingest", "all.jsonl"], "before.jsonl");
}

#[test]
fn a_watch_that_is_killed_loses_nothing_and_goes_on() {
    let watch = ["watch", "all.jsonl"];
    let once = ["watch", "all.jsonl", "--once"];
    kill_and_complete("watch", &watch, &once, "before.jsonl");
}

#[test]
fn a_run_of_a_service_that_is_killed_loses_nothing_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::new(folder.path());
    let logbook = Logbook::start(false);
    std::fs::write(scene.folder.join("config.yml"), logbook.config()).unwrap();
    let base = scene.folder.join("base");
    scene.done(&base, &["ingest", "before.jsonl", "--no-enhance"]);
    let store = scene.folder.join("store");
    copy(&base, &store);
    let ingest = ["ingest", "--no-enhance"];
    let started = Instant::now();
    scene.done(&store, &ingest);
    let length = started.elapsed();
    let all = (ACKNOWLEDGED + SERVED as usize) as u64;
    assert_eq!(scene.entries(&store), all);

    let mut points = Points::of("service");
    let mut ended = 0;
    for point in 0..count() {
        std::fs::remove_dir_all(&store).unwrap();
        copy(&base, &store);
        let moment = Duration::from_micros(points.below(length.as_micros() as u64));
        ended += u64::from(kill_after(moment, scene.start(&store, &ingest)));
        let place = format!("point {point}, after {moment:?}");
        assert_sound(&scene, &store, &place);
        let kept = scene.entries(&store);
        assert!(
            (ACKNOWLEDGED as u64..=all).contains(&kept),
            "{place}: {kept}"
        );
        scene.done(&store, &ingest);
        assert_eq!(scene.entries(&store), all, "{place}");
    }
    println!("service: {ended} of {} killed, 0 lost, 0 twice", count());
}

#[test]
fn an_enhancement_that_is_killed_loses_nothing_and_is_repeated() {
    kill_at_random("enhance", &["enhance"], "all.jsonl");
}

#[test]
fn a_rebuild_that_is_killed_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::new(folder.path());
    let store = scene.build("store", "all.jsonl");
    let expected = scene.answers(&store);
    let rebuild = ["index", "rebuild"];
    let started = Instant::now();
    scene.done(&store, &rebuild);
    let length = started.elapsed();

    let mut points = Points::of("rebuild");
    for point in 0..count() {
        let moment = Duration::from_micros(points.below(length.as_micros() as u64));
        kill_after(moment, scene.start(&store, &rebuild));
        // The next command brings in what is missing.
        assert_eq!(scene.entries(&store), ALL as u64);
        let answers = scene.answers(&store);
        let place = format!("point {point}, after {moment:?}: {:?}", answers.told);
        assert_eq!(answers.hits, expected.hits, "{place}");
    }
}
