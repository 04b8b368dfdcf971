//! A client of MCP over HTTP, and what tools share with the REST interface.

use gannet_server::auth::Scope;
use gannet_test_model_server::ModelServer;
use reqwest::Method;
use serde_json::{Value, json};

use crate::held::{gate, service, until_metric};
use crate::logins::key;
use crate::service::{Answer, Service};

/// A session of MCP.
pub struct Agent<'s> {
    service: &'s Service,
    key: Option<String>,
    session: String,
}

impl<'s> Agent<'s> {
    pub async fn start(service: &'s Service, key: Option<&str>) -> Self {
        let mut agent = Self {
            service,
            key: key.map(str::to_owned),
            session: String::new(),
        };
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let started = agent.send("initialize", Some(1), params).await;
        assert_eq!(started.status, 200, "{}", started.text);
        agent.session = started.header("mcp-session-id").to_owned();
        let ready = agent
            .send("notifications/initialized", None, json!({}))
            .await;
        assert_eq!(ready.status, 202, "{}", ready.text);
        agent
    }

    async fn send(&self, method: &str, id: Option<u64>, params: Value) -> Answer {
        let mut body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if let Some(id) = id {
            body["id"] = id.into();
        }
        let mut request = self
            .service
            .request(Method::POST, "/mcp")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-06-18");
        if !self.session.is_empty() {
            request = request.header("mcp-session-id", &self.session);
        }
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        Answer::of(request.json(&body).send().await.unwrap()).await
    }

    /// The tools that are listed.
    pub async fn tools(&self) -> Vec<Value> {
        let answer = self.send("tools/list", Some(2), json!({})).await;
        let message = message_of(&answer);
        message["result"]["tools"].as_array().unwrap().clone()
    }

    /// The result of a call: its structure, which tells failures too.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.send("tools/call", Some(2), params).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        message_of(&answer)["result"]["structuredContent"].clone()
    }
}

/// The message of an answer, which is a stream of one event.
fn message_of(answer: &Answer) -> Value {
    let lines = answer.text.lines();
    let mut data = lines.filter_map(|line| line.strip_prefix("data:"));
    data.find_map(|data| serde_json::from_str(data).ok())
        .unwrap_or_else(|| panic!("{}", answer.text))
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_over_mcp_and_rest_run_in_the_same_lanes() {
    let settings = [("server.max_searches", "1"), ("server.max_queued", "0")];
    let service = service(&settings).await;
    let agent = Agent::start(&service, None).await;
    let held = json!({ "query": "lanes", "mode": "held" });
    let request = service.request(Method::POST, "/api/search").json(&held);
    let running = tokio::spawn(request.send());
    until_metric(&service, "gannet_searches_running{lane=\"direct\"} 1").await;
    for (tool, arguments) in [
        ("keyword_search", json!({ "query": "cavity" })),
        ("browse", json!({})),
        ("count_entries", json!({})),
    ] {
        let refused = agent.call(tool, arguments).await;
        assert_eq!(refused["error_type"], "service_unavailable", "{refused}");
    }
    gate("lanes").close();
    assert_eq!(running.await.unwrap().unwrap().status(), 200);
    until_metric(&service, "gannet_searches_running{lane=\"direct\"} 0").await;
    let found = agent
        .call("keyword_search", json!({ "query": "cavity" }))
        .await;
    assert!(found["entries"].is_array(), "{found}");
    until_metric(&service, "gannet_searches_total{mode=\"keyword\"} 1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_write_is_enhanced_as_what_people_write() {
    let service = Service::with(&[("server.allow_mcp_writes", "true")]).await;
    let agent = Agent::start(&service, None).await;
    let fields = json!({ "subject": "Pump", "details": "TP-3.", "tags": ["vacuum"], "shift": "A" });
    let mut arguments = fields.clone();
    arguments["draft"] = false.into();
    let stored = agent.call("entry_create", arguments).await;
    assert_eq!(stored["status"], "stored", "{stored}");
    let written = service.post("/api/entries", fields).await.json(200);
    let entry = async |id: &Value| {
        let path = format!("/api/entries/{}", id.as_str().unwrap());
        service.get(&path).await.json(200)
    };
    let ours = entry(&stored["entry"]["entry_id"]).await;
    let theirs = entry(&written["entry_id"]).await;
    for field in ["raw_text", "metadata"] {
        assert_eq!(ours[field], theirs[field], "{field}");
    }
    let store = service.gannet().store();
    while store.pending_count("text_embedding").await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_of_an_agent_is_opened_in_the_web_interface() {
    let service = Service::with(&[("server.allow_mcp_writes", "true")]).await;
    let agent = Agent::start(&service, None).await;
    let fields = json!({ "subject": "Pump", "details": "TP-3.", "tags": ["vacuum"] });
    let drafted = agent.call("entry_create", fields).await;
    assert_eq!(drafted["status"], "draft", "{drafted}");
    let path = drafted["draft_path"].as_str().unwrap();
    assert_eq!(service.get(path).await.status, 200);
    let id = path.strip_prefix("/new?draft=").unwrap();
    let draft = service.get(&format!("/api/drafts/{id}")).await.json(200);
    assert_eq!(draft["subject"], "Pump");
    assert_eq!(draft["tags"], json!(["vacuum"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_a_model_needs_the_scope_to_ask() {
    let model = ModelServer::start([]);
    let settings = [("server.auth.required", "true")];
    let service = Service::with_model(&model, &settings).await;
    let reader = key(&service, "default", &[Scope::Search]);
    let rag = json!({ "query": "cavity", "mode": "rag" });
    let chat = json!({ "model": "rag", "messages": [{ "role": "user", "content": "cavity?" }] });
    for (path, body) in [
        ("/api/search", rag.clone()),
        ("/api/search/stream", rag),
        ("/search", json!({ "query": "cavity" })),
        ("/v1/chat/completions", chat),
    ] {
        let request = service.request(Method::POST, path).bearer_auth(&reader);
        let answer = Answer::of(request.json(&body).send().await.unwrap()).await;
        assert_eq!(answer.status, 403, "{path}");
        assert!(answer.text.contains("missing_scope"), "{}", answer.text);
    }
    // Pipelines quote entries for agents, which asks no model.
    let agent = Agent::start(&service, Some(&reader)).await;
    let quoted = agent.call("rag", json!({ "query": "cavity" })).await;
    assert!(
        quoted["answer_status"] != "error" && model.requests().is_empty(),
        "{quoted}"
    );
}
