//! Requests that the host makes for plugins.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gannet_api::{Call, Error, HttpRequest, HttpResponse, Result};
use gannet_outbound::{Origin, OutboundClient, OutboundOptions};
use gannet_registry::Catalog;
use reqwest::dns::Resolve;
use reqwest::{Method, RequestBuilder, Response, Url};

use crate::isolate::within;

/// How long a request may take that does not say.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest body that is read.
const MOST_BYTES: usize = 16 << 20;

/// The servers that plugins may call: those that the settings of the instances
/// name, and the configured source of ingestion.
pub(crate) struct Outgoing {
    origins: Vec<Origin>,
    /// Hosts that may be in a private network.
    private_hosts: Vec<String>,
    /// What resolves host names; the operating system when not set.
    resolver: Option<Arc<dyn Resolve>>,
    /// By the text of their origins.
    clients: Mutex<BTreeMap<String, OutboundClient>>,
}

impl Outgoing {
    pub(crate) fn new(
        catalog: &Catalog,
        source: Option<String>,
        private_hosts: Vec<String>,
    ) -> Self {
        let mut origins: Vec<Origin> = Vec::new();
        let addresses = catalog.iter().flat_map(|instance| &instance.addresses);
        let addresses = addresses.chain(&source);
        // What is no address of a server is for the plugin to refuse.
        for origin in addresses.filter_map(|address| Origin::configured(address).ok()) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        Self {
            origins,
            private_hosts,
            resolver: None,
            clients: Mutex::default(),
        }
    }

    /// Answers the host service [`HttpRequest::SERVICE`].
    pub(crate) async fn answer(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        let request = HttpRequest::from_bytes(payload)?;
        let url = Url::parse(&request.url).map_err(|error| refused(error.to_string()))?;
        let client = self.client(&url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let deadline = call.deadline.at_most(request.timeout.unwrap_or(TIMEOUT));
        let answered = async {
            let sent = build(&client, url, request)?.send().await;
            let response = sent.map_err(|error| unanswered(&host, &error))?;
            read(response, &host).await?.checked(&host)
        };
        let operation = format!("the request to {host}");
        within(&operation, deadline, answered).await?.to_bytes()
    }

    fn client(&self, url: &Url) -> Result<OutboundClient> {
        let origin = Origin::of(url).map_err(|error| refused(error.to_string()))?;
        if !self.origins.contains(&origin) {
            return Err(refused(format!(
                "{origin} is not in the settings of any module that is on; write its address \
                 there"
            )));
        }
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&origin.to_string()) {
            return Ok(client.clone());
        }
        let host = origin.host();
        let mut private = self.private_hosts.iter();
        let options = OutboundOptions {
            allow_private_addresses: private.any(|name| name.eq_ignore_ascii_case(host)),
            resolver: self.resolver.clone(),
            ..OutboundOptions::default()
        };
        let client = OutboundClient::new(origin.clone(), options);
        let client = client.map_err(|error| Error::internal(error.to_string()))?;
        clients.insert(origin.to_string(), client.clone());
        Ok(client)
    }
}

fn build(client: &OutboundClient, mut url: Url, request: HttpRequest) -> Result<RequestBuilder> {
    let method = Method::from_str(&request.method).map_err(|error| refused(error.to_string()))?;
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    let builder = client.request(method, url);
    let mut builder = builder.map_err(|error| refused(error.to_string()))?;
    for (name, value) in request.headers {
        builder = builder.header(name, value);
    }
    Ok(match request.body.is_empty() {
        true => builder,
        false => builder.body(request.body),
    })
}

async fn read(mut response: Response, host: &str) -> Result<HttpResponse> {
    let mut answer = HttpResponse::new(response.status().as_u16(), Vec::new());
    let headers = response.headers().iter().filter_map(|(name, value)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    });
    answer.headers = headers.collect();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| unanswered(host, &error))?
    {
        if answer.body.len() + piece.len() > MOST_BYTES {
            return Err(provider(
                host,
                format!("the response has more than {MOST_BYTES} bytes"),
                false,
            ));
        }
        answer.body.extend_from_slice(&piece);
    }
    Ok(answer)
}

fn refused(message: String) -> Error {
    Error::invalid_input(format!("a request to another server: {message}"))
}

/// The error without the address, whose query may hold a secret.
fn unanswered(host: &str, error: &reqwest::Error) -> Error {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    provider(host, format!("no answer: {reason}"), true)
}

fn provider(host: &str, message: String, retryable: bool) -> Error {
    Error::Provider {
        provider: host.to_owned(),
        message,
        retryable,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::net::SocketAddr;

    use gannet_api::Deadline;
    use reqwest::dns::{Addrs, Name, Resolving};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Every name is this machine.
    struct ThisMachine;

    impl Resolve for ThisMachine {
        fn resolve(&self, _: Name) -> Resolving {
            let address = SocketAddr::from(([127, 0, 0, 1], 0));
            Box::pin(async move { Ok(Box::new(std::iter::once(address)) as Addrs) })
        }
    }

    /// Asks a service that a name stands for, with these names permitted.
    async fn ask(permitted: &[&str]) -> Result<HttpResponse> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1024]).await.unwrap();
            let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]";
            stream.write_all(response).await.unwrap();
        });
        let url = format!("http://archiver.lab.example:{port}/search");
        let outgoing = Outgoing {
            origins: vec![Origin::configured(&url).unwrap()],
            private_hosts: permitted.iter().map(|name| (*name).to_owned()).collect(),
            resolver: Some(Arc::new(ThisMachine)),
            clients: Mutex::default(),
        };
        let call = Call::new("test", "default", Deadline::NEVER);
        let request = HttpRequest::get(url).to_bytes().unwrap();
        HttpResponse::from_bytes(&outgoing.answer(&call, &request).await?)
    }

    #[tokio::test]
    async fn a_name_of_a_private_network_is_asked_with_permission_only() {
        for permitted in [&[][..], &["elsewhere.lab.example"]] {
            let refused = ask(permitted).await.unwrap_err().to_string();
            assert!(refused.contains("`outbound.private_hosts`"), "{refused}");
        }
        let answer = ask(&["Archiver.lab.example"]).await.unwrap();
        assert_eq!(answer.body, b"[]");
    }
}
