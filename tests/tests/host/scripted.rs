//! Scripted servers on this machine: one of HTTP, one of mail.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A request that a server of HTTP got.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Posted {
    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.eq_ignore_ascii_case(name)).then_some(value.trim())
        })
    }
}

/// A server that keeps what it got.
pub(crate) struct Scripted<T> {
    pub(crate) port: u16,
    got: Arc<Mutex<Vec<T>>>,
}

impl<T: Clone + Send + 'static> Scripted<T> {
    pub(crate) fn got(&self) -> Vec<T> {
        self.got.lock().unwrap().clone()
    }
}

/// A server of HTTP that answers with these statuses, one a request, and then
/// with 200. The status 0 is no answer at all.
pub(crate) async fn webhook(statuses: &[u16]) -> Scripted<Posted> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let got = Arc::new(Mutex::new(Vec::new()));
    let (kept, mut statuses) = (got.clone(), Vec::from(statuses).into_iter());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let posted = read_request(&mut stream).await;
            kept.lock().unwrap().push(posted);
            let status = statuses.next().unwrap_or(200);
            if status == 0 {
                // The connection stays open, as that of a server that hangs.
                std::mem::forget(stream);
                continue;
            }
            let answer = format!(
                "HTTP/1.1 {status} Scripted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    Scripted { port, got }
}

async fn read_request(stream: &mut TcpStream) -> Posted {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.unwrap();
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.unwrap();
    Posted {
        head,
        body: serde_json::from_slice(&body).unwrap(),
    }
}

/// A server of mail that answers each mail with one of these lines, and then
/// takes every mail. What it got are the addresses and the lines of a mail.
pub(crate) async fn smtp(answers: &[&'static str]) -> Scripted<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let got = Arc::new(Mutex::new(Vec::new()));
    let (kept, mut answers) = (got.clone(), Vec::from(answers).into_iter());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = answers.next().unwrap_or("250 taken");
            let mail = one_mail(stream, "220 scripted\r\n", answer).await;
            kept.lock().unwrap().push(mail);
        }
    });
    Scripted { port, got }
}

/// A server of mail that takes mails after STARTTLS alone. Its certificate is
/// signed by the authority in `scripted_tls`.
pub(crate) async fn smtp_with_tls() -> Scripted<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let got = Arc::new(Mutex::new(Vec::new()));
    let (kept, acceptor) = (got.clone(), acceptor());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            start_tls(&mut stream).await;
            // A client that does not trust the certificate goes away.
            if let Ok(stream) = acceptor.accept(stream).await {
                let mail = one_mail(stream, "", "250 taken").await;
                kept.lock().unwrap().push(mail);
            }
        }
    });
    Scripted { port, got }
}

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("scripted_tls/server.pem"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("scripted_tls/server.key"));
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate.unwrap()], key.unwrap());
    Arc::new(config.unwrap()).into()
}

/// Answers until the client has said STARTTLS.
async fn start_tls(stream: &mut TcpStream) {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 scripted\r\n").await.unwrap();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let reply: &[u8] = match line.split_whitespace().next() {
            Some("EHLO") => b"250-scripted\r\n250 STARTTLS\r\n",
            Some("STARTTLS") => b"220 go on\r\n",
            _ => b"530 encrypt first\r\n",
        };
        stream.write_all(reply).await.unwrap();
        if line.starts_with("STARTTLS") {
            return;
        }
    }
}

async fn one_mail(stream: impl AsyncRead + AsyncWrite, greeting: &str, answer: &str) -> String {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let mut mail = String::new();
    let mut is_data = false;
    writer.write_all(greeting.as_bytes()).await.unwrap();
    while let Ok(Some(line)) = lines.next_line().await {
        let reply = match (is_data, line.split(' ').next().unwrap_or_default()) {
            (true, ".") => {
                is_data = false;
                answer
            }
            (true, _) => {
                mail.push_str(&format!("{line}\n"));
                continue;
            }
            (false, "MAIL" | "RCPT") => {
                mail.push_str(&format!("{line}\n"));
                "250 ok"
            }
            (false, "DATA") => {
                is_data = true;
                "354 go on"
            }
            (false, "QUIT") => {
                let _ = writer.write_all(b"221 bye\r\n").await;
                break;
            }
            (false, _) => "250 ok",
        };
        writer
            .write_all(format!("{reply}\r\n").as_bytes())
            .await
            .unwrap();
    }
    mail
}
