//! Idempotency keys that expire, and those of stores from before they did.

use gannet_core::store::StateKey;
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::logbook::Logbook;
use crate::logbook::Reply::{Is, Silent};
use crate::service::{Answer, Service, column};

const KEY: &str = "shift-7";

async fn write(service: &Service, path: &str, body: &Value) -> Answer {
    let request = service
        .request(Method::POST, path)
        .header("idempotency-key", KEY);
    Answer::of(request.json(body).send().await.unwrap()).await
}

fn entry(details: &str) -> Value {
    json!({ "subject": "Pump", "details": details })
}

async fn total(service: &Service) -> Value {
    service.get("/api/entries").await.json(200)["total"].clone()
}

/// Where the store remembers the key of this route.
fn place(path: &str) -> StateKey {
    let digest = match path {
        "/api/entries" => Sha256::digest(format!("default\0{KEY}")),
        path => Sha256::digest(format!("default\0{KEY}\0POST {path}")),
    };
    StateKey {
        owner: "service.idempotency".to_owned(),
        tenant: "default".to_owned(),
        key: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

async fn kept(service: &Service, path: &str) -> Value {
    let place = place(path);
    let text = service.gannet().store().plugin_state(&place).await;
    serde_json::from_str(&text.unwrap().unwrap()).unwrap()
}

/// Makes the key so many hours older.
async fn age(service: &Service, path: &str, hours: i64) {
    let mut kept = kept(service, path).await;
    let since: Timestamp = kept["since"].as_str().unwrap().parse().unwrap();
    let since = since.checked_sub(SignedDuration::from_hours(hours));
    kept["since"] = since.unwrap().to_string().into();
    let text = kept.to_string();
    let store = service.gannet().store();
    let set = store.set_plugin_state(&place(path), Some(&text)).await;
    set.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_expired_writes_another_entry_and_leaves_the_first_one() {
    let service = Service::start().await;
    let path = "/api/entries";
    let (exchanged, checked) = (entry("TP-3 was exchanged."), entry("TP-3 was checked."));
    let first = write(&service, path, &exchanged).await.json(200);
    age(&service, path, 23).await;
    assert_eq!(write(&service, path, &exchanged).await.json(200), first);
    let reused = write(&service, path, &checked).await;
    assert_eq!(reused.problem(422), "idempotency_key_reused");

    age(&service, path, 1).await;
    let second = write(&service, path, &checked).await.json(200);
    assert_ne!(second["entry_id"], first["entry_id"]);
    // It is a use of the key like the first one.
    assert_eq!(write(&service, path, &checked).await.json(200), second);
    let reused = write(&service, path, &exchanged).await;
    assert_eq!(reused.problem(422), "idempotency_key_reused");

    age(&service, path, 24).await;
    let third = write(&service, path, &exchanged).await.json(200);
    assert_ne!(third["entry_id"], first["entry_id"]);
    assert_eq!(total(&service).await, 6);
    for (written, details) in [(&first, "exchanged"), (&second, "checked")] {
        let id = written["entry_id"].as_str().unwrap();
        let stored = service.get(&format!("{path}/{id}")).await.json(200);
        let text = stored["raw_text"].as_str().unwrap();
        assert!(text.contains(details), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hours_of_a_key_are_a_setting() {
    let service = Service::with(&[("server.idempotency_key_hours", "48")]).await;
    let path = "/api/entries/batch";
    let batch = json!({ "entries": [entry("one"), entry("two")] });
    let first = write(&service, path, &batch).await.json(200);
    age(&service, path, 47).await;
    assert_eq!(write(&service, path, &batch).await.json(200), first);
    age(&service, path, 1).await;
    let second = write(&service, path, &batch).await.json(200);
    let ids = |written: &Value| column(&written["entries"], "entry_id");
    assert!(ids(&second).iter().all(|id| !ids(&first).contains(id)));
    assert_eq!(total(&service).await, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_an_earlier_version_counts_from_its_next_request() {
    let service = Service::start().await;
    let path = "/api/entries";
    let first = write(&service, path, &entry("one")).await.json(200);
    // Earlier versions kept the digest of the request and no time.
    let digest = kept(&service, path).await["body"]
        .as_str()
        .unwrap()
        .to_owned();
    let store = service.gannet().store();
    for (body, is_the_same) in [(entry("one"), true), (entry("two"), false)] {
        let set = store.set_plugin_state(&place(path), Some(&digest)).await;
        set.unwrap();
        let answer = write(&service, path, &body).await;
        match is_the_same {
            true => assert_eq!(answer.json(200), first),
            false => assert_eq!(answer.problem(422), "idempotency_key_reused"),
        }
        assert_eq!(kept(&service, path).await["body"], json!(digest));
    }
    age(&service, path, 24).await;
    let second = write(&service, path, &entry("two")).await.json(200);
    assert_ne!(second["entry_id"], first["entry_id"]);
    assert_eq!(total(&service).await, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn under_a_key_that_expired_an_entry_is_published_again() {
    let taken = |body| Is(200, body);
    let replies = [
        taken("<root><id>1</id></root>"),
        taken("<root><id>2</id></root>"),
        Silent,
        taken("<root><id>4</id></root>"),
    ];
    let logbook = Logbook::replying(&replies).await;
    let service = logbook.service(&[]).await;
    let mut entry = entry("TP-3 was exchanged.");
    entry["auth_user"] = "lee".into();
    entry["auth_password"] = "pa55".into();
    let path = "/api/entries";
    for id in ["1", "2"] {
        let written = write(&service, path, &entry).await.json(200);
        assert_eq!(written["entry_id"], id);
        assert_eq!(write(&service, path, &entry).await.json(200), written);
        age(&service, path, 24).await;
    }
    let open = write(&service, path, &entry).await;
    assert_eq!(open.problem(502), "publish_unclear");
    let again = write(&service, path, &entry).await;
    assert_eq!(again.problem(409), "publish_unclear");
    age(&service, path, 24).await;
    let written = write(&service, path, &entry).await.json(200);
    assert_eq!(written["entry_id"], "4");
    assert_eq!((logbook.requests(), total(&service).await), (4, json!(6)));
}
