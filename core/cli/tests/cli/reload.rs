//! `gannet reload` and SIGHUP: the configuration of a running service is read
//! again, taken whole or not at all, and no request notices.
#![cfg(unix)]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::facility::{Facility, code, stderr};
use serde_json::Value;

const RECORD: &str = r#"{"id":"S-1","title":"Pump","text":"Pump TP-3 was exchanged.","timestamp":"2025-03-01T08:00:00Z","author":"Lee"}"#;
/// Clients that search all the time.
const CLIENTS: usize = 3;

/// A service of the binary; it is killed when a test fails.
struct Running {
    child: Child,
    address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already where the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(facility: &Facility, options: &[&str]) -> Self {
        facility.write("log.jsonl", RECORD);
        facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
        let arguments = [&["serve", "--port", "0"], options].concat();
        let log = std::fs::File::create(facility.folder.path().join("log.txt")).unwrap();
        let mut child = facility
            .command(&arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap();
        Self {
            address: address.to_owned(),
            child,
        }
    }

    /// The status of a search that is addressed to this host.
    fn search(&self, host: &str) -> u16 {
        self.search_with(host, "")
    }

    /// The same with more headers.
    fn search_with(&self, host: &str, more: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = r#"{"query": "pump", "mode": "keyword"}"#;
        let length = body.len();
        write!(
            stream,
            "POST /api/search HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             X-Request-Id: my-search-7\r\n{more}\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    fn hang_up(&self) {
        let number = self.child.id().to_string();
        let sent = Command::new("kill").args(["-HUP", &number]).status();
        assert!(sent.unwrap().success());
    }
}

/// What the service says of itself.
fn state(facility: &Facility) -> Value {
    let store: Value = facility.json(&["config", "show"]);
    let folder = store["store"]["path"].as_str().unwrap().to_owned();
    let file = facility.folder.path().join(folder).join("service.json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn configuration(host: &str) -> String {
    format!(
        "server:\n  requests_per_minute: 0\n  audit_log: {{ path: audit.jsonl }}\n  \
         allowed_hosts: [{host}]\n"
    )
}

#[test]
fn no_request_fails_over_twenty_reloads_of_which_one_is_broken() {
    let facility = Facility::new();
    facility.write("config.yml", &configuration("h0.example"));
    let service = Running::start(&facility, &[]);
    let (is_done, searches) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    assert_eq!(service.search("localhost"), 200);
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 1..=20 {
            let (old, new) = (
                format!("h{}.example", number - 1),
                format!("h{number}.example"),
            );
            if number == 10 {
                facility.write("config.yml", "server: [this is not\n");
                let before = state_of_service(&facility);
                let refused = facility.gannet(&["reload"]);
                assert_eq!(code(&refused), 3, "{}", stderr(&refused));
                service.hang_up();
                while state_of_service(&facility)["reloads"] == before["reloads"] {
                    std::thread::yield_now();
                }
                assert!(state_of_service(&facility)["error"].is_string());
                let audit = facility.folder.path().join("audit.jsonl");
                let audit = std::fs::read_to_string(audit).unwrap();
                let last: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
                assert_eq!(last["event"], "reloaded");
                assert!(last["refused"].is_string(), "{last}");
                assert_eq!(service.search(&old), 200, "the old configuration stays");
            }
            facility.write("config.yml", &configuration(&new));
            facility.done(&["reload"]);
            assert_eq!(service.search(&new), 200);
            assert_eq!(service.search(&old), 421);
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(searches.load(Ordering::Relaxed) >= CLIENTS);
    assert_eq!(state(&facility)["reloads"], 21);
}

/// The same where the configuration cannot be read: the folder is the default.
fn state_of_service(facility: &Facility) -> Value {
    let folders = std::fs::read_dir(facility.folder.path()).unwrap();
    let mut files = folders.map(|folder| folder.unwrap().path().join("service.json"));
    let file = files.find(|file| file.exists()).unwrap();
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

#[test]
fn what_needs_a_restart_and_what_no_plugin_takes_is_refused_by_name() {
    let facility = Facility::new();
    facility.write("config.yml", &configuration("h0.example"));
    let service = Running::start(&facility, &[]);
    for (more, named) in [
        ("  max_connections: 7\n", "`server.max_connections`"),
        (
            "store: { late_interaction: false }\n",
            "`store.late_interaction`",
        ),
        ("timezone: Mars/Olympus\n", "timezone"),
    ] {
        let changed = format!("{}{more}", configuration("h1.example"));
        facility.write("config.yml", &changed);
        let refused = facility.gannet(&["reload"]);
        assert_eq!(code(&refused), 3, "{}", stderr(&refused));
        assert!(stderr(&refused).contains(named), "{}", stderr(&refused));
        assert_eq!(service.search("h0.example"), 200);
        assert_eq!(service.search("h1.example"), 421);
    }
    facility.write("config.yml", &configuration("h0.example"));
    facility.done(&["reload"]);
}

#[test]
fn a_reload_without_a_service_says_so() {
    let facility = Facility::new();
    facility.write("log.jsonl", RECORD);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let none = facility.gannet(&["reload"]);
    assert_eq!(code(&none), 4);
    assert!(
        stderr(&none).contains("no `gannet serve` runs"),
        "{}",
        stderr(&none)
    );
}

#[test]
fn each_line_of_a_json_log_is_an_object_with_the_ids_of_its_request_and_trace() {
    let facility = Facility::new();
    facility.write("config.yml", &configuration("h0.example"));
    let service = Running::start(&facility, &["--log-format", "json"]);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let login = format!(
        "Authorization: Bearer gnt_wrong\r\nTraceparent: 00-{trace}-b7ad6b7169203331-01\r\n"
    );
    assert_eq!(service.search_with("localhost", &login), 401);
    drop(service);
    let log = std::fs::read_to_string(facility.folder.path().join("log.txt")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let is_of_request = |line: &&Value| line["spans"][0]["name"] == "request";
    let of_request: Vec<&Value> = lines.iter().filter(is_of_request).collect();
    assert!(!of_request.is_empty(), "{log}");
    for line in of_request {
        assert_eq!(line["spans"][0]["id"], "my-search-7", "{line}");
        assert_eq!(line["spans"][0]["trace_id"], trace, "{line}");
        assert!(line["level"].is_string() && line["timestamp"].is_string());
    }
}
