//! What was ingested can be exported, and ingested again as it was.

use std::io::{Cursor, Read};

use gannet_core::api::{DEFAULT_TENANT, Filter};
use gannet_core::store::ListRequest;
use gannet_core::{Gannet, Stop};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores, root};
use serde_json::{Value, json};

over_both_stores![what_was_exported_is_ingested_and_exported_again_to_the_byte,];

async fn export(gannet: &Gannet, filter: Filter) -> String {
    let mut out = Vec::new();
    let stop = Stop::default();
    let exported = gannet.export(DEFAULT_TENANT, filter, &mut out, &stop);
    exported.await.unwrap();
    String::from_utf8(out).unwrap()
}

async fn what_was_exported_is_ingested_and_exported_again_to_the_byte(kind: StoreKind) {
    let linked = gannet_api::Registration::linked().copied();
    let entities = [("enhancement_modules.entities.enabled", "true")];
    let registry = Registry::of(linked).unwrap();
    let Some(first) = Host::on_with_plugins(kind, &entities, &registry).await else {
        return;
    };
    first
        .ingest("generic_json", &root().join("demo/logbook.json"))
        .await;
    let odd = json!({
        "id": "Odd 1/é", "timestamp": "1969-12-31T23:59:59.123456Z", "author": "Ö. \"Q\"",
        "title": "Zeile\u{2028}zwei", "text": "tab\tand \\ and \u{1f9ea}", "kind": "document",
        "keywords": ["b", "a"], "summary": "short", "z": {"b": 1.5, "a": [null, true]}, "a": 10,
        "attachments": [{"url": "https://example.org/a.png", "caption": "c"}]
    });
    first.ingest_lines(&[odd]).await.enhance().await;
    let lines = export(&first.gannet, Filter::none()).await;
    assert_eq!(lines.lines().count(), 355);
    assert!(!lines.contains("enhancement_status"));

    let second = Host::new().await;
    let file = second.folder.path().join("export.jsonl");
    std::fs::write(&file, &lines).unwrap();
    second.ingest("jsonl", &file).await;
    let again = export(&second.gannet, Filter::none()).await;
    let differs = lines
        .lines()
        .zip(again.lines())
        .find(|(one, other)| one != other);
    assert_eq!(differs, None);
    assert_eq!(lines, again);
}

#[tokio::test]
async fn a_filter_says_which_entries_are_exported() {
    let host = Host::new().await;
    host.ingest("generic_json", &root().join("demo/logbook.json"))
        .await;
    let pairs = [("author".to_owned(), "raske".to_owned())];
    let filter = host.gannet.filter(&pairs).unwrap();
    let lines = export(&host.gannet, filter).await;
    let authors: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["author"].clone())
        .collect();
    assert!(!authors.is_empty());
    assert!(
        authors
            .iter()
            .all(|one| one.as_str().unwrap().contains("Raske"))
    );
}

