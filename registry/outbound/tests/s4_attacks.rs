//! S4: attacks on what Gannet calls. None of them sends a request.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gannet_outbound::{Origin, OutboundClient, OutboundError, OutboundOptions};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Method, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that counts connections and answers with these bytes.
struct Trap {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Trap {
    async fn answering(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let mut head = [0; 1024];
                let _ = stream.read(&mut head).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self {
            address,
            connections,
        }
    }

    async fn set() -> Self {
        Self::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned()).await
    }

    fn count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Gives every name these addresses.
struct Poisoned(Vec<IpAddr>, u16);

impl Resolve for Poisoned {
    fn resolve(&self, _: Name) -> Resolving {
        let (found, port) = (self.0.clone(), self.1);
        let found = found.into_iter().map(move |ip| SocketAddr::new(ip, port));
        Box::pin(async move { Ok(Box::new(found) as Addrs) })
    }
}

/// What a name must not lead to without permission.
const UNNAMED: [&str; 24] = [
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "198.18.0.1",
    "fc00::1",
    "fd12:3456::1",
    "::ffff:10.0.0.1",
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "fe80::1",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "255.255.255.255",
];

#[tokio::test]
async fn a_name_that_leads_to_an_unnamed_network_is_not_called() {
    let trap = Trap::set().await;
    for address in UNNAMED {
        let address: IpAddr = address.parse().unwrap();
        let options = OutboundOptions {
            resolver: Some(Arc::new(Poisoned(vec![address], trap.address.port()))),
            ..OutboundOptions::default()
        };
        let base = format!("http://models.example:{}/", trap.address.port());
        let client = OutboundClient::new(Origin::configured(&base).unwrap(), options).unwrap();
        let request = client.request(Method::GET, base.parse().unwrap()).unwrap();
        let error = request.send().await.unwrap_err();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        assert!(
            cause.to_string().contains("models.example"),
            "{address}: {cause}"
        );
    }
    assert_eq!(trap.count(), 0);
}

#[tokio::test]
async fn special_addresses_stay_closed_where_private_ones_are_allowed() {
    let trap = Trap::set().await;
    let port = trap.address.port();
    let base = format!("http://models.example:{port}/");
    let call = async |address: &str| {
        let options = OutboundOptions {
            allow_private_addresses: true,
            resolver: Some(Arc::new(Poisoned(vec![address.parse().unwrap()], port))),
            ..OutboundOptions::default()
        };
        let client = OutboundClient::new(Origin::configured(&base).unwrap(), options).unwrap();
        let request = client.request(Method::GET, base.parse().unwrap()).unwrap();
        request.send().await
    };
    for address in ["169.254.169.254", "fe80::1", "fd00:ec2::254", "0.0.0.0"] {
        assert!(call(address).await.is_err(), "{address}");
    }
    assert_eq!(trap.count(), 0);
    assert!(call("127.0.0.1").await.is_ok());
    assert_eq!(trap.count(), 1);
}

#[test]
fn an_address_that_hides_its_host_is_not_a_configured_one() {
    for address in [
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://0/",
        "http://[::ffff:7f00:1%25eth0]/",
        "http://0.0.0.0:80/",
        "http://224.0.0.1/",
        "http://models.example@169.254.169.254/",
        "http://user:secret@models.example/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_",
        "http://",
        "//169.254.169.254/",
    ] {
        let refused = Origin::configured(address).unwrap_err();
        assert!(matches!(refused, OutboundError::Address(_)), "{address}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
    for address in [
        "http://127.0.0.1:11434",
        "http://[::1]:80/v1",
        "http://169.254.169.254/",
        "https://models.example/v1",
        "http://localhost:8000",
    ] {
        assert!(Origin::configured(address).is_ok(), "{address}");
    }
}

#[tokio::test]
async fn requests_to_another_origin_are_not_sent() {
    let trap = Trap::set().await;
    let origin = Origin::configured("http://models.example:8000/v1").unwrap();
    let client = OutboundClient::new(origin, OutboundOptions::default()).unwrap();
    let port = trap.address.port();
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://models.example:8000@127.0.0.1:{port}/"),
        "http://models.example:8001/".to_owned(),
        "https://models.example:8000/".to_owned(),
        "http://models.example.evil.example:8000/".to_owned(),
        "http://evil.example:8000/models.example".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let url: Url = url.parse().unwrap();
        assert!(client.request(Method::GET, url.clone()).is_err(), "{url}");
    }
    assert_eq!(trap.count(), 0);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let trap = Trap::set().await;
    let port = trap.address.port();
    for location in [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:7f00:1]:{port}/"),
        format!("\\\\127.0.0.1:{port}\\"),
    ] {
        for status in ["301", "302", "303", "307", "308"] {
            let redirect = format!(
                "HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            );
            let server = Trap::answering(redirect).await;
            let base = format!("http://{}/", server.address);
            let origin = Origin::configured(&base).unwrap();
            let client = OutboundClient::new(origin, OutboundOptions::default()).unwrap();
            let request = client.request(Method::POST, base.parse().unwrap()).unwrap();
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status().as_str(), status);
            assert_eq!(server.count(), 1);
        }
    }
    assert_eq!(trap.count(), 0);
}
