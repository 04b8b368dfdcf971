//! A scripted service of the ALS logbook.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the logbook has, and how it answers.
#[derive(Default)]
struct Held {
    /// Id, seconds since 1970 and subject of each entry.
    entries: Vec<(String, i64, String)>,
    /// Windows that begin in these seconds get no whole answer.
    fails: Range<i64>,
    /// How many windows were asked for.
    asked: usize,
}

/// A service of the ALS logbook that gives the entries of each window.
pub(crate) struct Logbook {
    pub(crate) address: String,
    held: Arc<Mutex<Held>>,
    /// Hours before it are the times of its entries.
    pub(crate) now: i64,
}

impl Logbook {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/rpc/elog.php", listener.local_addr().unwrap());
        let held = Arc::new(Mutex::new(Held::default()));
        let answering = held.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (start, end) = window(&mut stream).await;
                let answer = answering.lock().unwrap().answer(start, end);
                // A client that has read enough goes away.
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        let now = Timestamp::now().as_second();
        Self { address, held, now }
    }

    /// Has these entries, each an id, its age in hours and a subject.
    pub(crate) fn holds(&self, entries: &[(&str, i64, &str)]) {
        let entries = entries.iter().map(|(id, hours, subject)| {
            let time = self.now - hours * 3_600;
            ((*id).to_owned(), time, (*subject).to_owned())
        });
        self.held.lock().unwrap().entries = entries.collect();
    }

    /// Windows that begin less than so many hours ago are cut off.
    pub(crate) fn fails_for(&self, hours: Option<i64>) {
        let from = hours.map_or(i64::MAX, |hours| self.now - hours * 3_600);
        self.held.lock().unwrap().fails = from..i64::MAX;
    }

    /// Only windows that begin so many hours ago are cut off.
    pub(crate) fn fails_between(&self, hours: Range<i64>) {
        let ago = |hours: i64| self.now - hours * 3_600;
        self.held.lock().unwrap().fails = ago(hours.end)..ago(hours.start);
    }

    /// How many windows were asked for since the last call.
    pub(crate) fn asked(&self) -> usize {
        std::mem::take(&mut self.held.lock().unwrap().asked)
    }
}

impl Held {
    fn answer(&mut self, start: i64, end: i64) -> String {
        self.asked += 1;
        let inside = self
            .entries
            .iter()
            .filter(|(_, time, _)| (start..=end).contains(time));
        let list: Vec<Value> = inside
            .map(|(id, time, subject)| {
                json!({"id": id, "timestamp": time.to_string(), "subject": subject})
            })
            .collect();
        let mut body = json!(list).to_string();
        let length = body.len() + 10;
        if !self.fails.contains(&start) {
            body += "          ";
        }
        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
    }
}

/// The window that a request asks for.
async fn window(stream: &mut TcpStream) -> (i64, i64) {
    let mut request = vec![0; 4096];
    let read = stream.read(&mut request).await.unwrap_or(0);
    let text = String::from_utf8_lossy(&request[..read]).into_owned();
    let line = text.lines().next().unwrap_or_default();
    let value = |name: &str| {
        let (_, rest) = line.split_once(name).unwrap();
        let digits = rest.split(['&', ' ']).next().unwrap();
        digits.parse().unwrap()
    };
    (value("start="), value("end="))
}
