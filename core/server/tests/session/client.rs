//! A client over HTTP, with a caller and a session.

use bytes::Bytes;
use gannet_server::auth::{Caller, Scope};
use gannet_server::mcp::{McpHttp, McpHttpOptions, McpServer};
use gannet_tests::Host;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use super::{PROTOCOL, initialize};

/// A client with its headers.
#[derive(Clone)]
pub struct Client {
    pub mcp: McpHttp,
    pub caller: Option<Caller>,
    pub session: Option<String>,
}

/// A response that was read to its end.
pub struct Answer {
    pub status: StatusCode,
    pub session: Option<String>,
    pub retry_after: Option<String>,
    pub message: Value,
}

impl Client {
    pub fn new(host: &Host, options: McpHttpOptions) -> Self {
        Self {
            mcp: McpHttp::new(McpServer::new(host.gannet.clone()), options),
            caller: None,
            session: None,
        }
    }

    pub fn of(&self, name: &str, tenant: &str, scopes: &[Scope]) -> Self {
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

    pub fn request(&self, message: &Value, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
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

    pub async fn post_with(&self, message: &Value, headers: &[(&str, &str)]) -> Answer {
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

    pub async fn post(&self, message: &Value) -> Answer {
        self.post_with(message, &[]).await
    }

    /// This client with a session of its own.
    pub async fn started(mut self) -> Self {
        let answer = self.post(&initialize()).await;
        assert_eq!(answer.status, StatusCode::OK);
        self.session = answer.session;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&ready).await.status, StatusCode::ACCEPTED);
        self
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.post(&call(tool, arguments)).await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.message["result"]["structuredContent"].clone()
    }
}

pub fn call(tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
}

pub fn with_callers() -> McpHttpOptions {
    McpHttpOptions {
        requires_caller: true,
        ..McpHttpOptions::default()
    }
}
