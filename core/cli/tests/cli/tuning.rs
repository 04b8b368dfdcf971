//! `gannet feedback` and `gannet tune`.

use std::fmt::Write;

use crate::facility::{Facility, code, stderr};

/// Words that mean the same: one of an entry, and one of a question.
const SAME: [(&str, &str); 60] = [
    ("automobile", "car"),
    ("physician", "doctor"),
    ("blaze", "fire"),
    ("infant", "baby"),
    ("canine", "dog"),
    ("feline", "cat"),
    ("sofa", "couch"),
    ("film", "movie"),
    ("autumn", "fall"),
    ("bicycle", "bike"),
    ("attorney", "lawyer"),
    ("cab", "taxi"),
    ("elevator", "lift"),
    ("garbage", "trash"),
    ("gasoline", "petrol"),
    ("flashlight", "torch"),
    ("airplane", "aircraft"),
    ("ship", "boat"),
    ("rabbit", "bunny"),
    ("hog", "pig"),
    ("rifle", "gun"),
    ("rug", "carpet"),
    ("sickness", "illness"),
    ("penny", "coin"),
    ("picture", "photo"),
    ("present", "gift"),
    ("tale", "story"),
    ("thief", "robber"),
    ("forest", "woods"),
    ("stone", "rock"),
    ("stomach", "belly"),
    ("street", "road"),
    ("supper", "dinner"),
    ("sweater", "jumper"),
    ("teenager", "adolescent"),
    ("telephone", "phone"),
    ("television", "tv"),
    ("tornado", "twister"),
    ("trousers", "pants"),
    ("wallet", "purse"),
    ("wages", "salary"),
    ("burglary", "robbery"),
    ("bucket", "pail"),
    ("jail", "prison"),
    ("kid", "child"),
    ("monarch", "king"),
    ("ocean", "sea"),
    ("pupil", "student"),
    ("reptile", "lizard"),
    ("insect", "bug"),
    ("beverage", "drink"),
    ("cap", "hat"),
    ("cemetery", "graveyard"),
    ("cookie", "biscuit"),
    ("drapes", "curtains"),
    ("faucet", "tap"),
    ("freeway", "motorway"),
    ("hotel", "inn"),
    ("jewel", "gem"),
    ("lamp", "light"),
];

fn question(number: usize) -> String {
    format!("who saw the {} during the night?", SAME[number].1)
}

/// A store of entries that have the words of every question but one, with a
/// fusion that counts words alone.
fn facility() -> Facility {
    let facility = Facility::new();
    let mut lines = String::new();
    for (number, (word, _)) in SAME.iter().enumerate() {
        let text = format!("We saw the {word} during the night.");
        writeln!(
            lines,
            r#"{{"id": "T-{number}", "timestamp": "2025-06-02T01:00:00Z", "text": "{text}"}}"#
        )
        .unwrap();
    }
    facility.write("log.jsonl", &lines);
    facility.write(
        "config.yml",
        "# ours\nstore: {path: store}\nfeedback: {enabled: true}\npipelines:\n  rag:\n    settings:\n      fusion:\n        alpha: 0.0 # by words\n",
    );
    facility.done(&["ingest", "log.jsonl"]);
    facility.done(&["enhance"]);
    facility
}

#[test]
fn weights_that_gain_on_held_back_questions_are_written_into_the_configuration() {
    let facility = facility();
    let (mut queries, mut qrels) = (String::new(), "query\tdocument\tgrade\n".to_owned());
    for number in 0..SAME.len() {
        let text = question(number);
        writeln!(queries, r#"{{"id": "{number}", "text": "{text}"}}"#).unwrap();
        writeln!(qrels, "{number}\tT-{number}\t1").unwrap();
    }
    facility.write("queries.jsonl", &queries);
    facility.write("qrels.tsv", &qrels);
    let config = || std::fs::read_to_string(facility.folder.path().join("config.yml")).unwrap();
    let before = config();

    let tune = [
        "tune",
        "--apply",
        "--queries",
        "queries.jsonl",
        "--qrels",
        "qrels.tsv",
    ];
    let report = facility.json(&tune);
    let ranking = &report["ranking"];
    assert_eq!(ranking["gains"], true, "{report}");
    assert!(
        ranking["held_back"]["least"].as_f64() > Some(0.0),
        "{report}"
    );
    let questions = |half: &str| ranking[half]["questions"].as_u64().unwrap();
    assert_eq!(
        questions("learned") + questions("held_back"),
        SAME.len() as u64
    );

    let alpha = &ranking["settings"][0];
    assert_eq!(alpha["key"], "pipelines.rag.settings.fusion.alpha");
    let written = format!("alpha: {} # by words\n", alpha["after"]);
    assert_eq!(
        config(),
        before.replace("alpha: 0.0 # by words\n", &written)
    );
    let kept = std::fs::read_to_string(facility.folder.path().join("config.yml.bak")).unwrap();
    assert_eq!(kept, before);
}

#[test]
fn too_few_judged_questions_change_nothing() {
    let facility = facility();
    let question = question(3);
    facility.done(&["feedback", "add", &question, "T-3"]);
    let shown = facility.done(&["tune", "--apply"]);
    assert!(shown.contains("the ranking is not tuned"), "{shown}");
    assert!(
        shown.contains("the threshold of answers is not tuned"),
        "{shown}"
    );
    assert!(shown.contains("the settings stay"), "{shown}");
    assert!(!facility.folder.path().join("config.yml.bak").exists());
}

#[test]
fn feedback_is_exported_as_an_evaluation_set_and_deleted() {
    let facility = facility();
    let question = "who saw the infant?";
    let nothing = facility.gannet(&["feedback", "export", "set"]);
    assert_eq!(code(&nothing), 2, "{}", stderr(&nothing));
    facility.done(&["feedback", "add", question, "T-3"]);
    facility.done(&["feedback", "add", question, "T-4", "--not-helpful"]);
    let list = facility.done(&["feedback", "list"]);
    assert!(list.contains("not helpful  T-4"), "{list}");
    facility.done(&["feedback", "export", "set"]);
    let qrels = std::fs::read_to_string(facility.folder.path().join("set/qrels.tsv")).unwrap();
    let expected = "query-id\tcorpus-id\tscore\nfeedback-1\tT-3\t2\nfeedback-1\tT-4\t0\n";
    assert_eq!(qrels, expected);
    let report = facility.json(&["eval", "set", "--mode", "keyword"]);
    assert_eq!(report[0]["mrr_at_10"], 1.0, "{report}");
    let again = facility.gannet(&["feedback", "export", "set"]);
    assert_eq!(code(&again), 2, "{}", stderr(&again));
    facility.done(&["entry", "delete", "T-4", "--yes"]);
    let left = facility.json(&["feedback", "list"]);
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
    facility.done(&["feedback", "delete", "--yes"]);
    assert_eq!(facility.json(&["feedback", "list"]), serde_json::json!([]));
}
