//! MCP over HTTP: which requests are accepted, and whose sessions are whose.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod session;

use http_body_util::BodyExt as _;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gannet_core::api::Entry;
use gannet_server::auth::Scope;
use gannet_server::mcp::McpHttpOptions;
use http::{Request, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use session::client::{Client, call, with_callers};
use session::{PROTOCOL, host_of_pumps, initialize};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_over_http_finds_entries() {
    let host = host_of_pumps(3, &[]).await;
    let client = Client::new(&host, McpHttpOptions::default())
        .started()
        .await;
    let found = client
        .call("keyword_search", json!({ "query": "pump" }))
        .await;
    assert_eq!(found["results_found"], 3);
    client.mcp.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_stored_also_when_the_client_disconnects() {
    let host = host_of_pumps(1, &[("server.allow_mcp_writes", "true")]).await;
    let client = Client::new(&host, McpHttpOptions::default())
        .started()
        .await;
    let arguments = json!({ "subject": "Leak", "details": "at the pump", "draft": false });
    let message = call("entry_create", arguments);
    // The request is taken, and nobody reads its answer.
    drop(client.mcp.handle(client.request(&message, &[])).await);
    let patience = Instant::now() + Duration::from_secs(30);
    while host.gannet.store().count("default").await.unwrap() < 2 {
        assert!(Instant::now() < patience, "the entry was not stored");
        tokio::task::yield_now().await;
    }
    client.mcp.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_has_a_bounded_number_of_sessions() {
    let host = host_of_pumps(1, &[]).await;
    let client = Client::new(&host, with_callers());
    let (greedy, other) = (
        client.of("greedy", "default", &[Scope::Search]),
        client.of("other", "default", &[Scope::Search]),
    );
    let mut opened = Vec::new();
    let refused = loop {
        let answer = greedy.post(&initialize()).await;
        match answer.session {
            Some(session) => opened.push(session),
            None => break answer,
        }
        assert!(opened.len() < 1000);
    };
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.retry_after.as_deref(), Some("60"));
    assert_eq!(other.post(&initialize()).await.status, StatusCode::OK);
    // One that ends makes room for another.
    let end = Request::delete("/mcp")
        .header("host", "localhost")
        .header("mcp-protocol-version", PROTOCOL)
        .header("mcp-session-id", &opened[0])
        .extension(greedy.caller.clone().unwrap());
    let end = end.body(Full::new(Bytes::new())).unwrap();
    assert!(greedy.mcp.handle(end).await.status().is_success());
    assert_eq!(greedy.post(&initialize()).await.status, StatusCode::OK);
    client.mcp.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_begin_at_once_do_not_exceed_the_bound() {
    let host = host_of_pumps(1, &[]).await;
    let client = Client::new(&host, with_callers());
    let greedy = client.of("greedy", "default", &[Scope::Search]);
    // Requests that open no session take no place for good.
    for _ in 0..150 {
        let refused = greedy.post(&call("keyword_search", json!({}))).await;
        assert!(refused.session.is_none() && refused.status.is_client_error());
    }
    let begin = || {
        let greedy = greedy.clone();
        tokio::spawn(async move { greedy.post(&initialize()).await })
    };
    let begun: Vec<_> = (0..150).map(|_| begin()).collect();
    let mut opened = 0;
    for answer in begun {
        let answer = answer.await.unwrap();
        match answer.session {
            Some(_) => opened += 1,
            None => assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE),
        }
    }
    assert_eq!(opened, 100);
    client.mcp.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_its_client_ends_is_gone() {
    let host = host_of_pumps(1, &[]).await;
    let client = Client::new(&host, McpHttpOptions::default())
        .started()
        .await;
    let end = || {
        let request = Request::delete("/mcp")
            .header("host", "localhost")
            .header("mcp-protocol-version", PROTOCOL)
            .header("mcp-session-id", client.session.as_ref().unwrap());
        request.body(Full::<Bytes>::default()).unwrap()
    };
    let ended = client.mcp.handle(end()).await;
    assert_eq!(ended.status(), StatusCode::NO_CONTENT);
    let body = ended.into_body().collect().await.unwrap().to_bytes();
    assert!(body.is_empty());
    // As the protocol says of a session that has ended.
    let gone = client
        .post(&call("keyword_search", json!({ "query": "pump" })))
        .await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    client.mcp.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn s9_a_foreign_host_or_origin_is_refused() {
    let host = host_of_pumps(1, &[]).await;
    let options = McpHttpOptions {
        allowed_origins: Some(vec!["https://log.example:443".to_owned()]),
        ..McpHttpOptions::default()
    };
    let client = Client::new(&host, options);
    let refused: [&[(&str, &str)]; 4] = [
        &[("host", "evil.example")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://log.example")],
    ];
    for headers in refused {
        let answer = client.post_with(&initialize(), headers).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{headers:?}");
    }
    let allowed: [&[(&str, &str)]; 3] = [
        &[],
        &[("host", "127.0.0.1:8085")],
        &[("origin", "https://log.example")],
    ];
    for headers in allowed {
        let answer = client.post_with(&initialize(), headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{headers:?}");
    }
    let by_default = Client::new(&host, McpHttpOptions::default());
    let answer = by_default
        .post_with(&initialize(), &[("origin", "http://localhost")])
        .await;
    assert_eq!(
        answer.status,
        StatusCode::FORBIDDEN,
        "no origin is allowed by default"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_there_only_for_the_caller_who_opened_it() {
    let host = host_of_pumps(1, &[]).await;
    let client = Client::new(&host, with_callers());
    assert_eq!(
        client.post(&initialize()).await.status,
        StatusCode::UNAUTHORIZED
    );

    let ours = client
        .of("key:a", "default", &[Scope::Search])
        .started()
        .await;
    let mut theirs = client.of("key:b", "default", &[Scope::Search]);
    theirs.session.clone_from(&ours.session);
    let search = call("keyword_search", json!({ "query": "pump" }));
    assert_eq!(theirs.post(&search).await.status, StatusCode::NOT_FOUND);
    assert_eq!(ours.post(&search).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_a_caller_sees_the_entries_of_its_tenant_and_writes_there() {
    let host = host_of_pumps(2, &[("server.allow_mcp_writes", "true")]).await;
    let mut entry = Entry::new(
        "theirs",
        "elog",
        "2024-05-01T00:00:00Z".parse().unwrap(),
        "pump",
    );
    entry.tenant = "other".to_owned();
    host.gannet.store().upsert(vec![entry]).await.unwrap();
    host.gannet.store().flush().await.unwrap();
    let client = Client::new(&host, with_callers());
    let other = client
        .of("key:b", "other", &[Scope::Search, Scope::Ingest])
        .started()
        .await;

    for (tool, arguments) in [
        ("keyword_search", json!({ "query": "pump" })),
        ("rag", json!({ "query": "pump" })),
        ("browse", json!({})),
        (
            "entries_by_ids",
            json!({ "entry_ids": ["e0", "theirs", "e1"] }),
        ),
    ] {
        let reply = other.call(tool, arguments).await;
        assert_eq!(session::ids(&reply), ["theirs"], "{tool}");
    }
    assert_eq!(
        other.call("entry_get", json!({ "entry_id": "e0" })).await["error_type"],
        "not_found"
    );
    assert_eq!(other.call("status", json!({})).await["entries"], 1);
    let authors = other
        .call("filter_options", json!({ "field": "authors" }))
        .await;
    assert_eq!(authors["options"], json!([]));

    let entry = json!({ "subject": "new", "details": "text", "draft": false });
    let stored = other.call("entry_create", entry).await;
    let id = stored["entry"]["entry_id"].as_str().unwrap();
    assert!(host.gannet.entry("other", id).await.unwrap().is_some());
    assert!(host.gannet.entry("default", id).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_whose_scope_the_caller_lacks_is_neither_listed_nor_run() {
    let host = host_of_pumps(1, &[("server.allow_mcp_writes", "true")]).await;
    let client = Client::new(&host, with_callers());
    let reader = client
        .of("key:a", "default", &[Scope::Search])
        .started()
        .await;
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    let listed = reader.post(&list).await.message.to_string();
    assert!(
        listed.contains("entry_get") && !listed.contains("entry_create"),
        "{listed}"
    );
    let entry = json!({ "subject": "new", "details": "text", "draft": false });
    assert_eq!(
        reader.call("entry_create", entry).await["error_type"],
        "auth_required"
    );
    let nobody = client.of("key:c", "default", &[]).started().await;
    let refused = nobody
        .call("keyword_search", json!({ "query": "pump" }))
        .await;
    assert_eq!(refused["error_type"], "auth_required");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_has_saved_searches_of_its_own() {
    let host = host_of_pumps(1, &[("searches", "{trips: {query: tripped}}")]).await;
    let client = Client::new(&host, with_callers());
    let of = |name: &str, tenant: &str| client.of(name, tenant, &[Scope::Search]).started();
    let [ours, other, outside] = [
        of("key:a", "default").await,
        of("key:b", "default").await,
        of("key:a", "other").await,
    ];
    let names = async |client: &Client| {
        let listed = client.call("saved_searches", json!({})).await;
        let searches = listed["searches"].as_array().unwrap().iter();
        let names = searches.map(|one| one["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let wanted = json!({ "query": "valve", "filters": { "source": "test" } });
    let saved = ours.call("saved_search_create", wanted).await;
    assert_eq!(names(&ours).await, ["trips", "valve"]);
    assert_eq!(names(&other).await, ["trips"]);
    assert!(names(&outside).await.is_empty());

    let begin = async || {
        let now = jiff::Timestamp::now();
        let stop = gannet_core::Stop::default();
        host.gannet.match_arrivals(now, &stop).await.unwrap();
    };
    begin().await;
    let time = "2025-06-02T01:00:00Z".parse().unwrap();
    let entry = Entry::new("T-1", "test", time, "The valve tripped.");
    host.gannet.store().upsert(vec![entry]).await.unwrap();
    begin().await;
    let found = ours.call("saved_search_matches", json!({})).await;
    let of_searches = found["matches"].as_array().unwrap().iter();
    let mut of_searches: Vec<&Value> = of_searches.map(|one| &one["search_name"]).collect();
    of_searches.sort_by_key(|name| name.to_string());
    assert_eq!(of_searches, ["trips", "valve"]);
    assert_eq!(found["matches"][0]["entry"]["entry_id"], "T-1");
    let since = json!({ "after": found["next"] });
    let since = ours.call("saved_search_matches", since).await;
    assert_eq!(since["matches"], json!([]));
    let theirs = other.call("saved_search_matches", json!({})).await;
    assert_eq!(theirs["matches"].as_array().unwrap().len(), 1);

    let search = json!({ "search_id": saved["search_id"] });
    let configured = json!({ "search_id": "trips" });
    for (client, search) in [(&other, &search), (&outside, &search), (&ours, &configured)] {
        let refused = client.call("saved_search_delete", search.clone()).await;
        assert_eq!(refused["error_type"], "not_found", "{search}");
    }
    let deleted = ours.call("saved_search_delete", search.clone()).await;
    assert_eq!(deleted, search);
    let blank = ours.call("saved_search_create", json!({})).await;
    assert_eq!(blank["error_type"], "validation_error");
    let nobody = client.of("key:c", "default", &[]).started().await;
    let refused = nobody.call("saved_searches", json!({})).await;
    assert_eq!(refused["error_type"], "auth_required");
}
