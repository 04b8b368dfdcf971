//! Keys over HTTP: who may do what, and whose entries are seen.

use std::collections::BTreeSet;

use gannet_core::api::Entry;
use gannet_server::auth::{KeyFile, NewKey, Scope};
use reqwest::Method;
use serde_json::json;

use crate::service::{Answer, Service};

async fn service() -> Service {
    Service::with(&[("server.auth.required", "true")]).await
}

/// A new key of a tenant with these scopes.
pub fn key(service: &Service, tenant: &str, scopes: &[Scope]) -> String {
    let gannet = service.gannet();
    let file = KeyFile::of(&gannet.config().server.auth, gannet.store_path());
    let new = NewKey {
        name: "test".to_owned(),
        scopes: scopes.iter().copied().collect::<BTreeSet<_>>(),
        tenant: tenant.to_owned(),
        expires_at: None,
    };
    file.create(new).unwrap().0.reveal().to_owned()
}

async fn send(service: &Service, key: &str, method: Method, path: &str) -> Answer {
    let request = service.request(method, path).bearer_auth(key);
    let body = json!({ "query": "cavity", "mode": "keyword" });
    Answer::of(request.json(&body).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_valid_key_is_refused_but_for_probes() {
    let service = service().await;
    for path in ["/healthz", "/openapi.json"] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    for path in [
        "/api/entries",
        "/api/status",
        "/metrics",
        "/api/search/stream",
        "/mcp",
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.problem(401), "login_required", "{path}");
    }
    let wrong = send(&service, "gnt_wrong", Method::POST, "/api/search").await;
    assert_eq!(wrong.problem(401), "login_refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_does_what_its_scopes_say() {
    let service = service().await;
    let reader = key(&service, "default", &[Scope::Search]);
    let found = send(&service, &reader, Method::POST, "/api/search").await;
    assert_eq!(found.status, 200);
    let entry = json!({ "subject": "Pump 9", "details": "Exchanged." });
    let write = |key: String| {
        let request = service
            .request(Method::POST, "/api/entries")
            .bearer_auth(key);
        let request = request.json(&entry);
        async move { Answer::of(request.send().await.unwrap()).await }
    };
    let refused = write(reader).await;
    assert_eq!(refused.problem(403), "missing_scope");
    let writer = key(&service, "default", &[Scope::Ingest]);
    assert_eq!(write(writer.clone()).await.status, 200);
    let search = send(&service, &writer, Method::POST, "/api/search").await;
    assert_eq!(search.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_shows_the_entries_of_its_tenant_alone() {
    let service = service().await;
    let store = service.gannet().store();
    let time = "2025-03-01T08:00:00Z".parse().unwrap();
    let mut foreign = Entry::new("F-1", "hall_b", time, "The cavity of hall B tripped.");
    foreign.tenant = "hall_b".to_owned();
    store.upsert(vec![foreign]).await.unwrap();
    store.flush().await.unwrap();
    let own = key(&service, "default", &[Scope::Search]);
    let hall_b = key(&service, "hall_b", &[Scope::Search]);

    let of = |answer: Answer| {
        let entries = answer.json(200)["entries"].as_array().unwrap().clone();
        let ids = entries.iter().map(|entry| entry["entry_id"].to_string());
        ids.collect::<Vec<_>>()
    };
    for (method, path) in [(Method::POST, "/api/search"), (Method::GET, "/api/entries")] {
        let found = of(send(&service, &hall_b, method.clone(), path).await);
        assert_eq!(found, ["\"F-1\""], "{path}");
        let found = of(send(&service, &own, method, path).await);
        assert!(
            !found.is_empty() && !found.contains(&"\"F-1\"".to_owned()),
            "{path}"
        );
    }
    let read = |key: String| {
        let request = service
            .request(Method::GET, "/api/entries/F-1")
            .bearer_auth(key);
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!((read(hall_b).await, read(own).await), (200, 404));
}

#[tokio::test(flavor = "multi_thread")]
async fn drafts_and_files_are_those_of_the_tenant() {
    let service = service().await;
    let all = [Scope::Search, Scope::Ingest];
    let (own, other) = (key(&service, "a", &all), key(&service, "b", &all));
    let draft = service
        .request(Method::POST, "/api/drafts")
        .bearer_auth(&own);
    let draft = draft.json(&json!({ "subject": "Pump", "details": "Exchanged." }));
    let draft = Answer::of(draft.send().await.unwrap()).await.json(200);
    let draft = format!("/api/drafts/{}", draft["draft_id"].as_str().unwrap());

    let form = "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nPump\r\n\
                --x\r\nContent-Disposition: form-data; name=\"details\"\r\n\r\nExchanged.\r\n\
                --x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n\
                trace\r\n--x--\r\n";
    let upload = service.request(Method::POST, "/api/entries/upload");
    let upload = upload
        .bearer_auth(&own)
        .header("content-type", "multipart/form-data; boundary=x");
    let entry = Answer::of(upload.body(form).send().await.unwrap())
        .await
        .json(200);
    let entry = format!("/api/entries/{}", entry["entry_id"].as_str().unwrap());
    let entry = send(&service, &own, Method::GET, &entry).await.json(200);
    let file = entry["attachments"][0]["url"].as_str().unwrap();
    for path in [draft.as_str(), file] {
        assert_eq!(
            send(&service, &own, Method::GET, path).await.status,
            200,
            "{path}"
        );
        assert_eq!(
            send(&service, &other, Method::GET, path).await.status,
            404,
            "{path}"
        );
    }
}
