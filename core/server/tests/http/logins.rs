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

#[tokio::test(flavor = "multi_thread")]
async fn metrics_need_a_scope_of_their_own() {
    let service = service().await;
    for (scope, status) in [
        (Scope::Search, 403),
        (Scope::Ingest, 403),
        (Scope::Metrics, 200),
        (Scope::Admin, 200),
    ] {
        let key = key(&service, "hall_b", &[scope]);
        let answer = send(&service, &key, Method::GET, "/metrics").await;
        assert_eq!(answer.status, status, "{scope}");
    }
    let scraper = key(&service, "default", &[Scope::Metrics]);
    let refused = send(&service, &scraper, Method::GET, "/api/entries").await;
    assert_eq!(refused.problem(403), "missing_scope");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_has_the_figures_of_the_tenant_and_the_rest_for_administrators() {
    let service = service().await;
    let time = "2025-03-01T08:00:00Z".parse().unwrap();
    let mut own = Entry::new("F-1", "hall_b", time, "The cavity of hall B tripped.");
    own.tenant = "hall_b".to_owned();
    let store = service.gannet().store();
    store.upsert(vec![own]).await.unwrap();
    service.host.enhance().await;
    store.flush().await.unwrap();
    let of = async |tenant: &str, scopes: &[Scope], path: &str| {
        let key = key(&service, tenant, scopes);
        send(&service, &key, Method::GET, path).await.json(200)
    };
    let reader = [Scope::Search];
    let admin = [Scope::Search, Scope::Admin];
    for (tenant, count) in [("default", 3), ("hall_b", 1), ("hall_c", 0)] {
        let status = of(tenant, &reader, "/api/status").await;
        assert_eq!(status["entry_count"], count, "{status}");
        assert_eq!(
            status["embedding_tables"][0]["entry_count"], count,
            "{status}"
        );
        assert_eq!(status["last_ingestion"], json!(null), "{status}");

        let details = of(tenant, &reader, "/api/status/details").await;
        assert_eq!(details["whole"], false);
        for part in details["store"].as_array().unwrap() {
            assert_eq!(part["count"], count, "{details}");
            assert_eq!((&part["bytes"], &part["lag"]), (&json!(null), &json!(0)));
        }
        assert_eq!(details["ingestion"], json!([]));
        assert_eq!(details["enhancement"], json!({}));
        assert_eq!(details["latency"]["searches"], 0);
    }
    let status = of("hall_b", &admin, "/api/status").await;
    assert_eq!(status["entry_count"], 1);
    assert!(status["last_ingestion"].is_string(), "{status}");
    let details = of("hall_b", &admin, "/api/status/details").await;
    assert_eq!(details["whole"], true);
    assert_eq!(details["store"][0]["count"], 4);
    assert_ne!(details["ingestion"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_says_which_scope_an_operation_needs() {
    let open = Service::start().await;
    let closed = service().await;
    for (service, is_open) in [(open, true), (closed, false)] {
        let document = service.get("/openapi.json").await.json(200);
        let security =
            |path: &str, method: &str| document["paths"][path][method]["security"].clone();
        assert_eq!(security("/healthz", "get"), json!([]));
        let nothing = is_open.then(|| json!({}));
        for (path, method, scopes) in [
            ("/api/search", "post", &["search"][..]),
            ("/api/entries", "post", &["ingest"]),
            ("/metrics", "get", &["metrics", "admin"]),
        ] {
            let schemes = scopes
                .iter()
                .flat_map(|scope| [json!({ "bearer": [scope] }), json!({ "api_key": [scope] })]);
            let expected: Vec<_> = nothing.clone().into_iter().chain(schemes).collect();
            assert_eq!(security(path, method), json!(expected), "{path}");
        }
        let schemes = document["components"]["securitySchemes"]
            .as_object()
            .unwrap();
        assert!(schemes.contains_key("bearer") && schemes.contains_key("api_key"));
    }
}
