//! S5: no name that a client sends reaches a file outside of the folder that it
//! is for.

use std::collections::BTreeSet;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::service::{Answer, Service};

const CANARY: &str = "canary-of-the-store";

/// What stands behind `/api/attachments/`, `/api/drafts/` and `/assets/`.
const PATHS: [&str; 16] = [
    "..",
    "../secret",
    "..%2Fsecret",
    "%2e%2e%2fsecret",
    "..%252Fsecret",
    "..%5Csecret",
    "....//secret",
    "%2E%2E/%2E%2E/secret",
    "%2Fetc%2Fpasswd",
    "//etc/passwd",
    "..%c0%afsecret",
    "secret%00",
    "0123456789abcdef0123456789abcdef%2F..%2F..%2Fsecret",
    "0123456789abcdef0123456789abcdef.json",
    "%EF%BC%8E%EF%BC%8E%2Fsecret",
    "C:%5Cwindows%5Cwin.ini",
];

/// Names that a client gives the files that it uploads.
const NAMES: [&str; 8] = [
    "../../secret",
    "..\\\\..\\\\secret",
    "/etc/cron.d/job",
    "C:\\\\autoexec.bat",
    "....//x",
    "store.db",
    "%2e%2e%2fx",
    ".",
];

/// A service whose store has a file beside the folder of attachments, and
/// another one above the store.
async fn service() -> Service {
    let service = Service::start().await;
    let store = service.gannet().store_path();
    for folder in [store, store.parent().unwrap()] {
        std::fs::write(folder.join("secret"), CANARY).unwrap();
    }
    service
}

#[tokio::test(flavor = "multi_thread")]
async fn s5_no_path_of_a_request_leads_out_of_its_folder() {
    let service = service().await;
    for below in ["/api/attachments/", "/api/drafts/", "/assets/"] {
        for path in PATHS {
            // A client library would resolve the path.
            let request = format!(
                "GET {below}{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                service.address
            );
            let answer = service.raw(request.as_bytes()).await;
            let is_refused = answer.starts_with("HTTP/1.1 4");
            assert!(is_refused, "{below}{path}: {answer}");
            assert!(!answer.contains(CANARY), "{below}{path}");
            assert!(!answer.contains("root:"), "{below}{path}");
        }
    }
    for id in PATHS {
        let entry = json!({ "subject": "Pump", "details": "TP-3.", "attachment_ids": [id] });
        let refused = service.post("/api/entries", entry).await;
        assert_eq!(refused.problem(422), "invalid_request", "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s5_no_name_of_an_uploaded_file_is_the_name_of_a_file() {
    let service = service().await;
    let before = files(service.host.folder.path());
    for name in NAMES {
        let form = format!(
            "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nScope\r\n--x\r\n\
             Content-Disposition: form-data; name=\"details\"\r\n\r\nSee the picture.\r\n--x\r\n\
             Content-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\r\n\
             text\r\n--x--\r\n"
        );
        let request = service
            .request(Method::POST, "/api/entries/upload")
            .header("content-type", "multipart/form-data; boundary=x");
        let written = Answer::of(request.body(form).send().await.unwrap()).await;
        let written = written.json(200);
        let path = format!("/api/entries/{}", written["entry_id"].as_str().unwrap());
        let entry = service.get(&path).await.json(200);
        let file: &Value = &entry["attachments"][0];
        let shown = file["filename"].as_str().unwrap();
        assert!(!shown.contains(['/', '\\']), "{name}: {shown}");
        let answer = service.get(file["url"].as_str().unwrap()).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "text"));
        let disposition = answer.header("content-disposition");
        assert!(disposition.starts_with("attachment; "), "{disposition}");
    }
    let attachments = service.gannet().store_path().join("attachments");
    let after = files(service.host.folder.path());
    let new: Vec<&String> = after.difference(&before).collect();
    let is_inside = |name: &&&String| Path::new(name).starts_with(&attachments);
    // Two files each. The store may have written others of its own.
    assert_eq!(new.iter().filter(is_inside).count(), 2 * NAMES.len());
    for name in new.iter().filter(is_inside) {
        let name = Path::new(name).file_stem().unwrap().to_str().unwrap();
        assert!(name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    for folder in [attachments.parent().unwrap(), service.host.folder.path()] {
        assert_eq!(
            std::fs::read_to_string(folder.join("secret")).unwrap(),
            CANARY
        );
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder)
            .unwrap()
            .map(|one| one.unwrap().path())
        {
            match path.is_dir() {
                true => folders.push(path),
                false => drop(found.insert(path.display().to_string())),
            }
        }
    }
    found
}
