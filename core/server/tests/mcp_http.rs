//! MCP over HTTP: which requests are accepted, and whose sessions are whose.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod session;

use std::time::{Duration, Instant};

use bytes::Bytes;
use gannet_core::api::Entry;
use gannet_server::auth::{Caller, Scope};
use gannet_server::mcp::{McpHttp, McpHttpOptions, McpServer};
use gannet_tests::Host;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use session::{PROTOCOL, host_of_pumps, initialize};

/// A client with its headers.
#[derive(Clone)]
struct Client {
    mcp: McpHttp,
    caller: Option<Caller>,
    session: Option<String>,
}

/// A response that was read to its end.
struct Answer {
    status: StatusCode,
    session: Option<String>,
    retry_after: Option<String>,
    message: Value,
}

impl Client {
    fn new(host: &Host, options: McpHttpOptions) -> Self {
        Self {
            mcp: McpHttp::new(McpServer::new(host.gannet.clone()), options),
            caller: None,
            session: None,
        }
    }

    fn of(&self, name: &str, tenant: &str, scopes: &[Scope]) -> Self {
        let caller = Caller {
            name: name.to_owned(),
            tenant: tenant.to_owned(),
            scopes: scopes.iter().copied().collect(),
        };
        Self {
            caller: Some(caller),
            ..self.clone()
        }
    }

    fn request(&self, message: &Value, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
        let mut request = Request::post("/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL);
        if headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", "localhost");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session);
        }
        if let Some(caller) = &self.caller {
            request = request.extension(caller.clone());
        }
        let body = Full::new(Bytes::from(message.to_string()));
        request.body(body).unwrap()
    }

    async fn post_with(&self, message: &Value, headers: &[(&str, &str)]) -> Answer {
        let response = self.mcp.handle(self.request(message, headers)).await;
        let (parts, body) = response.into_parts();
        let header = |name: &str| {
            let value = parts.headers.get(name)?;
            Some(value.to_str().unwrap().to_owned())
        };
        let (session, retry_after) = (header("mcp-session-id"), header("retry-after"));
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let message = data.find_map(|data| serde_json::from_str(data).ok());
        Answer {
            status: parts.status,
            session,
            retry_after,
            message: message.unwrap_or(Value::Null),
        }
    }

    async fn post(&self, message: &Value) -> Answer {
        self.post_with(message, &[]).await
    }

    /// This client with a session of its own.
    async fn started(mut self) -> Self {
        let answer = self.post(&initialize()).await;
        assert_eq!(answer.status, StatusCode::OK);
        self.session = answer.session;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&ready).await.status, StatusCode::ACCEPTED);
        self
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.post(&call(tool, arguments)).await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.message["result"]["structuredContent"].clone()
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
}

fn with_callers() -> McpHttpOptions {
    McpHttpOptions {
        requires_caller: true,
        ..McpHttpOptions::default()
    }
}

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
