//! Entries that are written on the command line, and into a logbook.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use crate::facility::{Facility, code, stderr};

const PASSWORD: &str = "pa55-of-lee";

/// A logbook that takes every entry as the 4711th but refuses those of `mallory`.
/// Its address, and what it was sent.
fn logbook() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/write", listener.local_addr().unwrap());
    let (told, written) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = String::new();
            while !request.ends_with("</root>") {
                let mut part = [0; 4096];
                let read = stream.read(&mut part).unwrap();
                request.push_str(std::str::from_utf8(&part[..read]).unwrap());
            }
            let (status, body) = match request.contains("<author>mallory</author>") {
                true => ("401 No", ""),
                false => ("200 OK", "<root><id>4711</id></root>"),
            };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n");
            let _ = stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes());
            // Nobody listens any more once a test has failed.
            let _ = told.send(request);
        }
    });
    (address, written)
}

fn facility(address: &str) -> Facility {
    let facility = Facility::new();
    facility.write(
        "config.yml",
        &format!(
            "ingestion:\n  publish_to: als_logbook\n  adapters:\n    als_logbook:\n      \
             settings: {{write: {{url: \"{address}\"}}}}\n"
        ),
    );
    facility.write("password", PASSWORD);
    let first = "{\"id\": \"A\", \"timestamp\": \"2024-01-05T08:30:00Z\", \"text\": \"x\"}";
    facility.write("first.jsonl", first);
    facility.done(&["ingest", "first.jsonl", "--no-enhance"]);
    facility
}

const NEW: [&str; 6] = [
    "entry",
    "create",
    "--subject",
    "RF trip",
    "--details",
    "Reset.",
];
const AS_LEE: [&str; 4] = ["--user", "lee", "--password-file", "password"];

#[test]
fn a_new_entry_is_stored_and_published_where_that_is_asked_for() {
    let (address, written) = logbook();
    let facility = facility(&address);
    let created = facility.json(&[&NEW[..], &["--tag", "RF"]].concat());
    let id = created["entry_id"].as_str().unwrap();
    assert!(id.starts_with("gannet-"), "{id}");
    assert_eq!(created["source_system"], "Gannet");
    assert!(written.try_recv().is_err());

    let published = facility.json(&[&["entry", "publish", id], &AS_LEE[..]].concat());
    assert_eq!(published["entry_id"], "4711");
    assert_eq!(published["source_system"], "ALS eLog");
    let sent = written.recv().unwrap();
    assert!(sent.contains(&format!("<password>{PASSWORD}</password>")));
    assert!(sent.contains("<category>RF</category>"));
    assert_eq!(code(&facility.gannet(&["entry", "show", id])), 2);
    facility.done(&["entry", "show", "4711"]);

    let direct = [&NEW[..], &["--publish"], &AS_LEE[..]].concat();
    assert_eq!(facility.json(&direct)["entry_id"], "4711");
    assert!(
        written
            .recv()
            .unwrap()
            .contains("<subject>RF trip</subject>")
    );
}

#[test]
fn an_entry_that_is_not_taken_is_not_stored_and_says_why() {
    let (address, _written) = logbook();
    let facility = facility(&address);
    let mallory = [
        "--publish",
        "--user",
        "mallory",
        "--password-file",
        "password",
    ];
    for (more, exit, message) in [
        (&["--publish"][..], 4, "needs a user name and a password"),
        (&mallory[..], 4, "refused the user name or the password"),
        (&AS_LEE[..], 2, "--user is for --publish"),
    ] {
        let refused = facility.gannet(&[&NEW[..], more].concat());
        assert_eq!(code(&refused), exit, "{}", stderr(&refused));
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
        assert!(!stderr(&refused).contains(PASSWORD));
    }
    assert_eq!(facility.json(&["status"])["entries"], 1);
    for (id, message) in [
        ("A", "only entries that were written in Gannet"),
        ("B", "no entry"),
    ] {
        let refused = facility.gannet(&["entry", "publish", id]);
        assert_eq!(code(&refused), 2, "{}", stderr(&refused));
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
    }
}

#[test]
fn an_entry_is_written_into_a_file_and_is_the_same_one_when_that_is_read() {
    let first = "{\"id\": \"A\", \"timestamp\": \"2024-01-05T08:30:00Z\", \"text\": \"x\"}";
    for (adapter, file, text) in [
        ("generic_json", "log.json", format!("[{first}]")),
        ("jsonl", "log.jsonl", first.to_owned()),
    ] {
        let facility = Facility::new();
        facility.write(
            "config.yml",
            &format!(
                "ingestion:\n  publish_to: {adapter}\n  adapters:\n    {adapter}:\n      \
                 settings: {{write: {{path: {file}}}}}\n"
            ),
        );
        facility.write(file, &text);
        facility.done(&["ingest", file, "--no-enhance"]);
        let created = facility.json(&[&NEW[..], &["--tag", "RF", "--publish"]].concat());
        let id = created["entry_id"].as_str().unwrap();
        assert!(id.starts_with("local-"), "{id}");

        let read = facility.json(&["ingest", file, "--no-enhance"]);
        assert_eq!(read["ingested"]["read"], 2, "{read}");
        assert_eq!(read["ingested"]["rejected"], 0, "{read}");
        assert_eq!(facility.json(&["status"])["entries"], 2, "{adapter}");
        assert!(facility.done(&["entry", "show", id]).contains("Reset."));
    }
}

#[test]
fn an_adapter_that_does_not_write_is_an_error_of_the_configuration() {
    let facility = Facility::new();
    for (adapter, message) in [
        ("jsonl", "does not write entries"),
        ("als_logbook", "settings.write.url"),
        ("als", "no adapter named `als`"),
    ] {
        facility.write(
            "config.yml",
            &format!("ingestion:\n  publish_to: {adapter}\n"),
        );
        let refused = facility.gannet(&["config", "validate"]);
        assert_eq!(code(&refused), 3, "{}", stderr(&refused));
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
    }
}
