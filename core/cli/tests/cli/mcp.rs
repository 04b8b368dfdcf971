//! `gannet mcp` over its standard streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::facility::Facility;
use crate::plugins::library_that;
use serde_json::{Value, json};

/// A running `gannet mcp`.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Server {
    fn start(facility: &Facility) -> Self {
        let mut child = facility
            .command(&["-vv", "mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut server = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            next_id: 0,
        };
        let client = json!({ "name": "test", "version": "1" });
        let started = server.request(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        assert_eq!(started["serverInfo"]["name"], "gannet");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Every line on the standard output is a message.
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    /// Closes the input; gives the exit code and what was logged.
    fn finish(mut self) -> (i32, String) {
        drop(self.input);
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let output = self.child.wait_with_output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), log)
    }
}

#[test]
fn an_agent_finds_entries_and_loaded_plugins_are_its_tools() {
    let facility = Facility::with_examples();
    let entry = json!({
        "id": "A-1", "text": "vacuum pump stopped", "timestamp": "2024-03-01T10:00:00Z",
    });
    facility.write("log.jsonl", &entry.to_string());
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let mut server = Server::start(&facility);
    let listed = server.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(
        has("keyword_search") && has("pv_search") && has("timeline"),
        "{listed}"
    );

    let arguments = json!({ "query": "pump" });
    let found = server.request(
        "tools/call",
        json!({ "name": "keyword_search", "arguments": arguments }),
    );
    assert_eq!(found["structuredContent"]["entries"][0]["entry_id"], "A-1");
    let (code, log) = server.finish();
    assert_eq!(code, 0, "{log}");
    assert!(
        log.contains("DEBUG"),
        "logs are on the standard error stream: {log}"
    );
}

#[test]
fn what_a_plugin_prints_is_not_among_the_messages() {
    let facility = Facility::new();
    facility.write(
        "log.jsonl",
        r#"{"id": "1", "text": "x", "timestamp": "2024-03-01T10:00:00Z"}"#,
    );
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    library_that("println!(\"printed by a plugin\");", &facility);
    facility.configure("    - file: fatal.so\n", "");
    let mut server = Server::start(&facility);
    let listed = server.request("tools/list", json!({}));
    assert!(listed["tools"].is_array(), "{listed}");
    let (code, log) = server.finish();
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("printed by a plugin\n"), "{log}");
}

#[test]
fn a_client_that_leaves_at_once_is_no_error_and_a_missing_store_is_one() {
    let facility = Facility::new();
    assert_eq!(crate::facility::code(&facility.gannet(&["mcp"])), 4);
    facility.write(
        "log.jsonl",
        r#"{"id": "1", "text": "x", "timestamp": "2024-03-01T10:00:00Z"}"#,
    );
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    assert_eq!(facility.done(&["mcp"]), "");
}
