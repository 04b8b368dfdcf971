//! The evaluation, end to end, on a set small enough to check by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::process::{Command, Output};

use gannet_test_databases::Database;
use serde_json::{Value, json};

#[test]
fn a_set_is_measured_in_every_mode_and_written_as_a_trec_run() {
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    let run = folder.path().join("run.trec");
    let output = evaluate(folder.path(), &["--run", run.to_str().unwrap()]);
    check(&output);
    let run = std::fs::read_to_string(run).unwrap();
    assert_eq!(run.lines().next(), Some("q1 Q0 d2 1 1 keyword"));
}

#[tokio::test]
async fn a_database_gives_the_figures_of_a_folder_and_has_to_be_empty() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    let url = database.url();
    check(&evaluate(folder.path(), &["--store", &url]));
    let refused = evaluate(folder.path(), &["--store", &url]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("name an empty database"), "{said}");
}

fn evaluate(set: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["--format", "json", "eval", "--mode", "keyword"])
        .args(more)
        .arg(set)
        .output()
        .unwrap()
}

fn check(output: &Output) {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let reports: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let report = &reports[0];
    assert_eq!(
        (&report["mode"], &report["queries"]),
        (&json!("keyword"), &json!(2))
    );
    // The first question's only relevant document is excluded from being the
    // question itself and found first; the second's is found by no word.
    assert_eq!(report["ndcg_at_10"], 0.5);
    assert_eq!(report["mrr_at_10"], 0.5);
    assert_eq!(report["recall_at_100"], 0.5);
    assert_eq!(report["p_at_10"], 0.05);
}

fn write_set(folder: &Path) {
    let lines = |lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        lines.join("\n")
    };
    let corpus = lines(&[
        json!({"id": "d1", "title": "Klystron filament", "text": "Klystron filament current low."}),
        json!({"id": "d2", "title": "", "text": "The klystron was changed for a spare."}),
        json!({"id": "d3", "title": "", "text": "Water leak in the pump room."}),
    ]);
    let queries = lines(&[
        json!({"id": "q1", "text": "klystron", "exclude": ["d1"]}),
        json!({"id": "q2", "text": "moisture"}),
    ]);
    let qrels = "query-id\tcorpus-id\tscore\nq1\td2\t2\nq2\td3\t1\n";
    std::fs::write(folder.join("corpus.jsonl"), corpus).unwrap();
    std::fs::write(folder.join("queries.jsonl"), queries).unwrap();
    std::fs::write(folder.join("qrels.tsv"), qrels).unwrap();
}
