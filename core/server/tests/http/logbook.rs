//! A logbook of a facility that takes entries, and answers what a script says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::service::Service;

/// The facility's logbook.
pub struct Logbook {
    address: String,
    /// The bodies of the requests.
    pub written: Arc<Mutex<Vec<String>>>,
}

/// What the logbook does with a request.
#[derive(Clone, Copy)]
pub enum Reply {
    /// Answers with a status and a body.
    Is(u16, &'static str),
    /// Takes the entry and closes the connection.
    Cut,
    /// Takes the entry and says nothing.
    Silent,
}

use Reply::{Cut, Is, Silent};

impl Logbook {
    /// Without further replies every entry is taken, as the 4711th.
    pub async fn replying(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/write", listener.local_addr().unwrap());
        let written = Arc::new(Mutex::new(Vec::new()));
        let (heard, mut replies) = (written.clone(), VecDeque::from(replies.to_vec()));
        tokio::spawn(async move {
            let mut silent = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let body = request(&mut stream).await;
                heard.lock().unwrap().push(body);
                let taken = Is(200, "<root><id>4711</id></root>");
                match replies.pop_front().unwrap_or(taken) {
                    Is(status, body) => {
                        let length = body.len();
                        let answer = format!(
                            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\
                             connection: close\r\n\r\n{body}"
                        );
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                    Cut => {}
                    Silent => silent.push(stream),
                }
            }
        });
        Self { address, written }
    }

    pub fn requests(&self) -> usize {
        self.written.lock().unwrap().len()
    }

    /// A service whose entries are written into this logbook.
    pub async fn service(&self, settings: &[(&str, &str)]) -> Service {
        let write = "ingestion.adapters.als_logbook.settings";
        let address = format!("{write}.write.url");
        let timeout = format!("{write}.request_timeout_seconds");
        let mut all = vec![
            (address.as_str(), self.address.as_str()),
            (timeout.as_str(), "1"),
            ("ingestion.publish_to", "als_logbook"),
        ];
        all.extend(settings);
        Service::with(&all).await
    }
}

/// The body of a request, whose length the head says.
async fn request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        text.push_str(std::str::from_utf8(&part[..read]).unwrap());
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.split("content-length: ").nth(1).unwrap();
            let length: usize = length.lines().next().unwrap().parse().unwrap();
            if body.len() == length {
                return body.to_owned();
            }
        }
        assert_ne!(read, 0, "{text}");
    }
}
