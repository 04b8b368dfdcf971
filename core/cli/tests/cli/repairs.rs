//! Broken stores: `doctor` and `index verify` find what is wrong and change
//! nothing, `index rebuild` mends it. And entries, listed and deleted.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::facility::{Facility, code, stderr, stdout};
use serde_json::{Value, json};

const ENTRIES: usize = 30;

fn record(number: usize, text: &str) -> String {
    json!({
        "id": format!("E-{number:02}"), "title": format!("Pump {number}"),
        "text": text, "author": if number.is_multiple_of(2) { "Lee" } else { "Chen" },
        "timestamp": format!("2025-03-{:02}T09:30:00Z", number + 1),
    })
    .to_string()
}

/// A facility with a store, complete with vectors.
fn with_store(text: &str) -> Facility {
    let facility = Facility::new();
    let line = |number| record(number, &format!("{text} {number} in sector {}", number * 7));
    let lines: Vec<String> = (0..ENTRIES).map(line).collect();
    facility.write("log.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "log.jsonl", "--data", "store"]);
    facility
}

fn store(facility: &Facility) -> PathBuf {
    facility.folder.path().join("store")
}

/// Every file below a folder with what is in it.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => drop(found.insert(path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found
}

/// The same without the index of SQLite's log, in which readers leave marks.
fn at_rest(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = contents(folder);
    all.retain(|file, _| !file.ends_with("store.db-shm"));
    all
}

/// What `doctor` finds; it must leave the folder as it is.
fn doctor(facility: &Facility, flags: &[&str]) -> (i32, Vec<Value>) {
    let before = at_rest(&store(facility));
    let arguments = [&["doctor", "--json", "--data", "store"], flags].concat();
    let output = facility.gannet(&arguments);
    let after = at_rest(&store(facility));
    let names = |all: &BTreeMap<PathBuf, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&before),
        names(&after),
        "doctor makes or removes files"
    );
    assert!(before == after, "doctor changes files");
    (
        code(&output),
        serde_json::from_str(&stdout(&output)).unwrap(),
    )
}

/// The findings that failed.
fn failed(findings: &[Value]) -> Vec<String> {
    let failed = findings.iter().filter(|one| one["health"] == "fail");
    failed
        .map(|one| format!("{}: {} → {}", one["check"], one["message"], one["advice"]))
        .collect()
}

/// Finds the damage in both forms, names the command, and is mended by it.
fn found_and_mended(facility: &Facility, part: &str) {
    let (code_of_doctor, findings) = doctor(facility, &[]);
    let told = failed(&findings);
    assert_eq!(code_of_doctor, 1, "{findings:#?}");
    assert!(
        told.iter()
            .any(|one| one.contains("run `gannet") || one.contains("with `gannet")),
        "{told:#?}"
    );
    let verified = facility.gannet(&["index", "verify", "--data", "store"]);
    assert_eq!(code(&verified), 1, "{}", stdout(&verified));

    facility.done(&["index", "rebuild", part, "--data", "store"]);

    let (code_of_doctor, findings) = doctor(facility, &["--deep"]);
    assert_eq!(code_of_doctor, 0, "{:#?}", failed(&findings));
    let found = facility.json(&[
        "search",
        "bearing",
        "--mode",
        "keyword",
        "--max-results",
        "100",
        "--data",
        "store",
    ]);
    assert_eq!(found["entries"].as_array().unwrap().len(), ENTRIES);
}

#[test]
fn a_sound_store_passes_and_is_left_as_it_is() {
    let facility = with_store("The bearing of pump");
    for flags in [&[][..], &["--deep"]] {
        let (code, findings) = doctor(&facility, flags);
        assert_eq!(code, 0, "{:#?}", failed(&findings));
    }
    let before = at_rest(&store(&facility));
    facility.done(&["index", "verify", "--deep", "--data", "store"]);
    assert!(before == at_rest(&store(&facility)));
}

#[test]
fn vectors_of_another_store_are_found_and_mended() {
    let facility = with_store("The bearing of pump");
    let other = with_store("The klystron modulator number");
    let vectors = store(&facility).join("vectors");
    std::fs::remove_dir_all(&vectors).unwrap();
    for (file, bytes) in contents(&store(&other).join("vectors")) {
        let below = file.strip_prefix(store(&other).join("vectors")).unwrap();
        std::fs::create_dir_all(vectors.join(below).parent().unwrap()).unwrap();
        std::fs::write(vectors.join(below), bytes).unwrap();
    }
    found_and_mended(&facility, "vectors");
}

#[test]
fn records_that_were_put_back_beside_newer_indexes_are_found_and_mended() {
    let facility = with_store("The bearing of pump");
    let database = store(&facility).join("store.db");
    let older = std::fs::read(&database).unwrap();
    let line = |day: usize| record(day, "An ion gauge was exchanged.").replace("E-", "F-");
    let more: Vec<String> = (0..9).map(line).collect();
    facility.write("more.jsonl", &more.join("\n"));
    facility.done(&["ingest", "more.jsonl", "--data", "store"]);
    std::fs::write(&database, older).unwrap();
    found_and_mended(&facility, "all");
}

/// Bytes of a page of the database.
const PAGE: usize = 16_384;

