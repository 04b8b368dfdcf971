//! Any UTF-8 text of up to 64 KiB is answered on the command line.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::{Command, Stdio};

/// Texts that query parsers stumble over.
const HOSTILE: [&str; 16] = [
    "\"",
    "((((((((((",
    "NOT",
    "AND OR NOT AND",
    "-",
    "--data",
    "*",
    "/(/",
    "/(a+)+$/",
    "author:",
    "author:\"",
    "date:9999999999999",
    "date:2024-01..",
    "id:*",
    "\u{0}\u{1}\u{feff}\u{202e}",
    "🦆🦆🦆 ÅNGSTRÖM ﷺ",
];

#[test]
fn the_command_line_answers_any_text() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(64 * 1024);
    for text in HOSTILE.into_iter().chain([long.as_str()]) {
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
