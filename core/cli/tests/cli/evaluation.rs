//! The evaluation, end to end, on a set small enough to check by hand.

use std::path::Path;
use std::process::{Command, Output};

use gannet_core::eval::{ABSTAINING, AnswerLine, QaQuestion, Scorer};
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

#[test]
fn answers_are_counted_as_the_reference_scorer_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    write_questions(folder.path());
    let answers = folder.path().join("answers.jsonl");
    let options = ["--mode", "rag", "--answers", answers.to_str().unwrap()];
    let reports = evaluate_answers(folder.path(), &options);
    let report = &reports[0];
    assert_eq!(report["mode"], "rag");
    assert_eq!(report["answerable"]["n"], 2);
    assert_eq!(report["unanswerable"]["n"], 1);
    let grounded = |group: &str| report[group]["grounded"].as_u64().unwrap();
    let grounded = grounded("answerable") + grounded("unanswerable");
    assert_eq!(report["grounded"]["answers"], grounded);
    assert!(report["grounded"].get("coverage").is_some(), "{report}");
    assert!(report.get("calibration").is_some());
    let written = std::fs::read_to_string(&answers).unwrap();
    assert_eq!(written.lines().count(), 3);
    let first: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["id"], &first["top_ids"][0]),
        (&json!("k"), &json!("d2"))
    );
    assert!(first.get("confidence").is_some(), "{first}");
    if let Some(expected) = reference_counts(&folder.path().join("qa.jsonl"), &answers) {
        for category in report["categories"].as_array().unwrap() {
            let name = category["category"].as_str().unwrap();
            assert_eq!(
                as_the_reference(category),
                without_zeros(&expected[name]),
                "{name}"
            );
        }
        assert_eq!(
            as_the_reference(&report["answerable"]),
            without_zeros(&expected["answerable"])
        );
    }
}

#[test]
fn every_kind_of_answer_is_counted_as_the_reference_scorer_counts_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qa.jsonl");
    let answers = every_kind_of_answer();
    // Each answer has a question and a category of its own.
    let questions = answers.iter().enumerate().map(|(index, answer)| {
        let mut question = questions()[index % 3].clone();
        question["id"] = json!(answer.id);
        question["category"] = json!(answer.id);
        question
    });
    write_lines(&path, questions);
    let questions = QaQuestion::read(&path).unwrap();
    let given = folder.path().join("answers.jsonl");
    write_lines(&given, answers.iter().map(|answer| json!(answer)));
    let Some(expected) = reference_counts(&path, &given) else {
        return;
    };
    let scorer = Scorer::new(ABSTAINING);
    for (question, answer) in questions.iter().zip(&answers) {
        let counts = json!(scorer.judge(question, answer));
        let expected = without_zeros(&expected[&answer.id]);
        assert_eq!(as_the_reference(&counts), expected, "{answer:?}");
    }
}

fn every_kind_of_answer() -> Vec<AnswerLine> {
    let texts = [
        "",
        "A klystron.",
        " The SPARE of the klystron [#d2] ",
        "Nothing.",
    ];
    let statuses = [
        "",
        "grounded",
        "Partial",
        "insufficient",
        "clarify",
        "uncited",
    ];
    let cited_and_found: [(&[&str], &[&str]); 4] = [
        (&[], &[]),
        (&["[#D2]"], &["d1", "d1", "d1", "d2"]),
        (&["d1"], &["d3", "d2", "d1"]),
        (&["d3", "d2"], &["d4", "d5", "d6", "d3"]),
    ];
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    let mut answers = Vec::new();
    for (text, status) in texts
        .iter()
        .flat_map(|text| statuses.map(|status| (text, status)))
    {
        for (citations, top_ids) in cited_and_found {
            for _ in questions() {
                answers.push(AnswerLine {
                    id: format!("a{}", answers.len()),
                    answer: (*text).to_owned(),
                    citations: owned(citations),
                    status: status.to_owned(),
                    confidence: None,
                    top_ids: owned(top_ids),
                });
            }
        }
    }
    answers
}

#[test]
fn answers_of_several_modes_do_not_go_into_one_file() {
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    write_questions(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args([
            "eval",
            "--qa",
            "qa.jsonl",
            "--mode",
            "keyword,rag",
            "--answers",
            "a.jsonl",
        ])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("name one with --mode"), "{said}");
}

#[test]
fn what_is_not_right_is_shown_with_its_gold_entries() {
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    write_questions(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["eval", "--qa", "qa.jsonl", "--mode", "keyword", "--show"])
        .arg(folder.path())
        .output()
        .unwrap();
    let (told, shown) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    // A search module gives no answer: both questions are abstentions, and
    // that is right for the third.
    assert!(
        told.contains("unanswerable: n 1, right abstentions 1, false answers 0"),
        "{told}"
    );
    assert!(
        told.contains("grounded: 0 answers, 0 right (precision -)"),
        "{told}"
    );
    assert!(
        shown.contains("gold d2, cited none, status none"),
        "{shown}"
    );
    assert!(!shown.contains("Who paid"), "{shown}");
}

fn evaluate_answers(set: &Path, more: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["--format", "json", "eval", "--qa", "qa.jsonl"])
        .args(more)
        .arg(set)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn write_questions(folder: &Path) {
    write_lines(&folder.join("qa.jsonl"), questions());
}

fn questions() -> [Value; 3] {
    [
        json!({"id": "k", "text": "What was the klystron changed for?", "category": "fact",
               "gold": ["d2"], "answers": [["\\bspare\\b"], ["klystron", "tube"]], "unanswerable": false}),
        json!({"id": "w", "text": "Where was the water leak?", "category": "list",
               "gold": ["d3", "d1"], "answers": [["pump\\ room"]], "unanswerable": false}),
        json!({"id": "n", "text": "Who paid for the crane?", "category": "unanswerable",
               "gold": [], "answers": [], "unanswerable": true}),
    ]
}

fn write_lines(path: &Path, lines: impl IntoIterator<Item = Value>) {
    let lines: Vec<String> = lines.into_iter().map(|line| line.to_string()).collect();
    std::fs::write(path, lines.join("\n")).unwrap();
}

/// The counts of the reference scorer, where it and Python are there.
fn reference_counts(questions: &Path, answers: &Path) -> Option<Value> {
    let scorer = gannet_tests::shared("data/qa/score.py")?;
    let output = Command::new("python3")
        .arg(scorer)
        .args([questions, answers])
        .arg("--json")
        .output();
    let Ok(output) = output else {
        println!("skipped: python3 is not there");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Our counts under the names of the reference scorer, without zeros.
fn as_the_reference(counts: &Value) -> Value {
    let count = |name: &str| counts[name].as_u64().unwrap();
    let names = [
        ("n", count("n")),
        ("abstained", count("abstained")),
        ("right", count("right") + count("right_abstentions")),
        ("false", count("false_answers")),
        ("right+cited", count("right_cited")),
        ("part", count("part")),
        ("wrong", count("wrong")),
        ("wrong entry", count("wrong_entry")),
        ("r@1", count("gold_at_1")),
        ("r@3", count("gold_at_3")),
        ("r@10", count("gold_at_10")),
        ("all@10", count("all_at_10")),
    ];
    without_zeros(&Value::Object(
        names
            .map(|(name, n)| (name.to_owned(), json!(n)))
            .into_iter()
            .collect(),
    ))
}

/// The reference scorer leaves some counts out where they are 0.
fn without_zeros(counts: &Value) -> Value {
    let counts = counts.as_object().unwrap().clone().into_iter();
    Value::Object(counts.filter(|(_, n)| n.as_u64() != Some(0)).collect())
}
