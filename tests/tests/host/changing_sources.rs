//! What is late, edited or deleted in a source appears the next time that it is
//! read, whatever kind of source it is.

use std::path::Path;

use gannet_core::api::{DEFAULT_TENANT, Entry, FetchRequest};
use gannet_core::{IngestRequest, Stop};
use gannet_tests::Host;
use serde_json::{Value, json};

/// Entries, each an id and a text.
type Records<'r> = [(&'r str, &'r str)];

/// 08:00 on the 1st of March 2025, in UTC.
const TIME: i64 = 1_740_816_000;

/// New, changed and deleted entries of a run.
async fn ingest(host: &Host, adapter: &str, source: &Path, delete_missing: bool) -> [u64; 3] {
    let request = IngestRequest {
        adapter: Some(adapter.to_owned()),
        fetch: FetchRequest::default().with_source(source.display().to_string()),
        delete_missing,
        ..IngestRequest::default()
    };
    let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
    let counts = report.unwrap().counts;
    assert_eq!(counts.rejected, 0, "{adapter}");
    [counts.added, counts.updated, counts.deleted]
}

async fn text_of(host: &Host, id: &str) -> Option<String> {
    let entry = host.gannet.entry(DEFAULT_TENANT, id).await.unwrap();
    entry.map(|entry| entry.raw_text)
}

/// A list of JSON objects.
fn objects(records: &Records<'_>, object: fn(&str, &str) -> Value) -> Vec<Value> {
    let objects = records.iter().map(|(id, text)| object(id, text));
    objects.collect()
}

fn lines(records: &Records<'_>, line: fn(&str, &str) -> String) -> String {
    let lines = records.iter().map(|(id, text)| line(id, text));
    lines.collect()
}

fn jsonl(records: &Records<'_>) -> String {
    lines(records, |id, text| {
        json!({"id": id, "timestamp": TIME, "text": text}).to_string() + "\n"
    })
}

fn als(records: &Records<'_>) -> String {
    lines(records, |id, text| {
        json!({"id": id, "timestamp": TIME.to_string(), "subject": text}).to_string() + "\n"
    })
}

fn csv(records: &Records<'_>) -> String {
    let rows = lines(records, |id, text| {
        format!("{id},2025-03-01T08:00:00Z,{text}\n")
    });
    format!("id,timestamp,text\n{rows}")
}

fn elog(records: &Records<'_>) -> String {
    lines(records, |id, text| {
        let line = "=".repeat(40);
        format!(
            "$@MID@$: {id}\nDate: Sat, 01 Mar 2025 09:00:00 +0100\nAuthor: Lee\nSubject: \n\
             Encoding: plain\n{line}\n{text}\n"
        )
    })
}

fn generic_json(records: &Records<'_>) -> String {
    let object = |id: &str, text: &str| json!({"id": id, "timestamp": TIME, "text": text});
    json!({"entries": objects(records, object)}).to_string()
}

fn jlab(records: &Records<'_>) -> String {
    let object = |id: &str, text: &str| json!({"lognumber": id, "created": {"timestamp": TIME.to_string()}, "title": text});
    json!({"data": {"entries": objects(records, object)}}).to_string()
}

fn ornl(records: &Records<'_>) -> String {
    let object = |id: &str, text: &str| json!({"ID": id, "entry_time": "2025-03-01T08:00:00Z", "title": text});
    json!({"entries": objects(records, object)}).to_string()
}

fn olog(records: &Records<'_>) -> String {
    let object =
        |id: &str, text: &str| json!({"id": id, "createdDate": TIME * 1000, "title": text});
    json!({"logs": objects(records, object)}).to_string()
}

