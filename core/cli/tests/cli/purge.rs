//! `gannet purge`: entries that are gone for good.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::facility::{Facility, code, stderr};

/// In one entry only.
const SECRET: &str = "zorkulent";

fn entry(id: &str, time: &str, text: &str) -> String {
    format!(
        r#"{{"id": "{id}", "timestamp": "{time}", "author": "A", "title": "{id}", "text": "{text}", "source_system": "{}"}}"#,
        if id.starts_with("OLD") {
            "Old eLog"
        } else {
            "eLog"
        }
    )
}

/// A store of four entries, the first two old.
fn filled() -> Facility {
    let facility = Facility::new();
    let lines = [
        entry(
            "OLD-1",
            "2014-06-01T00:00:00Z",
            &format!("The {SECRET} pump tripped."),
        ),
        entry("OLD-2", "2014-12-31T23:00:00Z", "The valve was closed."),
        entry("NEW-1", "2015-01-01T00:00:00Z", "The pump was exchanged."),
        entry("NEW-2", "2100-01-01T00:00:00Z", "The pump runs."),
    ];
    facility.write("log.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "log.jsonl", "--data", "store"]);
    facility
}

/// The files of a folder that hold the secret.
fn holding(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path));
        } else if std::fs::read(&path)
            .unwrap()
            .windows(SECRET.len())
            .any(|window| window == SECRET.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn entries_before_a_day_are_purged_and_nothing_of_them_is_left() {
    let facility = filled();
    let store = facility.folder.path().join("store");
    assert!(!holding(&store).is_empty());
    let purge = ["purge", "--before", "2015", "--data", "store"];

    let shown = facility.done(&[&purge[..], &["--dry-run"]].concat());
    assert!(
        shown.contains("OLD-1") && shown.contains("would purge 2 entries"),
        "{shown}"
    );
    let refused = facility.gannet(&purge);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("add `--yes`"));
    assert!(!holding(&store).is_empty());

    let purged = facility.done(&[&purge[..], &["--yes"]].concat());
    assert!(purged.contains("purged 2 entries"), "{purged}");
    assert_eq!(holding(&store), Vec::<PathBuf>::new());
    let list = facility.done(&["entry", "list", "--data", "store"]);
    assert!(list.contains("NEW-1") && !list.contains("OLD-"), "{list}");
    let again = facility.done(&[&purge[..], &["--yes"]].concat());
    assert!(again.contains("nothing was deleted"), "{again}");
    facility.done(&["index", "verify", "--deep", "--data", "store"]);
    let found = facility.done(&["search", "pump exchanged", "--data", "store"]);
    assert!(found.contains("NEW-1"), "{found}");
}

#[test]
fn entries_of_a_source_are_purged_with_their_files() {
    let facility = filled();
    let id = "00112233445566778899aabbccddeeff";
    facility.write(
        "file.jsonl",
        &format!(
            r#"{{"id": "OLD-3", "timestamp": "2020-01-01T00:00:00Z", "text": "With a file.", "source_system": "Old eLog", "attachments": [{{"url": "/api/attachments/{id}", "filename": "a.txt"}}]}}"#
        ),
    );
    facility.done(&["ingest", "file.jsonl", "--data", "store"]);
    std::fs::create_dir_all(facility.folder.path().join("store/attachments")).unwrap();
    facility.write(&format!("store/attachments/{id}"), "a picture");
    facility.write(&format!("store/attachments/{id}.json"), "{}");
    facility.write("store/attachments/0f", "of another entry");
    let shown = facility.json(&["entry", "show", "OLD-3", "--data", "store"]);
    let source = shown["source_system"].as_str().unwrap().to_owned();
    let purged = facility.json(&["purge", "--source", &source, "--yes", "--data", "store"]);
    assert_eq!(purged["attachments"], 1);
    assert!(purged["entries"].as_u64() >= Some(1));
    let left = std::fs::read_dir(facility.folder.path().join("store/attachments")).unwrap();
    assert_eq!(left.count(), 1);
}

/// Uploads a file of a tenant, so many hours ago.
fn upload(facility: &Facility, id: &str, tenant: &str, hours: u64) {
    let folder = facility.folder.path().join("store/attachments");
    std::fs::create_dir_all(folder).unwrap();
    let label = format!(r#"{{"tenant": "{tenant}", "filename": "a.txt", "mime_type": "x"}}"#);
    for (name, text) in [
        (id.to_owned(), "a picture"),
        (format!("{id}.json"), label.as_str()),
    ] {
        let path = facility.write(&format!("store/attachments/{name}"), text);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let time = SystemTime::now() - Duration::from_hours(hours);
        file.set_modified(time).unwrap();
    }
}

/// The files that are there.
fn uploaded(facility: &Facility) -> BTreeSet<String> {
    let folder = facility.folder.path().join("store/attachments");
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with(".json")).collect()
}

/// A line of an entry that names files.
fn entry_with(id: &str, source: &str, files: &[&str]) -> String {
    let files = files.iter().map(|file| {
        let url = format!("/api/attachments/{file}");
        serde_json::json!({ "url": url, "filename": "a.txt" })
    });
    let entry = serde_json::json!({
        "id": id, "timestamp": "2020-01-01T00:00:00Z", "text": "With a file.",
        "source_system": source, "attachments": files.collect::<Vec<_>>(),
    });
    entry.to_string()
}

