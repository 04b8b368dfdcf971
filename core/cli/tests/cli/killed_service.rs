//! An ingestion from a service that is killed goes on where it stopped.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};

use crate::facility::Facility;

/// 1 January 2024, in seconds since 1970.
const FIRST: i64 = 1_704_067_200;
const DAY: i64 = 86_400;
/// Entries of the logbook, one for each 30 days.
pub const ENTRIES: i64 = 10;
/// Where the service falls silent, the first time that it is asked.
const SILENT: i64 = FIRST + ENTRIES / 2 * 30 * DAY;

/// A logbook that tells where the spans begin that it is asked for.
pub struct Logbook {
    url: String,
    asked: Receiver<i64>,
}

impl Logbook {
    /// One that falls silent once, or that always answers.
    pub fn start(is_silent_once: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/rpc.php", listener.local_addr().unwrap());
        let (told, asked) = channel();
        std::thread::spawn(move || {
            let mut silent: Option<TcpStream> = None;
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let may_be_silent = is_silent_once && silent.is_none();
                let kept = answer(stream, may_be_silent, &told);
                silent = silent.or(kept);
            }
        });
        Self { url, asked }
    }

    /// A configuration that reads it, a span of 30 days after another.
    pub fn config(&self) -> String {
        let settings = format!(
            "source_url: {}, start: \"2024-01-01T00:00:00Z\", chunk_days: 30, overlap_hours: 24",
            self.url
        );
        let adapters = format!("adapters: {{als_logbook: {{settings: {{{settings}}}}}}}");
        format!("ingestion: {{adapter: als_logbook, batch_size: 1, {adapters}}}")
    }
}

/// Answers with the entries of the span. The connection, where it is left
/// without an answer.
fn answer(mut stream: TcpStream, may_be_silent: bool, told: &Sender<i64>) -> Option<TcpStream> {
    let mut request = vec![0; 4_096];
    let length = stream.read(&mut request).unwrap_or(0);
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let number = |name: &str| -> Option<i64> {
        let value = request.split(name).nth(1)?.split(['&', ' ']).next()?;
        value.parse().ok()
    };
    let (start, end) = (number("start=")?, number("end=")?);
    // Nobody listens any more once a test has failed.
    let _ = told.send(start);
    if may_be_silent && start == SILENT {
        return Some(stream);
    }
    let times = (0..ENTRIES).map(|number| FIRST + number * 30 * DAY + 3_600);
    let entry = |time: i64| json!({"id": time, "timestamp": time.to_string(), "subject": "Trip"});
    let entries = times.filter(|time| (start..=end).contains(time)).map(entry);
    let body = entries.collect::<Value>().to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all((head + &body).as_bytes());
    None
}

#[test]
fn a_run_that_is_killed_in_the_middle_of_a_service_goes_on_there() {
    let logbook = Logbook::start(true);
    let facility = Facility::new();
    facility.write("config.yml", &logbook.config());
    let ingest = ["ingest", "--no-enhance"];
    let mut child = facility.command(&ingest).spawn().unwrap();
    while logbook.asked.recv().unwrap() != SILENT {}
    let stored = || facility.json(&["status"])["entries"].as_i64().unwrap();
    // The first spans are read before the last of them is stored.
    while stored() < 2 {}
    child.kill().unwrap();
    child.wait().unwrap();
    // Of what was read, what was acknowledged is there.
    assert!((2..=ENTRIES / 2).contains(&stored()), "{}", stored());

    facility.done(&ingest);
    assert_eq!(facility.json(&["status"])["entries"], ENTRIES);
    let went_on = logbook.asked.try_iter().next().unwrap();
    assert!(went_on > FIRST && went_on < SILENT, "{went_on}");
}