#[test]
fn a_damaged_database_is_found_and_the_way_out_is_named() {
    let facility = with_store("The bearing of pump");
    let database = store(&facility).join("store.db");
    let whole = std::fs::read(&database).unwrap();
    let pages = whole.len() / PAGE;
    for page in [0, pages / 3, pages / 2, pages - 1] {
        let mut damaged = whole.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0);
        std::fs::write(&database, damaged).unwrap();
        let (code, findings) = doctor(&facility, &[]);
        let told = failed(&findings);
        assert_eq!(code, 1, "page {page} of {pages}: {findings:#?}");
        // Damage inside a vector is reported by the check of the vectors, whose
        // advice is another one.
        let names_restore = told.iter().any(|one| one.contains("restore"));
        assert!(names_restore || page > 0, "{told:#?}");
    }
    std::fs::write(&database, &whole[..whole.len() / 2]).unwrap();
    let (code, findings) = doctor(&facility, &[]);
    assert_eq!(code, 1, "truncated: {findings:#?}");
}

#[test]
fn nothing_is_made_where_there_is_no_store() {
    let facility = Facility::new();
    let commands: [(&[&str], i32); 5] = [
        (&["doctor", "--data", "store"], 0),
        (&["index", "verify", "--data", "store"], 4),
        (&["index", "rebuild", "--data", "store"], 4),
        (&["enhance", "--data", "store"], 4),
        (&["entry", "list", "--data", "store"], 4),
    ];
    for (arguments, expected) in commands {
        let output = facility.gannet(arguments);
        assert_eq!(
            code(&output),
            expected,
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(!store(&facility).exists(), "{arguments:?}");
    }
}

#[test]
fn entries_are_listed_latest_first() {
    let facility = with_store("The bearing of pump");
    let ids = |arguments: &[&str]| -> Vec<String> {
        let arguments = [&["entry", "list", "--data", "store"], arguments].concat();
        let listed = facility.json(&arguments);
        let entries = listed.as_array().unwrap().iter();
        entries
            .map(|entry| entry["entry_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&[]).len(), 20);
    assert_eq!(ids(&["--limit", "3"]), ["E-29", "E-28", "E-27"]);
    assert_eq!(ids(&["--limit", "2", "--author", "lee"]), ["E-28", "E-26"]);
    assert_eq!(ids(&["--filter", "author=Chen", "--limit", "1"]), ["E-29"]);
    let days = ["--start-date", "2025-03-03", "--end-date", "2025-03-04"];
    assert_eq!(ids(&days), ["E-03", "E-02"]);

    let shown = facility.done(&["entry", "list", "--limit", "1", "--data", "store"]);
    for word in ["E-29", "2025-03-30", "Chen", "Pump 29", "--limit"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
}

#[test]
fn entries_are_deleted_when_all_of_them_are_known() {
    let facility = with_store("The bearing of pump");
    let delete = |ids: &[&str]| {
        let arguments = [&["entry", "delete", "--data", "store"], ids].concat();
        facility.gannet(&arguments)
    };
    let unasked = delete(&["E-01"]);
    assert_eq!(code(&unasked), 2);
    assert!(stderr(&unasked).contains("--yes"), "{}", stderr(&unasked));

    let unknown = delete(&["--yes", "E-01", "X-1", "X-2"]);
    assert_eq!(code(&unknown), 2);
    let said = stderr(&unknown);
    assert!(
        said.contains("`X-1` or `X-2`; nothing was deleted"),
        "{said}"
    );

    let deleted = delete(&["--yes", "E-01", "E-02", "E-01"]);
    assert_eq!(code(&deleted), 0, "{}", stderr(&deleted));
    let said = stdout(&deleted);
    assert!(
        said.contains("E-01  Pump 1") && said.contains("2 entries"),
        "{said}"
    );
    let status = facility.json(&["status", "--data", "store"]);
    assert_eq!(status["entries"], ENTRIES - 2);
    for mode in ["keyword", "semantic"] {
        let found = facility.json(&[
            "search",
            "bearing pump 1",
            "--mode",
            mode,
            "--max-results",
            "100",
            "--data",
            "store",
        ]);
        let hits = found["entries"].as_array().unwrap();
        assert!(
            hits.iter().all(|hit| hit["entry"]["entry_id"] != "E-01"),
            "{mode}"
        );
    }
}

#[test]
fn an_index_that_is_gone_is_found_and_mended() {
    let facility = with_store("The bearing of pump");
    std::fs::remove_dir_all(store(&facility).join("text")).unwrap();
    found_and_mended(&facility, "text");
    // A killed process may leave no vectors too: they are built when the store
    // is opened.
    std::fs::remove_dir_all(store(&facility).join("vectors")).unwrap();
    let (code_of_doctor, findings) = doctor(&facility, &[]);
    assert_eq!(code_of_doctor, 0, "{findings:?}");
    let mut warned = findings.iter().filter(|one| one["health"] == "warn");
    let message = |one: &Value| one["message"].to_string();
    assert!(warned.any(|one| message(one).contains("the index is missing")));
    facility.done(&["index", "rebuild", "vectors", "--data", "store"]);
    let (_, findings) = doctor(&facility, &["--deep"]);
    assert!(findings.iter().all(|one| !message(one).contains("missing")));
}

#[test]
fn indexes_without_records_are_not_taken_for_an_empty_store() {
    let facility = with_store("pump");
    std::fs::remove_file(store(&facility).join("store.db")).unwrap();
    let (code_of_doctor, findings) = doctor(&facility, &[]);
    assert_eq!(code_of_doctor, 1);
    assert!(!failed(&findings).is_empty(), "{findings:?}");
    let refused = facility.gannet(&["ingest", "log.jsonl", "--data", "store"]);
    assert_eq!(code(&refused), 4);
    let said = stderr(&refused);
    assert!(
        said.contains("`store.db` with the entries is missing"),
        "{said}"
    );
    assert!(!store(&facility).join("store.db").exists());
}
