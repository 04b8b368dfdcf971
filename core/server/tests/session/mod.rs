//! A client of the protocol, written by hand, over streams in memory.
#![allow(dead_code, reason = "not every test uses all of it")]

pub mod client;

use gannet_core::Stop;
use gannet_server::mcp::{McpServer, serve_streams};
use gannet_tests::Host;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

pub const PROTOCOL: &str = "2025-06-18";

/// The first request of a client.
pub fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
}

/// A session that has been initialized.
pub struct Session {
    writer: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    next_id: u64,
    /// What the server said of itself.
    pub started: Value,
}

/// What a call of a tool gave.
pub struct Reply {
    pub is_error: bool,
    pub content: Value,
}

impl Session {
    pub async fn with(host: &Host) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = McpServer::new(host.gannet.clone());
        tokio::spawn(async move {
            serve_streams(server, tokio::io::split(theirs), &Stop::default())
                .await
                .unwrap();
        });
        let (reader, writer) = tokio::io::split(ours);
        let mut session = Self {
            writer,
            lines: BufReader::new(reader).lines(),
            next_id: 1,
            started: Value::Null,
        };
        session.send(initialize().to_string().as_bytes()).await;
        session.started = session.answer(0).await["result"].clone();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        session.send(ready.to_string().as_bytes()).await;
        session
    }

    /// Sends a line as it is.
    pub async fn send(&mut self, line: &[u8]) {
        self.writer.write_all(line).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self
                .lines
                .next_line()
                .await
                .unwrap()
                .expect("the session goes on");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(request.to_string().as_bytes()).await;
        self.answer(id).await
    }

    pub async fn tools(&mut self) -> Vec<Value> {
        let listed = self.request("tools/list", json!({})).await;
        listed["result"]["tools"].as_array().unwrap().clone()
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", params).await;
        let result = &answer["result"];
        let content = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{tool}: {answer}"));
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read, content, "text and structure say the same");
        Reply {
            is_error: result["isError"] == true,
            content,
        }
    }

    /// Calls what must work.
    pub async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.call(tool, arguments).await;
        assert!(!reply.is_error, "{tool}: {}", reply.content);
        reply.content
    }

    /// Calls what must fail; gives the type of the error and its message.
    pub async fn failed(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let reply = self.call(tool, arguments).await;
        assert!(reply.is_error, "{tool}: {}", reply.content);
        assert_eq!(reply.content["error"], true);
        assert!(reply.content["suggestions"].is_array());
        let text = |key: &str| reply.content[key].as_str().unwrap().to_owned();
        (text("error_type"), text("error_message"))
    }
}

/// A host with so many entries about a pump, a minute apart, whose texts have
/// 2,000 characters.
pub async fn host_of_pumps(count: usize, settings: &[(&str, &str)]) -> Host {
    let host = Host::with(settings).await;
    let records: Vec<Value> = (0..count)
        .map(|number| {
            json!({
                "id": format!("e{number}"),
                "text": format!("vacuum pump {number} {}", "stopped again ".repeat(142)),
                "timestamp": format!("2024-03-01T23:{number:02}:00Z"),
                "author": if number % 2 == 0 { "Ann Smith" } else { "Bo Lee" },
                "source_system": "elog",
            })
        })
        .collect();
    host.ingest_lines(&records).await;
    host
}

/// The ids of the entries of a reply.
pub fn ids(reply: &Value) -> Vec<String> {
    let entries = reply["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| entry["entry_id"].as_str().unwrap().to_owned())
        .collect()
}