#[tokio::test]
async fn what_changed_in_a_file_of_any_kind_appears_with_the_next_run() {
    type Written = fn(&Records<'_>) -> String;
    let kinds: [(&str, Written); 8] = [
        ("jsonl", jsonl),
        ("als_logbook", als),
        ("csv", csv),
        ("elog", elog),
        ("generic_json", generic_json),
        ("jlab_logbook", jlab),
        ("ornl_logbook", ornl),
        ("olog", olog),
    ];
    for (adapter, written) in kinds {
        let host = Host::new().await;
        let file = host.folder.path().join("source");
        let holds = |records: &Records<'_>| std::fs::write(&file, written(records)).unwrap();
        holds(&[("1", "pump tripped"), ("2", "valve closed")]);
        assert_eq!(
            ingest(&host, adapter, &file, true).await,
            [2, 0, 0],
            "{adapter}"
        );
        assert_eq!(
            ingest(&host, adapter, &file, true).await,
            [0, 0, 0],
            "{adapter}"
        );
        holds(&[("2", "valve closed and reopened"), ("3", "a late one")]);
        assert_eq!(
            ingest(&host, adapter, &file, false).await,
            [1, 1, 0],
            "{adapter}"
        );
        assert_eq!(
            ingest(&host, adapter, &file, true).await,
            [0, 0, 1],
            "{adapter}"
        );
        assert_eq!(text_of(&host, "1").await, None, "{adapter}");
        let edited = text_of(&host, "2").await.unwrap();
        assert_eq!(edited.trim(), "valve closed and reopened", "{adapter}");
        assert!(text_of(&host, "3").await.is_some(), "{adapter}");
    }
}

#[tokio::test]
async fn an_edited_document_of_a_folder_is_updated_and_one_that_is_gone_is_deleted_where_wanted() {
    let host = Host::new().await;
    let documents = tempfile::tempdir().unwrap();
    let at = |name: &str| documents.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(at(name), text).unwrap();
    std::fs::create_dir(at("rf")).unwrap();
    write("rf/start.md", "# Start\n\nWarm up for ten minutes.");
    write("pumps.txt", "Oil and water.");
    let folder = documents.path();
    assert_eq!(ingest(&host, "files", folder, false).await, [2, 0, 0]);
    assert_eq!(ingest(&host, "files", folder, false).await, [0, 0, 0]);

    write("rf/start.md", "# Start\n\nWarm up for twenty minutes.");
    write("valves.txt", "Open them slowly.");
    std::fs::remove_file(at("pumps.txt")).unwrap();
    assert_eq!(ingest(&host, "files", folder, false).await, [1, 1, 0]);
    let start = text_of(&host, "rf/start.md").await.unwrap();
    assert!(start.contains("twenty minutes"), "{start}");
    let found = host.search("keyword", "twenty").await;
    assert_eq!(gannet_tests::ids(&found), ["rf/start.md"]);
    assert!(
        text_of(&host, "pumps.txt").await.is_some(),
        "it is kept by default"
    );
    assert_eq!(ingest(&host, "files", folder, true).await, [0, 0, 1]);
    assert_eq!(text_of(&host, "pumps.txt").await, None);
}

#[tokio::test]
async fn a_document_that_cannot_be_read_any_more_keeps_the_pages_that_it_had() {
    let host = Host::new().await;
    let documents = tempfile::tempdir().unwrap();
    let folder = documents.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("pumps.txt", "Oil and water.");
    write("start.pdf", "");
    let page = |id: &str| {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        Entry::new(id, "files", time, "Warm up for ten minutes.")
    };
    let pages = ["start.pdf#page=1", "start.pdf#page=2", "gone.pdf#page=1"];
    let pages = pages.map(page).to_vec();
    host.gannet.store().upsert(pages).await.unwrap();

    let request = IngestRequest {
        adapter: Some("files".to_owned()),
        fetch: FetchRequest::default().with_source(folder.display().to_string()),
        delete_missing: true,
        ..IngestRequest::default()
    };
    let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
    let counts = report.unwrap().counts;
    assert_eq!((counts.rejected, counts.deleted), (1, 1));
    assert!(text_of(&host, "start.pdf#page=1").await.is_some());
    assert!(text_of(&host, "start.pdf#page=2").await.is_some());
    assert_eq!(text_of(&host, "gone.pdf#page=1").await, None);
}

/// Runs git in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=Lee", "-c", "user.email=lee@lab.example"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[tokio::test]
async fn a_clone_without_its_history_deletes_none_of_it() {
    let host = Host::new().await;
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
    std::fs::create_dir(&whole).unwrap();
    git(&whole, &["init", "--quiet"]);
    for message in ["Raise the limit of the pump", "Fix the pump"] {
        git(
            &whole,
            &["commit", "--quiet", "--allow-empty", "-m", message],
        );
    }
    assert_eq!(ingest(&host, "git", &whole, true).await, [2, 0, 0]);
    let from = format!("file://{}", whole.display());
    git(
        folder.path(),
        &["clone", "--quiet", "--depth=1", &from, "part"],
    );
    let [added, _, deleted] = ingest(&host, "git", &part, true).await;
    assert_eq!((added, deleted), (0, 0));
    assert_eq!(host.search("keyword", "pump").await.entries.len(), 2);
}

#[tokio::test]
async fn a_commit_that_was_rewritten_is_replaced() {
    let host = Host::new().await;
    let repository = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| git(repository.path(), arguments);
    git(&["init", "--quiet"]);
    git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "Raise the limit",
    ]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "Fix the pump"]);
    let source = repository.path();
    assert_eq!(ingest(&host, "git", source, true).await, [2, 0, 0]);
    git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "--amend",
        "-m",
        "Fix the pump of sector 3",
    ]);
    assert_eq!(ingest(&host, "git", source, true).await, [1, 0, 1]);
    let found = host.search("keyword", "pump").await;
    assert_eq!(found.entries.len(), 1);
    assert!(found.entries[0].entry.raw_text.contains("sector 3"));
}

#[tokio::test]
async fn a_quotation_mark_without_a_partner_deletes_none_of_the_entries_behind_it() {
    let host = Host::new().await;
    let file = host.folder.path().join("source");
    let records = [("1", "one"), ("2", "two"), ("3", "three")];
    std::fs::write(&file, csv(&records)).unwrap();
    assert_eq!(ingest(&host, "csv", &file, true).await, [3, 0, 0]);

    std::fs::write(&file, csv(&records).replace("two", "\"two")).unwrap();
    let request = IngestRequest {
        adapter: Some("csv".to_owned()),
        fetch: FetchRequest::default().with_source(file.display().to_string()),
        delete_missing: true,
        ..IngestRequest::default()
    };
    let report = host.gannet.ingest(request, &Stop::default(), |_| {}).await;
    let counts = report.unwrap().counts;
    assert_eq!((counts.rejected, counts.updated, counts.deleted), (1, 0, 0));
    assert_eq!(text_of(&host, "2").await.unwrap(), "two");
    assert!(text_of(&host, "3").await.is_some());
}
