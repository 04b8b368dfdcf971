//! Entries that are written over HTTP.

use std::time::{Duration, Instant};

use gannet_tests::Host;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::service::{Answer, Service, column};

async fn write(service: &Service, path: &str, key: &str, body: &Value) -> Answer {
    let request = service
        .request(Method::POST, path)
        .header("idempotency-key", key);
    Answer::of(request.json(body).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_is_found_and_enhanced_in_the_background() {
    let service = Service::start().await;
    let entry = json!({ "subject": "Undulator", "details": "The gap encoder was replaced." });
    let written = service.post("/api/entries", entry).await.json(200);
    service.gannet().store().flush().await.unwrap();
    let search = json!({ "query": "encoder", "mode": "keyword" });
    let found = service.post("/api/search", search).await.json(200);
    assert_eq!(
        column(&found["entries"], "entry_id"),
        [written["entry_id"].as_str().unwrap()]
    );
    // All entries of the store are enhanced with it.
    let embedded = async {
        while service
            .gannet()
            .store()
            .pending_count("text_embedding")
            .await
            .unwrap()
            > 0
        {
            tokio::task::yield_now().await;
        }
    };
    embedded.await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_with_a_key_writes_nothing_twice() {
    let service = Service::start().await;
    let entry = json!({ "subject": "Pump", "details": "TP-3 was exchanged.", "tags": ["vacuum"] });
    let first = write(&service, "/api/entries", "shift-7", &entry)
        .await
        .json(200);
    let again = write(&service, "/api/entries", "shift-7", &entry)
        .await
        .json(200);
    assert_eq!(first, again);
    assert_eq!(service.get("/api/entries").await.json(200)["total"], 4);
    let other = json!({ "subject": "Pump", "details": "TP-4 was exchanged." });
    let reused = write(&service, "/api/entries", "shift-7", &other).await;
    assert_eq!(reused.problem(422), "idempotency_key_reused");
    let other = write(&service, "/api/entries", "shift-8", &entry)
        .await
        .json(200);
    assert_ne!(first["entry_id"], other["entry_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_for_one_request_whatever_differs_in_the_other() {
    let service = Service::start().await;
    let entry = |more: Value| {
        let mut entry = json!({ "subject": "Pump", "details": "TP-3.", "tags": ["a"],
            "timestamp": "2024-02-01T08:00:00Z", "metadata": { "loto": "7" } });
        entry
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        entry
    };
    let path = "/api/entries";
    write(&service, path, "k", &entry(json!({})))
        .await
        .json(200);
    for other in [
        json!({ "tags": [] }),
        json!({ "metadata": {} }),
        json!({ "timestamp": "2024-02-02T08:00:00Z" }),
        json!({ "shift": "night" }),
    ] {
        let reused = write(&service, path, "k", &entry(other.clone())).await;
        assert_eq!(reused.problem(422), "idempotency_key_reused", "{other}");
    }
    let batch = |count: usize| json!({ "entries": vec![entry(json!({})); count] });
    let path = "/api/entries/batch";
    write(&service, path, "b", &batch(3)).await.json(200);
    for count in [2, 4] {
        let reused = write(&service, path, "b", &batch(count)).await;
        assert_eq!(reused.problem(422), "idempotency_key_reused", "{count}");
    }
    assert_eq!(service.get("/api/entries").await.json(200)["total"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_on_two_routes_is_two_keys() {
    let service = Service::start().await;
    let entry = json!({ "subject": "Pump", "details": "TP-3 was exchanged." });
    let batch = json!({ "entries": [entry] });
    let (single, several) = ("/api/entries", "/api/entries/batch");
    let alone = write(&service, single, "one", &entry).await.json(200);
    let in_batch = write(&service, several, "one", &batch).await.json(200);
    assert_ne!(in_batch["entries"][0]["entry_id"], alone["entry_id"]);
    // Each route has its own first request.
    for (path, body, first) in [(single, &entry, alone), (several, &batch, in_batch)] {
        assert_eq!(write(&service, path, "one", body).await.json(200), first);
    }
    assert_eq!(service.get(single).await.json(200)["total"], 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_in_another_field_is_an_error_and_not_lost() {
    let service = Service::start().await;
    let body = form("Scope").replace("name=\"files\"", "name=\"attachment\"");
    let request = service
        .request(Method::POST, "/api/entries/upload")
        .header("content-type", "multipart/form-data; boundary=x");
    let refused = Answer::of(request.body(body).send().await.unwrap()).await;
    assert_eq!(refused.problem(422), "invalid_request");
    assert!(refused.text.contains("`files`"), "{}", refused.text);
    assert_eq!(service.get("/api/entries").await.json(200)["total"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_that_wait_since_before_the_start_are_enhanced() {
    let service = Service::start().await;
    let details = async || service.get("/api/status/details").await.json(200);
    // Nothing is written to this service.
    while details().await["enhancement"]["text_embedding"]["complete"] != 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        details().await["enhancement"]["text_embedding"]["pending"],
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_written_whole_or_not_at_all() {
    let service = Service::start().await;
    let entry = |n: usize| json!({ "subject": format!("Entry {n}"), "details": "Text." });
    let batch = json!({ "entries": [entry(1), entry(2)] });
    let path = "/api/entries/batch";
    let written = write(&service, path, "batch-1", &batch).await.json(200);
    let ids = column(&written["entries"], "entry_id");
    assert!(ids.len() == 2 && ids[0] != ids[1]);
    let again = write(&service, path, "batch-1", &batch).await.json(200);
    assert_eq!(column(&again["entries"], "entry_id"), ids);
    let bad = json!({ "entries": [entry(3), { "subject": " ", "details": "x" }] });
    assert_eq!(
        service.post(path, bad).await.problem(422),
        "invalid_request"
    );
    assert_eq!(service.get("/api/entries").await.json(200)["total"], 5);
    assert_eq!(
        service
            .post(path, json!({ "entries": [] }))
            .await
            .problem(422),
        "invalid_request"
    );
}

fn form(subject: &str) -> String {
    format!(
        "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\n{subject}\r\n--x\r\n\
         Content-Disposition: form-data; name=\"details\"\r\n\r\nSee the picture.\r\n--x\r\n\
         Content-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\ntext\r\n\
         --x--\r\n"
    )
}

async fn upload(service: &Service, key: &str, subject: &str) -> Answer {
    let request = service
        .request(Method::POST, "/api/entries/upload")
        .header("idempotency-key", key)
        .header("content-type", "multipart/form-data; boundary=x");
    Answer::of(request.body(form(subject)).send().await.unwrap()).await
}

/// Names in the folder of files.
fn files(service: &Service) -> usize {
    let folder = service.gannet().store_path().join("attachments");
    std::fs::read_dir(folder).map_or(0, |files| files.count())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_upload_stores_its_files_once_and_a_failed_one_none() {
    let service = Service::start().await;
    let first = upload(&service, "scope-1", "Scope").await.json(200);
    assert_eq!(
        (first["attachment_count"].as_u64(), files(&service)),
        (Some(1), 2)
    );
    let again = upload(&service, "scope-1", "Scope").await.json(200);
    assert_eq!(first, again);
    let reused = upload(&service, "scope-1", "Another").await;
    assert_eq!(reused.problem(422), "idempotency_key_reused");
    assert_eq!(files(&service), 2);
    service.gannet().store().clone().close().await.unwrap();
    let request = service
        .request(Method::POST, "/api/entries/upload")
        .header("content-type", "multipart/form-data; boundary=x");
    let failed = request.body(form("Closed")).send().await.unwrap();
    assert!(failed.status().is_server_error());
    assert_eq!(files(&service), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_upload_left_is_removed_at_the_start() {
    let host = Host::with(&[("server.port", "0")]).await;
    let folder = host.gannet.store_path().join("attachments");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("0123.part"), "half").unwrap();
    std::fs::write(folder.join("0123"), "whole").unwrap();
    let service = Service::over(host).await;
    assert_eq!(files(&service), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_is_stored_also_when_the_client_disconnects() {
    let service = Service::start().await;
    let part =
        "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"b.txt\"\r\n\r\ntext\r\n";
    let body = part.repeat(19) + &form("Scope");
    let head = format!(
        "POST /api/entries/upload HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\
         Content-Type: multipart/form-data; boundary=x\r\n\r\n",
        service.address,
        body.len()
    );
    let mut client = TcpStream::connect(service.address).await.unwrap();
    client.write_all((head + &body).as_bytes()).await.unwrap();
    while files(&service) == 0 {
        tokio::task::yield_now().await;
    }
    drop(client);
    // The entry comes last, after all its files.
    let patience = Instant::now() + Duration::from_secs(30);
    while service.get("/api/entries").await.json(200)["total"] != 4 {
        assert!(Instant::now() < patience, "{} files", files(&service));
    }
    assert_eq!(files(&service), 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_not_utf8_is_a_problem() {
    let service = Service::start().await;
    for path in [
        "/api/entries/%FF",
        "/api/attachments/%FF",
        "/api/drafts/%FF",
        "/api/filter-options/%FF",
    ] {
        assert_eq!(
            service.get(path).await.problem(422),
            "invalid_request",
            "{path}"
        );
    }
}
