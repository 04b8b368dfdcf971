//! An ingestion can be killed at any moment and run again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use gannet_tests::in_full;
use serde_json::{Value, json};

/// Bytes of the database and its log at the last cut, near the end.
const LARGEST_CUT: u64 = 900_000;
/// Entries of the corpus that is cut off: several batches of 500.
const ENTRIES: usize = 6_000;

#[test]
fn an_ingestion_that_is_killed_and_repeated_ends_with_every_entry_once() {
    let cuts = in_full(3, 200) as u64;
    for cut in 1..=cuts {
        let folder = tempfile::tempdir().unwrap();
        let corpus = write_corpus(folder.path());
        let store = folder.path().join("store");
        let mut child = ingest(&corpus, &store).spawn().unwrap();
        kill_when_the_log_has_grown(&mut child, &store, cut * LARGEST_CUT / cuts);
        let repeated = ingest(&corpus, &store).output().unwrap();
        assert!(
            repeated.status.success(),
            "{}",
            String::from_utf8_lossy(&repeated.stderr)
        );
        assert_every_entry_once(&store);
    }
}

/// Runs until the database and its log have so many bytes, or to the end.
fn kill_when_the_log_has_grown(child: &mut Child, store: &Path, bytes: u64) {
    let size = |name: &str| std::fs::metadata(store.join(name)).map_or(0, |meta| meta.len());
    while child.try_wait().unwrap().is_none() {
        if size("store.db") + size("store.db-wal") >= bytes {
            child.kill().unwrap();
            break;
        }
        std::thread::yield_now();
    }
    child.wait().unwrap();
}

fn assert_every_entry_once(store: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["--format", "json", "--data"])
        .arg(store)
        .arg("status")
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["entries"], ENTRIES);
    assert_eq!(
        status["store"]["sequence"],
        status["store"]["text_sequence"]
    );
    let found = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["--format", "json", "--data"])
        .arg(store)
        .args([
            "search",
            "--mode",
            "keyword",
            "--max-results",
            "1000",
            "cavity",
        ])
        .output()
        .unwrap();
    let result: Value = serde_json::from_slice(&found.stdout).unwrap();
    let ids: BTreeSet<&str> = result["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["entry"]["entry_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 1000);
}

fn ingest(corpus: &Path, store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gannet"));
    command
        .arg("ingest")
        .arg(corpus)
        .args(["--no-enhance", "--data"])
        .arg(store)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn write_corpus(folder: &Path) -> PathBuf {
    let file = folder.join("corpus.jsonl");
    let lines: Vec<String> = (0..ENTRIES)
        .map(|number| {
            json!({
                "id": format!("E{number:05}"),
                "title": format!("Cavity check {number}"),
                "text": "Forward power is steady and the window temperature is normal.",
                "author": "operator",
                "timestamp": "2025-03-01T08:00:00Z",
            })
            .to_string()
        })
        .collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    file
}
