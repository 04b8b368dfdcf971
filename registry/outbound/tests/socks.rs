//! A server behind a SOCKS proxy: a scripted one passes connections on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use gannet_outbound::{Origin, OutboundClient, OutboundOptions, ProxyAddress};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Method, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

const URL: &str = "http://elog.lab.example/rpc?op=retrieve";

/// What the proxy was asked to connect to.
type Targets = Arc<Mutex<Vec<String>>>;

/// Every name is this address.
struct Always([u8; 4]);

impl Resolve for Always {
    fn resolve(&self, _: Name) -> Resolving {
        let address = SocketAddr::from((self.0, 0));
        Box::pin(async move { Ok(Box::new(std::iter::once(address)) as Addrs) })
    }
}

/// A service that gives an empty list to whoever asks.
async fn service() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await.unwrap();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]";
            stream.write_all(answer).await.unwrap();
        }
    });
    address
}

/// A proxy that connects everybody with the service, or nobody.
async fn proxy(service: Option<SocketAddr>) -> (ProxyAddress, Targets, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let targets = Targets::default();
    let asked = Arc::clone(&targets);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let target = greet(&mut stream).await;
            asked.lock().unwrap().push(target);
            match service {
                Some(service) => {
                    stream
                        .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                        .await
                        .unwrap();
                    let mut server = TcpStream::connect(service).await.unwrap();
                    let _ = copy_bidirectional(&mut stream, &mut server).await;
                }
                None => stream
                    .write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
                    .await
                    .unwrap(),
            }
        }
    });
    let address = ProxyAddress::configured(&format!("socks5h://127.0.0.1:{port}"));
    (address.unwrap(), targets, port)
}

/// The handshake of RFC 1928 without a login; the target that is asked for.
async fn greet(stream: &mut TcpStream) -> String {
    let mut head = [0; 2];
    stream.read_exact(&mut head).await.unwrap();
    let mut methods = vec![0; head[1].into()];
    stream.read_exact(&mut methods).await.unwrap();
    stream.write_all(&[5, 0]).await.unwrap();
    let mut request = [0; 4];
    stream.read_exact(&mut request).await.unwrap();
    let host = match request[3] {
        1 => {
            let mut ip = [0; 4];
            stream.read_exact(&mut ip).await.unwrap();
            std::net::Ipv4Addr::from(ip).to_string()
        }
        3 => {
            let length = stream.read_u8().await.unwrap();
            let mut name = vec![0; length.into()];
            stream.read_exact(&mut name).await.unwrap();
            String::from_utf8(name).unwrap()
        }
        other => panic!("an address of kind {other}"),
    };
    format!("{host}:{}", stream.read_u16().await.unwrap())
}

async fn ask(proxy: ProxyAddress, resolved: [u8; 4]) -> Result<String, reqwest::Error> {
    let options = OutboundOptions {
        proxy: Some(proxy),
        resolver: Some(Arc::new(Always(resolved))),
        ..OutboundOptions::default()
    };
    let client = OutboundClient::new(Origin::configured(URL).unwrap(), options).unwrap();
    let url = Url::parse(URL).unwrap();
    let answer = client.request(Method::GET, url).unwrap().send().await?;
    answer.text().await
}

#[tokio::test]
async fn a_proxy_that_resolves_names_is_given_the_name() {
    let (proxy, targets, _) = proxy(Some(service().await)).await;
    assert_eq!(ask(proxy, [10, 0, 0, 1]).await.unwrap(), "[]");
    assert_eq!(*targets.lock().unwrap(), ["elog.lab.example:80"]);
}

#[tokio::test]
async fn a_name_that_is_resolved_here_is_checked_here() {
    let (_, targets, port) = proxy(Some(service().await)).await;
    let local = ProxyAddress::configured(&format!("socks5://127.0.0.1:{port}")).unwrap();
    assert!(ask(local.clone(), [10, 0, 0, 1]).await.is_err());
    assert_eq!(targets.lock().unwrap().len(), 0);
    assert_eq!(ask(local, [93, 184, 216, 34]).await.unwrap(), "[]");
    assert_eq!(*targets.lock().unwrap(), ["93.184.216.34:80"]);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_an_error_and_nothing_is_asked_directly() {
    let (proxy, targets, _) = proxy(None).await;
    assert!(ask(proxy, [127, 0, 0, 1]).await.unwrap_err().is_connect());
    assert_eq!(targets.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn requests_to_another_origin_are_not_sent_through_a_proxy_either() {
    let (proxy, targets, _) = proxy(Some(service().await)).await;
    let options = OutboundOptions {
        proxy: Some(proxy),
        ..OutboundOptions::default()
    };
    let client = OutboundClient::new(Origin::configured(URL).unwrap(), options).unwrap();
    for other in ["https://elog.lab.example/", "http://169.254.169.254/"] {
        assert!(
            client
                .request(Method::GET, Url::parse(other).unwrap())
                .is_err()
        );
    }
    assert_eq!(targets.lock().unwrap().len(), 0);
}
