//! Any UTF-8 text of up to 64 KiB is answered on the command line.

use std::process::{Command, Stdio};

use gannet_tests::HOSTILE_TEXTS;

#[test]
fn the_command_line_answers_any_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.jsonl");
    let entry = r#"{"id":"A-1","text":"pump tripped","timestamp":"2025-03-01T08:00:00Z"}"#;
    std::fs::write(&file, entry).unwrap();
    let ingested = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["ingest", "--no-enhance", "--data"])
        .args([folder.path(), &file])
        .output()
        .unwrap();
    assert!(ingested.status.success());
    let long = "x".repeat(64 * 1024);
    for text in HOSTILE_TEXTS.into_iter().chain([long.as_str()]) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gannet"))
            .args(["search", "--mode", "keyword", "--data"])
            .arg(folder.path())
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{text:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
