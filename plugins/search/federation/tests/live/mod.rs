//! Requests to a real server that a test was given, over plain HTTP/1.1.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use gannet_plugin::http::{HttpRequest, HttpResponse};

/// The server that an environment variable names, such as
/// `http://127.0.0.1:9200`. Says so when there is none: what needs it is
/// skipped.
pub fn server(variable: &str) -> Option<String> {
    let named = std::env::var(variable).ok().filter(|url| !url.is_empty());
    match &named {
        Some(url) => assert!(
            url.starts_with("http://"),
            "{variable}: write http://HOST:PORT"
        ),
        None => println!("skipped: {variable} names no server"),
    }
    named.map(|url| url.trim_end_matches('/').to_owned())
}

/// Sends a request whose address is that of this server.
pub fn send(server: &str, request: &HttpRequest) -> HttpResponse {
    let place = server.strip_prefix("http://").unwrap();
    let path = request.url.strip_prefix(server).unwrap();
    let query: Vec<String> = request
        .query
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mark = if query.is_empty() { "" } else { "?" };
    let headers: String = request
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let head = format!(
        "{} {path}{mark}{} HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\n{headers}\
         content-length: {}\r\n\r\n",
        request.method,
        query.join("&"),
        request.body.len()
    );
    let mut stream = TcpStream::connect(place).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    response(&answer)
}

fn response(answer: &[u8]) -> HttpResponse {
    let end = answer
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    assert!(
        !head.to_lowercase().contains("transfer-encoding: chunked"),
        "the server answers in chunks, which this client does not read"
    );
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    HttpResponse::new(status, &answer[end + 4..])
}
