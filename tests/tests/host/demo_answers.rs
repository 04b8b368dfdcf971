//! The deterministic answers to the demo's questions, against its judgements.

use std::collections::{BTreeMap, BTreeSet};

use gannet_core::SearchInput;
use gannet_core::api::AnswerStatus;
use gannet_tests::{Host, root};
use serde_json::Value;

/// The least share of questions whose answer cites a judged entry.
const BAR: f64 = 0.8;

/// The entries that answer each question.
fn judgements() -> BTreeMap<String, BTreeSet<String>> {
    let mut judged: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let text = std::fs::read_to_string(root().join("demo/qrels.tsv")).unwrap();
    for line in text.lines() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [question, .., entry, grade] = columns.as_slice() else {
            panic!("{line}");
        };
        if grade.parse::<u32>().is_ok_and(|grade| grade > 0) {
            let entries = judged.entry((*question).to_owned()).or_default();
            entries.insert((*entry).to_owned());
        }
    }
    judged
}

fn questions() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("demo/queries.jsonl")).unwrap();
    let question = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let field = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| line[*name].as_str());
            found.unwrap().to_owned()
        };
        (field(["_id", "id"]), field(["text", "query"]))
    };
    text.lines().map(question).collect()
}

async fn demo() -> Host {
    let logbook = root().join("demo/logbook.json");
    let host = Host::new().await;
    host.ingest("generic_json", &logbook).await.enhance().await;
    host
}

/// Questions that no sentence of the demo answers: entries name some of the
/// trips, and base pressures of sectors.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_no_entry_says_is_not_grounded() {
    let host = demo().await;
    for question in [
        "how many RF trips were there in May?",
        "what is the base pressure of the storage ring",
        "what percentage of entries are by Petra Voss?",
    ] {
        let mut input = SearchInput::new(question);
        input.mode = Some("rag".to_owned());
        let result = host.gannet.search(input).await.unwrap();
        let status = result.answer_status;
        let answer = result.answer;
        assert_ne!(
            status,
            Some(AnswerStatus::Grounded),
            "{question}: {answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn most_answers_cite_an_entry_that_was_judged_relevant() {
    let host = demo().await;
    let judged = judgements();
    let questions = questions();
    let mut cited = 0;
    for (id, question) in &questions {
        let mut input = SearchInput::new(question.as_str());
        input.mode = Some("rag".to_owned());
        let result = host.gannet.search(input).await.unwrap();
        let relevant = &judged[id];
        match result
            .citations
            .iter()
            .any(|entry| relevant.contains(entry))
        {
            true => cited += 1,
            false => println!("{id}: {question}\n{:?}", result.answer),
        }
    }
    let share = f64::from(cited) / questions.len() as f64;
    println!("{cited} of {} answers cite a judged entry", questions.len());
    assert!(share >= BAR, "{share}");
}
