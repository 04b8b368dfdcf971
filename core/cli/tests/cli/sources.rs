//! What `gannet ingest` reads: standard input, folders, repositories.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn gannet(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input closes it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What it printed; it must have done its work.
fn printed(folder: &Path, arguments: &[&str], input: &str) -> String {
    let output = gannet(folder, arguments, input);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn record(id: &str) -> String {
    format!("{{\"id\": \"{id}\", \"timestamp\": 1704443400, \"text\": \"pump {id}\"}}\n")
}

#[test]
fn standard_input_is_a_source_of_every_adapter_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let two = record("A") + &record("B");
    let dry = ["ingest", "-", "--dry-run", "--adapter"];
    for (adapter, input) in [
        ("jsonl", two.clone()),
        (
            "generic_json",
            format!("[{}]", two.trim().replace('\n', ",")),
        ),
        ("csv", "id,timestamp,text\nA,0,x\nB,0,y\n".to_owned()),
    ] {
        let out = printed(folder.path(), &[&dry[..], &[adapter]].concat(), &input);
        assert!(out.contains("2 of 2 records"), "{adapter}: {out}");
    }
    // A file in the place of a pipe.
    std::fs::write(folder.path().join("two.jsonl"), two).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["ingest", "-", "--dry-run", "--adapter", "jsonl"])
        .current_dir(folder.path())
        .stdin(std::fs::File::open(folder.path().join("two.jsonl")).unwrap())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 of 2 records"));
}

#[test]
fn a_run_that_replaces_entries_of_another_source_system_says_so_once() {
    let folder = tempfile::tempdir().unwrap();
    let line = |id: u64, source: &str| {
        let record = serde_json::json!({
            "id": id.to_string(), "timestamp": 1_704_443_400, "text": "pump",
            "source_system": source,
        });
        format!("{record}\n")
    };
    let lines = |source: &str| (1..4).map(|id| line(id, source)).collect::<String>();
    std::fs::write(folder.path().join("a.jsonl"), lines("First")).unwrap();
    std::fs::write(folder.path().join("b.jsonl"), lines("Second")).unwrap();
    let told = |file: &str| {
        let output = gannet(folder.path(), &["ingest", file, "--no-enhance"], "");
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let replaced = "replaced entries of another source system";
    assert!(!told("a.jsonl").contains(replaced));
    let warning = told("b.jsonl");
    assert_eq!(warning.matches(replaced).count(), 1, "{warning}");
    assert!(warning.contains("3 entries of this run"), "{warning}");
    assert!(warning.contains("of `First`"), "{warning}");
    assert!(!told("b.jsonl").contains(replaced));
}

#[test]
fn a_folder_is_ingested_and_its_rejected_records_name_their_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("logs/2024")).unwrap();
    std::fs::write(folder.path().join("logs/2023.jsonl"), record("A")).unwrap();
    std::fs::write(
        folder.path().join("logs/2024/01.jsonl"),
        record("B") + "{}\n",
    )
    .unwrap();

    let out = printed(folder.path(), &["ingest", "logs", "--no-enhance"], "");
    assert!(out.contains("ingested 2 new"), "{out}");
    let rejected = std::fs::read_to_string(folder.path().join("gannet-data/rejected.jsonl"));
    let rejected = rejected.unwrap();
    assert!(
        rejected.contains("\"position\":\"2024/01.jsonl, line 2\""),
        "{rejected}"
    );
}

#[test]
fn the_history_of_a_repository_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let status = Command::new("git")
            .args(["-c", "user.name=M. Lee", "-c", "user.email=lee@lab.example"])
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .status()
            .unwrap();
        assert!(status.success());
    };
    git(&["init", "--quiet"]);
    git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "Raise the trip level of the klystron",
    ]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "Log the reset"]);

    let ingest = [
        "ingest",
        "--adapter",
        "git",
        "--source",
        ".",
        "--no-enhance",
    ];
    let out = printed(folder.path(), &ingest, "");
    assert!(out.contains("ingested 2 new"), "{out}");
    let again = printed(folder.path(), &ingest, "");
    assert!(again.contains("0 new, 0 changed, 2 unchanged"), "{again}");
    let found = printed(
        folder.path(),
        &["search", "--mode", "keyword", "klystron trip"],
        "",
    );
    assert!(found.contains("Raise the trip level"), "{found}");
}

#[test]
fn a_table_without_a_map_is_refused_with_one_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let table = "Nr;Datum;Text\n17;05.01.2024;Pumpe\n18;06.01.2024;Ruhig\n";
    std::fs::write(folder.path().join("shifts.csv"), table).unwrap();

    let refused = gannet(folder.path(), &["ingest", "shifts.csv", "--dry-run"], "");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    let start = said.find("ingestion:\n").expect(&said);
    let yaml = said[start..].lines().take_while(|line| !line.is_empty());
    let yaml = yaml.collect::<Vec<_>>().join("\n");
    std::fs::write(folder.path().join("config.yml"), yaml).unwrap();

    let dry_run = ["ingest", "--source", "shifts.csv", "--dry-run"];
    let accepted = printed(folder.path(), &dry_run, "");
    assert!(
        accepted.contains("2 of 2 records can be stored"),
        "{accepted}"
    );
}

#[test]
fn a_part_of_a_source_is_not_useless_because_its_only_record_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.jsonl"), record("A") + "{}\n").unwrap();
    let ingest = ["ingest", "log.jsonl", "--no-enhance"];

    // The good record is from before.
    let part = [&ingest[..], &["--since", "2025-01-01"]].concat();
    let out = printed(folder.path(), &part, "");
    assert!(out.contains("ingested 0 new"), "{out}");
    assert!(out.contains("rejected 1 record"), "{out}");
    let out = printed(folder.path(), &ingest, "");
    assert!(out.contains("ingested 1 new"), "{out}");
}

#[test]
fn what_has_the_very_time_of_the_end_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |second: &str| record(second).replace("1704443400", second);
    let three = ["1704443400", "1704443401", "1704443402"].map(at).concat();
    let three = three.replace("\"text\"", "\"subject\": \"RF\", \"text\"");
    for adapter in ["jsonl", "als_logbook"] {
        let span = [
            "ingest",
            "-",
            "--adapter",
            adapter,
            "--dry-run",
            "--since",
            "2024-01-05T08:30:00Z",
            "--until",
            "2024-01-05T08:30:02Z",
        ];
        let told = printed(folder.path(), &span, &three);
        assert!(told.contains("1 of 1 record"), "{adapter}: {told}");
    }
}

#[test]
fn an_als_entry_keeps_its_own_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let entry = r#"{"id": "7", "timestamp": 1704443400, "subject": "RF", "level": "Info", "metadata": {"level": "Problem", "shift": "Owl"}}"#;
    let ingest = ["ingest", "-", "--adapter", "als_logbook", "--no-enhance"];
    printed(folder.path(), &ingest, entry);
    let show = ["--format", "json", "entry", "show", "7"];
    let shown: serde_json::Value =
        serde_json::from_str(&printed(folder.path(), &show, "")).unwrap();
    assert_eq!(shown["metadata"]["level"], "Problem");
    assert_eq!(shown["metadata"]["shift"], "Owl");
}
