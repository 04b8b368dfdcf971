//! Questions are searched with the facility's short forms and with the words
//! that entries have.

use gannet_core::SearchInput;
use gannet_tests::{Host, ids, shared};
use serde_json::{Value, json};

/// The vocabulary of the cases.
const VOCABULARY: &str = "\
concepts:
  - { canonical: troubleshoot, kind: shorthand, forms: [ts, t/s] }
  - { canonical: beam position monitor, kind: acronym, forms: [bpm, bpms] }
  - { canonical: input output, kind: shorthand, forms: [i/o] }
";

async fn host(settings: &[(&str, &str)]) -> Host {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vocabulary.yml");
    std::fs::write(&file, VOCABULARY).unwrap();
    let path = file.display().to_string();
    let mut all = vec![("vocabulary.enabled", "true"), ("vocabulary.path", &path)];
    all.extend(settings);
    Host::with(&all).await
}

fn record(id: &str, text: &str) -> Value {
    json!({"id": id, "text": text, "timestamp": "2025-03-01T08:00:00Z"})
}

#[tokio::test]
async fn searches_find_what_ariels_find() {
    let Some(file) = shared("cases/ariel-data/vocab_glob_corpus.json") else {
        return;
    };
    let corpus: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let lines: Vec<Value> = corpus
        .iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap();
            record(text("entry_id"), text("raw_text"))
        })
        .collect();
    let all = host(&[]).await;
    let one_way = host(&[("vocabulary.canonical_to_acronym", "false")]).await;
    for host in [&all, &one_way] {
        host.ingest_lines(&lines).await;
    }
    for case in gannet_tests::cases("ariel.jsonl", "retrieval_vocab_pattern") {
        let (input, expected) = (&case["input"], &case["expected"]);
        // Any text is a valid query here, and patterns are of names; see
        // docs/compatibility.md.
        if input["note"] == "invalid regex" || input["query"] == "/beam loss/" {
            continue;
        }
        let host = match input["note"] == "canonical_to_acronym=false" {
            true => &one_way,
            false => &all,
        };
        let found = host
            .search("keyword", input["query"].as_str().unwrap())
            .await;
        let whole: Vec<&str> = found
            .entries
            .iter()
            .map(|hit| hit.entry.entry_id.as_str())
            .collect();
        for id in expected["must_include"].as_array().unwrap() {
            assert!(whole.contains(&id.as_str().unwrap()), "{case}: {whole:?}");
        }
        for id in expected["must_exclude"].as_array().into_iter().flatten() {
            assert!(!whole.contains(&id.as_str().unwrap()), "{case}: {whole:?}");
        }
        for group in expected["groups"].as_array().into_iter().flatten() {
            let original = format!("`{}` also finds", group[0].as_str().unwrap());
            let notes = &found.plan.notes;
            assert!(
                notes.iter().any(|note| note.starts_with(&original)),
                "{case}: {notes:?}"
            );
        }
    }
}

#[tokio::test]
async fn every_mode_is_expanded_unless_others_are_named() {
    let lines = [
        record("A", "The beam position monitor in cell 4 drifts."),
        record("B", "A water leak at the pump."),
    ];
    let everywhere = host(&[]).await;
    everywhere.ingest_lines(&lines).await.enhance().await;
    for mode in ["keyword", "rag"] {
        let found = everywhere.search(mode, "bpm").await;
        assert_eq!(ids(&found).first(), Some(&"A"), "{mode}");
    }
    let nowhere = host(&[("vocabulary.expand_modes", "[semantic]")]).await;
    nowhere.ingest_lines(&lines).await;
    assert!(ids(&nowhere.search("keyword", "bpm").await).is_empty());
}

#[tokio::test]
async fn what_is_counted_is_what_is_found() {
    let host = host(&[]).await;
    let lines = [
        record("A", "The beam position monitor drifts."),
        record("B", "BPM 3 replaced."),
    ];
    host.ingest_lines(&lines).await;
    let mut input = SearchInput::new("bpm");
    input.mode = Some("keyword".to_owned());
    input.counting.facets = vec!["source".to_owned()];
    let found = host.gannet.search(input).await.unwrap();
    assert_eq!(found.entries.len(), 2);
    assert_eq!(found.matches.unwrap().count, 2);
}

#[tokio::test]
async fn a_vocabulary_that_cannot_be_used_is_an_error_of_its_key() {
    for path in ["", "/nowhere/vocabulary.yml"] {
        let mut settings = vec![("vocabulary.enabled", "true")];
        if !path.is_empty() {
            settings.push(("vocabulary.path", path));
        }
        let refused = Host::try_with(&settings).await.err().unwrap();
        let error = refused.to_string();
        assert!(error.contains("vocabulary.path"), "{error}");
    }
}
