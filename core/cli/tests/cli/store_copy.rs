//! `gannet store copy`.
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use gannet_test_databases::{ARIEL, Database};
use serde_json::{Value, json};

use crate::backup::hits;
use crate::facility::{Facility, code, stderr, stdout};

/// Entries of a store whose copy is killed: many batches.
const ENTRIES: usize = 12_000;

/// The address with a password in it, which the server does not ask for.
fn with_password(database: &Database) -> String {
    database.url_as("postgres", "s3cret")
}

fn exported(facility: &Facility, store: &str) -> Vec<Value> {
    let lines = facility.done(&["export", "--data", store]);
    let mut entries: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    entries.sort_by_key(|entry| entry["entry_id"].to_string());
    entries
}

fn refused(facility: &Facility, arguments: &[&str], reason: &str) {
    let output = facility.gannet(arguments);
    let said = stdout(&output) + &stderr(&output);
    assert_ne!(code(&output), 0, "{arguments:?}");
    assert!(said.contains(reason), "{arguments:?}: {said}");
    assert!(!said.contains("s3cret"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_went_to_a_database_and_back_answers_as_before() {
    let Some(database) = Database::create().await else {
        return;
    };
    let facility = Facility::new();
    facility.done(&["quickstart", "--data", "store"]);
    facility.done(&[
        "keys", "create", "reader", "--scope", "search", "--data", "store",
    ]);
    std::fs::create_dir_all(facility.folder.path().join("store/attachments")).unwrap();
    facility.write("store/attachments/0a", "a picture");
    let url = with_password(&database);
    let to = ["store", "copy", "store", &url, "--data", "files"];
    let copied = facility.gannet(&to);
    let said = stdout(&copied) + &stderr(&copied);
    assert_eq!(code(&copied), 0, "{said}");
    assert!(said.contains("copied 354 entries"), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
    refused(&facility, &to, "has a store already");

    let config = format!("store: {{kind: postgres, uri: '{url}', cache: true, path: files}}\n");
    facility.write("database.yml", &config);
    let in_database = facility.json(&["status", "--config", "database.yml"]);
    let in_folder = facility.json(&["status", "--data", "store"]);
    assert_eq!(in_database["entries"], 354);
    assert_eq!(
        in_database["store"]["vectors"],
        in_folder["store"]["vectors"]
    );
    let back = facility.json(&["store", "copy", "database.yml", "back"]);
    assert_eq!(back["entries"], 354);
    assert_eq!(hits(&facility, "back"), hits(&facility, "store"));
    assert_eq!(exported(&facility, "back"), exported(&facility, "store"));
    let file = |name: &str| std::fs::read(facility.folder.path().join(name)).unwrap();
    assert_eq!(file("back/attachments/0a"), b"a picture");
    assert_eq!(file("back/keys.json"), file("store/keys.json"));
    facility.done(&["index", "verify", "--deep", "--data", "back"]);
}

#[test]
fn a_backup_is_a_store_to_copy_from_and_stays_as_it_is() {
    let facility = Facility::new();
    facility.done(&["quickstart", "--data", "store"]);
    facility.done(&["backup", "saved", "--data", "store"]);
    facility.done(&["store", "copy", "saved", "new"]);
    facility.done(&["backup", "--check", "saved"]);
    assert_eq!(hits(&facility, "new"), hits(&facility, "store"));
    let copy = |from, to, reason| refused(&facility, &["store", "copy", from, to], reason);
    copy("store", "new", "has a store already");
    copy("store", "./store", "cannot be copied to itself");
    copy("nowhere", "newer", "there is no store");
    copy(
        "store",
        "postgresql://g:s3cret@127.0.0.1:1/d",
        "127.0.0.1:1/d",
    );
    copy("store", "nowhere.yml", "nowhere.yml");
}

#[tokio::test(flavor = "multi_thread")]
async fn ariels_database_is_copied_to_a_folder() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let facility = Facility::new();
    let url = with_password(&database);
    refused(
        &facility,
        &["store", "copy", &url, "new"],
        "store.adopt: ariel",
    );
    let config = format!("store: {{kind: postgres, uri: '{url}', adopt: ariel, path: replica}}\n");
    facility.write("ariel.yml", &config);
    let copied = facility.json(&["store", "copy", "ariel.yml", "new"]);
    assert_eq!(
        (&copied["entries"], &copied["vectors"]["tiny"]),
        (&json!(3), &json!(1))
    );
    let read = ["entry", "show", "10", "--data", "new"];
    assert!(facility.done(&read).contains("RF tripped"));
    refused(
        &facility,
        &["store", "copy", "new", "ariel.yml"],
        "belongs to ARIEL",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_is_killed_and_repeated_ends_with_every_entry_once() {
    let facility = Facility::new();
    let lines: Vec<String> = (0..ENTRIES)
        .map(|number| {
            let text = "Forward power of the cavity is steady.";
            let time = "2025-03-01T08:00:00Z";
            json!({"id": format!("E{number:05}"), "text": text, "timestamp": time}).to_string()
        })
        .collect();
    facility.write("log.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "log.jsonl", "--no-enhance", "--data", "store"]);

    let unfinished = facility.folder.path().join("copy/store.db.unfinished");
    let to_folder = ["store", "copy", "store", "copy"];
    let mut child = facility.command(&to_folder).spawn().unwrap();
    kill_when(&mut child, || entries_in(&unfinished) > 0);
    assert!(unfinished.exists(), "killed before its end");
    assert_eq!(facility.json(&to_folder)["entries"], ENTRIES);
    assert_eq!(exported(&facility, "copy"), exported(&facility, "store"));

    let Some(database) = Database::create().await else {
        return;
    };
    let url = with_password(&database);
    let to_database = ["store", "copy", "store", &url];
    let mut child = facility.command(&to_database).spawn().unwrap();
    // Reading a table that is not there yet would be an error.
    let marks = "SELECT count(*) FROM pg_stat_user_tables \
                 WHERE relname = 'enhanced_entries' AND n_live_tup > 0";
    while child.try_wait().unwrap().is_none() && database.count(marks).await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(child.try_wait().unwrap().is_none(), "killed before its end");
    child.kill().unwrap();
    child.wait().unwrap();
    let held = database
        .count("SELECT count(*) FROM enhanced_entries")
        .await;
    assert!((1..ENTRIES as i64).contains(&held), "{held}");
    assert_eq!(facility.json(&to_database)["entries"], ENTRIES);
    let ids = "SELECT count(DISTINCT entry_id) FROM enhanced_entries";
    assert_eq!(database.count(ids).await, ENTRIES as i64);
}

/// Kills a process as soon as something holds.
fn kill_when(child: &mut Child, holds: impl Fn() -> bool) {
    while child.try_wait().unwrap().is_none() && !holds() {
        std::thread::sleep(Duration::from_millis(2));
    }
    // One that has ended is found by what it left.
    let _ = child.kill();
    child.wait().unwrap();
}

/// Bytes of what is written beyond the tables, of a database and its log.
fn entries_in(file: &Path) -> u64 {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    (size(file) + size(Path::new(&log))).saturating_sub(1_500_000)
}
