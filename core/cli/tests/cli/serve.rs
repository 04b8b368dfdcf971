//! `gannet serve`: the service of the binary, from its start to SIGTERM.
#![cfg(unix)]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::facility::{Facility, code, stderr};

const RECORD: &str = r#"{"id":"S-1","title":"Pump","text":"Pump TP-3 was exchanged.","timestamp":"2025-03-01T08:00:00Z","author":"Lee"}"#;

/// A service of the binary; it is killed when a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already where the test went well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The status line and the body of an answer.
fn ask(address: &str, method: &str, path: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

/// A service that listens, and its address.
fn started(facility: &Facility, arguments: &[&str]) -> (Running, String) {
    let child = facility
        .command(&[&["serve", "--port", "0"], arguments].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut line = String::new();
    let stdout = running.0.stdout.as_mut().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap();
    (running, address.to_owned())
}

fn terminate(running: &mut Running) {
    let number = running.0.id().to_string();
    let sent = Command::new("kill")
        .args(["-TERM", &number])
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(running.0.wait().unwrap().code(), Some(143));
}

#[test]
fn the_binary_serves_until_it_is_asked_to_stop() {
    let facility = Facility::new();
    facility.write("log.jsonl", RECORD);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let (mut running, address) = started(&facility, &[]);
    let address = address.as_str();

    let (status, body) = ask(address, "GET", "/readyz", "");
    assert!(
        status.contains(" 200 ") && body.contains("ready"),
        "{status}\n{body}"
    );
    let search = r#"{"query": "pump", "mode": "keyword"}"#;
    let (status, body) = ask(address, "POST", "/api/search", search);
    assert!(
        status.contains(" 200 ") && body.contains("S-1"),
        "{status}\n{body}"
    );

    terminate(&mut running);
}

#[test]
fn a_service_over_an_empty_folder_is_filled_over_http() {
    let facility = Facility::new();
    // As a file system has it that was mounted there.
    let folder = facility.folder.path().join("store/lost+found");
    std::fs::create_dir_all(folder).unwrap();
    facility.done(&[
        "keys", "create", "a", "--scope", "ingest", "--data", "store",
    ]);
    let (mut running, address) = started(&facility, &["--data", "store"]);
    let (status, body) = ask(&address, "GET", "/readyz", "");
    assert!(status.contains(" 200 "), "{status}\n{body}");
    let entry = r#"{"subject": "Pump", "details": "TP-3 was exchanged."}"#;
    let (status, body) = ask(&address, "POST", "/api/entries", entry);
    assert!(status.contains(" 200 "), "{status}\n{body}");
    let (_, id) = body.split_once(r#""entry_id":""#).unwrap();
    let (id, _) = id.split_once('"').unwrap();
    let (status, body) = ask(&address, "GET", &format!("/api/entries/{id}"), "");
    assert!(
        status.contains(" 200 ") && body.contains("TP-3 was exchanged."),
        "{status}\n{body}"
    );
    terminate(&mut running);
    let shown = facility.done(&["--data", "store", "entry", "show", id]);
    assert!(shown.contains("TP-3 was exchanged."), "{shown}");
}

#[test]
fn a_folder_that_is_missing_or_has_other_files_is_not_served() {
    let facility = Facility::new();
    std::fs::create_dir(facility.folder.path().join("other")).unwrap();
    facility.write("other/log.jsonl", RECORD);
    for folder in ["missing", "other"] {
        let refused = facility.gannet(&["serve", "--data", folder, "--port", "0"]);
        assert_eq!(code(&refused), 4);
        let said = stderr(&refused);
        assert!(said.contains("there is no store"), "{said}");
    }
    assert!(!facility.folder.path().join("missing").exists());
    let files = std::fs::read_dir(facility.folder.path().join("other"));
    assert_eq!(files.unwrap().count(), 1);
}

#[test]
fn an_entry_of_another_service_is_shown_by_its_id() {
    let other = Facility::new();
    other.write("log.jsonl", RECORD);
    other.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let (_running, address) = started(&other, &[]);
    let facility = Facility::new();
    facility.write("log.jsonl", &RECORD.replace("S-1", "H-1"));
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let north = format!(
        "search_modules:\n  north:\n    plugin: gannet_remote\n    enabled: true\n    \
         settings: {{ url: \"http://{address}\" }}\n"
    );
    facility.write("config.yml", &north);
    let shown = facility.done(&["entry", "show", "north:S-1"]);
    assert!(shown.contains("Pump TP-3 was exchanged."), "{shown}");
    let missing = facility.gannet(&["entry", "show", "north:S-2"]);
    assert!(
        stderr(&missing).contains("north:S-2"),
        "{}",
        stderr(&missing)
    );
}

#[test]
fn a_verbose_log_has_a_line_for_each_request_and_no_query() {
    let facility = Facility::new();
    facility.write("log.jsonl", RECORD);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let mut child = facility
        .command(&["-v", "--log-format", "json", "serve", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut running = Running(child);
    stdout.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap();
    let search = r#"{"query": "canary", "mode": "keyword"}"#;
    ask(address, "POST", "/api/search", search);
    ask(
        address,
        "GET",
        "/api/search/stream?query=canary&mode=keyword",
        "",
    );
    let number = running.0.id().to_string();
    Command::new("kill")
        .args(["-TERM", &number])
        .status()
        .unwrap();
    let mut text = String::new();
    log.read_to_string(&mut text).unwrap();
    running.0.wait().unwrap();
    // What the program says of its end is no line of the log.
    let lines = text.lines();
    let lines = lines.filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let answered: Vec<_> = lines.filter(|line| line["message"] == "answered").collect();
    assert_eq!(answered.len(), 2, "{text}");
    let first = answered[0].to_string();
    for part in [
        r#""method":"POST""#,
        r#""route":"/api/search""#,
        r#""status":200"#,
        r#""ms":"#,
        r#""id":""#,
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn an_address_that_others_reach_is_a_configuration_error() {
    let facility = Facility::new();
    facility.write("log.jsonl", RECORD);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let refused = facility.gannet(&["serve", "--host", "0.0.0.0", "--port", "0"]);
    assert_eq!(code(&refused), 3);
    assert!(
        stderr(&refused).contains("--insecure"),
        "{}",
        stderr(&refused)
    );
}