#[tokio::test]
async fn an_archive_describes_its_entries_and_has_their_files() {
    let host = Host::new().await;
    let id = "0123456789abcdef0123456789abcdef";
    let folder = host.gannet.config().store.attachments();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(id), b"trace of the quench").unwrap();
    let entry = json!({
        "id": "../W 1", "timestamp": "2025-06-11T09:40:00Z", "author": "B. Raske",
        "title": "On the wiggler quench", "text": "It warmed up.", "shift": "Day",
        "attachments": [
            {"url": format!("/api/attachments/{id}"), "filename": "../trace.txt", "type": "text/plain"},
            {"url": "https://example.org/plot.png", "filename": "plot.png"}
        ]
    });
    host.ingest_lines(&[entry]).await;
    let ids = ["../W 1".to_owned()];
    let mut archive = Cursor::new(Vec::new());
    let report = host
        .gannet
        .export_eln(DEFAULT_TENANT, &ids, &mut archive)
        .await;
    let report = report.unwrap();
    assert_eq!((report.entries, report.files, report.linked), (1, 1, 1));
    let mut again = Cursor::new(Vec::new());
    host.gannet
        .export_eln(DEFAULT_TENANT, &ids, &mut again)
        .await
        .unwrap();
    assert_eq!(archive.get_ref(), again.get_ref());

    let mut archive = zip::ZipArchive::new(archive).unwrap();
    let mut names: Vec<String> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    names.sort();
    let file = "export/_W_1/01-_trace.txt";
    assert_eq!(names, [file, "export/ro-crate-metadata.json"]);
    let mut read = |name: &str| {
        let mut text = String::new();
        archive
            .by_name(name)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        text
    };
    assert_eq!(read(file), "trace of the quench");
    let crate_: Value = serde_json::from_str(&read("export/ro-crate-metadata.json")).unwrap();
    let nodes = crate_["@graph"].as_array().unwrap();
    let node = |id: &str| nodes.iter().find(|node| node["@id"] == id).unwrap();
    assert_eq!(node("ro-crate-metadata.json")["about"]["@id"], "./");
    assert_eq!(node("./")["hasPart"][0]["@id"], "./_W_1/");
    let entry = node("./_W_1/");
    assert_eq!(entry["identifier"], "../W 1");
    assert_eq!(entry["name"], "On the wiggler quench");
    assert_eq!(
        node(entry["author"]["@id"].as_str().unwrap())["name"],
        "B. Raske"
    );
    assert_eq!(node("./_W_1/01-_trace.txt")["contentSize"], "19");
    assert_eq!(node("https://example.org/plot.png")["@type"], "File");

    let missing = ["nobody".to_owned()];
    let mut out = Cursor::new(Vec::new());
    let refused = host
        .gannet
        .export_eln(DEFAULT_TENANT, &missing, &mut out)
        .await;
    assert!(refused.unwrap_err().to_string().contains("nobody"));
    let listed = host
        .gannet
        .store()
        .list(DEFAULT_TENANT, ListRequest::newest(5))
        .await;
    assert_eq!(listed.unwrap().entries.len(), 1);
}

/// S5: an archive that is unpacked writes nothing outside of its folder.
#[tokio::test]
async fn s5_no_name_in_an_archive_leads_out_of_its_folder() {
    let host = Host::new().await;
    let id = "0123456789abcdef0123456789abcdef";
    let folder = host.gannet.config().store.attachments();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(id), b"text").unwrap();
    let names = [
        "../../evil",
        "/etc/cron.d/job",
        "..\\..\\evil",
        "C:\\autoexec.bat",
        "..",
        "a/../../evil",
        "\u{ff0e}\u{ff0e}/evil",
        "evil\u{0}.txt",
    ];
    let entries = names.iter().enumerate().map(|(number, name)| {
        // The id of the entry names a folder of the archive.
        let id_of_entry = format!("{name}{number}").replace('\u{0}', "");
        json!({
            "id": id_of_entry, "timestamp": "2025-06-11T09:40:00Z", "text": "It warmed up.",
            "attachments": [{"url": format!("/api/attachments/{id}"), "filename": name}]
        })
    });
    let entries: Vec<Value> = entries.collect();
    host.ingest_lines(&entries).await;
    let ids: Vec<String> = entries
        .iter()
        .map(|entry| entry["id"].as_str().unwrap().to_owned())
        .collect();
    let mut archive = Cursor::new(Vec::new());
    let exported = host.gannet.export_eln(DEFAULT_TENANT, &ids, &mut archive);
    assert_eq!(exported.await.unwrap().files, names.len() as u64);
    let archive = zip::ZipArchive::new(archive).unwrap();
    for name in archive.file_names() {
        let name = name.unwrap().into_owned();
        let parts: Vec<&str> = name.split('/').collect();
        let is_plain = |part: &&str| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty() && !part.starts_with('.') && part.chars().all(is_letter)
        };
        assert!(parts[0] == "export" && parts.iter().all(is_plain), "{name}");
    }
}