#[test]
fn a_purge_removes_no_file_that_another_entry_names_or_another_tenant_has() {
    let facility = filled();
    let [own, shared, of_another] = ["a1", "b2", "c3"].map(|byte| byte.repeat(16));
    for (id, tenant) in [
        (&own, "default"),
        (&shared, "default"),
        (&of_another, "linac"),
    ] {
        upload(&facility, id, tenant, 0);
    }
    let lines = [
        entry_with("OLD-3", "Old eLog", &[&own, &shared, &of_another]),
        entry_with("NEW-3", "eLog", &[&shared]),
    ];
    facility.write("files.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "files.jsonl", "--data", "store"]);
    let shown = facility.json(&["entry", "show", "OLD-3", "--data", "store"]);
    let source = shown["source_system"].as_str().unwrap().to_owned();
    let of_source = ["purge", "--source", source.as_str(), "--data", "store"];
    let other = facility.json(&["entry", "show", "NEW-3", "--data", "store"]);
    assert_ne!(other["source_system"], shown["source_system"]);

    let due = facility.json(&[&of_source[..], &["--dry-run"]].concat());
    assert_eq!(due["attachments"], 1, "{due}");
    let told = facility.done(&[&of_source[..], &["--dry-run"]].concat());
    assert!(told.contains(", 1 uploaded file"), "{told}");
    assert_eq!(uploaded(&facility).len(), 3);
    let purged = facility.json(&[&of_source[..], &["--yes"]].concat());
    assert_eq!(purged["attachments"], 1, "{purged}");
    assert_eq!(purged["entries"], due["entries"]);
    assert_eq!(uploaded(&facility), BTreeSet::from([shared, of_another]));
}

#[test]
fn a_purge_removes_files_that_no_entry_names_once_they_are_a_day_old() {
    let facility = filled();
    let [named, gone, new] = ["a1", "b2", "c3"].map(|byte| byte.repeat(16));
    upload(&facility, &named, "default", 48);
    upload(&facility, &gone, "default", 25);
    upload(&facility, &new, "default", 1);
    facility.write("file.jsonl", &entry_with("NEW-3", "eLog", &[&named]));
    facility.done(&["ingest", "file.jsonl", "--data", "store"]);
    let purge = ["purge", "--before", "2010", "--data", "store"];
    let told = facility.done(&[&purge[..], &["--dry-run"]].concat());
    let expected = "0 entries, 0 uploaded files, 1 uploaded file that no entry names";
    assert!(told.contains(expected), "{told}");
    assert_eq!(uploaded(&facility).len(), 3);
    let purged = facility.json(&[&purge[..], &["--yes"]].concat());
    assert_eq!(purged["attachments"], 0);
    assert_eq!(purged["unnamed_attachments"], 1);
    assert_eq!(uploaded(&facility), BTreeSet::from([named, new]));
}

#[test]
fn a_purge_without_a_condition_or_with_a_bad_date_is_refused() {
    let facility = filled();
    for (arguments, reason) in [
        (vec!["purge", "--yes"], "--before"),
        (
            vec!["purge", "--before", "yesteryear", "--yes"],
            "not a valid date",
        ),
        (vec!["purge", "--retention", "--yes"], "sets no limit"),
    ] {
        let refused = facility.gannet(&[&arguments[..], &["--data", "store"]].concat());
        assert_eq!(code(&refused), 2, "{arguments:?}");
        assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    }
    let list = facility.json(&["entry", "list", "--data", "store"]);
    assert_eq!(list.as_array().map(Vec::len), Some(4));
}

#[test]
fn what_is_older_than_the_retention_is_deleted_from_store_and_logs() {
    let facility = filled();
    facility.write(
        "config.yml",
        "store: {path: store}\n\
         server: {query_log: {path: queries.jsonl}}\n\
         question_log: {path: questions.jsonl}\n\
         retention: {entries_days: 3000, query_log_days: 30, question_log_days: 30}\n",
    );
    let new = r#"{"at":"2100-01-01T00:00:00Z","query":"new"}"#;
    let old = r#"{"at":"2014-01-01T00:00:00Z","query":"old"}"#;
    facility.write("queries.jsonl", &format!("{old}\n{new}\n{old}\n"));
    facility.write(
        "questions.jsonl",
        &format!("{}\n", old.replace("at", "logged_at")),
    );
    let due = facility.json(&["purge", "--retention", "--dry-run"]);
    let shown = facility.done(&["purge", "--retention", "--dry-run", "--yes"]);
    for line in [
        "would purge 3 entries, 0 uploaded files",
        "would delete 2 lines of the query log",
        "would delete 1 line of the question log",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let kept = std::fs::read_to_string(facility.folder.path().join("queries.jsonl")).unwrap();
    assert_eq!(kept, format!("{old}\n{new}\n{old}\n"));
    let list = facility.json(&["entry", "list"]);
    assert_eq!(list.as_array().map(Vec::len), Some(4));

    let report = facility.json(&["purge", "--retention", "--yes"]);
    assert_eq!(due, report);
    assert_eq!(report["entries"], 3);
    assert_eq!(report["query_log_lines"], 2);
    assert_eq!(report["question_log_lines"], 1);
    let left = std::fs::read_to_string(facility.folder.path().join("queries.jsonl")).unwrap();
    assert_eq!(left, format!("{new}\n"));
    assert_eq!(
        holding(&facility.folder.path().join("store")),
        Vec::<PathBuf>::new()
    );
}
