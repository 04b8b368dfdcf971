//! Requests that the host makes for plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gannet_api::{Call, Error, HttpRequest, HttpResponse, PluginKind, Result};
use gannet_outbound::{Origin, OutboundClient, OutboundOptions, ProxyAddress};
use gannet_registry::Catalog;
use reqwest::dns::Resolve;
use reqwest::{Method, RequestBuilder, Response, Url};

use crate::config::ProxyConfig;
use crate::instance_key::InstanceKey;
use crate::isolate::within;
use crate::quarantine::PluginName;

/// How long a request may take that does not say.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest body that is read.
const MOST_BYTES: usize = 16 << 20;
/// Characters of an address that an error quotes.
const MOST_QUOTED: usize = 100;

/// The servers that plugins may call: each instance those that its own settings
/// name, and an adapter the sources that are configured for it.
pub(crate) struct Outgoing {
    origins: BTreeMap<InstanceKey, Vec<Origin>>,
    /// Hosts that may be in a private network.
    private_hosts: Vec<String>,
    /// Hosts in lower case that are asked through a proxy.
    proxies: BTreeMap<String, ProxyAddress>,
    /// What resolves host names; the operating system when not set.
    resolver: Option<Arc<dyn Resolve>>,
    /// By the text of their origins.
    clients: Mutex<BTreeMap<String, OutboundClient>>,
}

impl Outgoing {
    /// The sources of ingestion are of the adapters that are named with them.
    pub(crate) fn new(
        catalog: &Catalog,
        sources: Vec<(String, String)>,
        (private_hosts, proxies): (Vec<String>, &[ProxyConfig]),
    ) -> Self {
        // What is no address of a server is for the plugin to refuse.
        let origin = |address: &String| Origin::configured(address).ok();
        let mut origins: BTreeMap<InstanceKey, Vec<Origin>> = BTreeMap::new();
        for instance in catalog.iter() {
            let descriptor = &instance.descriptor;
            let key = InstanceKey::new(descriptor.kind, &descriptor.name);
            let named = instance.addresses.iter().filter_map(origin);
            origins.entry(key).or_default().extend(named);
        }
        for (adapter, address) in sources {
            let key = InstanceKey::new(PluginKind::Adapter, adapter);
            origins.entry(key).or_default().extend(origin(&address));
        }
        // The check of the configuration refuses what is no proxy.
        let proxies = proxies.iter().filter_map(|of| {
            let address = ProxyAddress::configured(&of.url).ok()?;
            Some((of.host.to_ascii_lowercase(), address))
        });
        Self {
            origins,
            private_hosts,
            proxies: proxies.collect(),
            resolver: None,
            clients: Mutex::default(),
        }
    }

    /// The hosts that the settings of any instance name, in lower case.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let origins = self.origins.values().flatten();
        let hosts: BTreeSet<&str> = origins.map(Origin::host).collect();
        hosts.into_iter().map(str::to_owned).collect()
    }

    /// Answers the host service [`HttpRequest::SERVICE`] to this instance.
    pub(crate) async fn answer(
        &self,
        call: &Call,
        instance: &InstanceKey,
        payload: &[u8],
    ) -> Result<Vec<u8>> {
        let request = HttpRequest::from_bytes(payload)?;
        let url = Url::parse(&request.url);
        let url = url.map_err(|error| refused(instance, not_valid(&request.url, &error)))?;
        let client = self.client(instance, &url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let deadline = call.deadline.at_most(request.timeout.unwrap_or(TIMEOUT));
        let any_status = request.any_status;
        let answered = async {
            let built = build(&client, url, request).map_err(|error| refused(instance, error));
            let sent = built?.send().await;
            let response = sent.map_err(|error| unanswered(&host, &error))?;
            let response = read(response, &host).await?;
            match any_status {
                true => Ok(response),
                false => response.checked(&host),
            }
        };
        let answered = async { answered.await.map_err(|error| of_instance(instance, error)) };
        let operation = format!("{}: the request to {host}", instance.name());
        within(&operation, deadline, answered).await?.to_bytes()
    }

    fn client(&self, instance: &InstanceKey, url: &Url) -> Result<OutboundClient> {
        let origin = Origin::of(url).map_err(|error| refused(instance, error.to_string()))?;
        let named = self.origins.get(instance);
        if !named.is_some_and(|named| named.contains(&origin)) {
            return Err(refused(instance, not_named(&origin, instance)));
        }
        self.client_of(&origin)
    }

    /// The client of a server that the configuration names.
    ///
    /// # Errors
    /// [`Error::Internal`] where TLS cannot be set up.
    pub(crate) fn client_of(&self, origin: &Origin) -> Result<OutboundClient> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&origin.to_string()) {
            return Ok(client.clone());
        }
        let host = origin.host();
        let options = OutboundOptions {
            allow_private_addresses: self.is_private_host(host),
            proxy: self.proxies.get(host).cloned(),
            resolver: self.resolver.clone(),
            ..OutboundOptions::default()
        };
        let client = OutboundClient::new(origin.clone(), options);
        let client = client.map_err(|error| Error::internal(error.to_string()))?;
        clients.insert(origin.to_string(), client.clone());
        Ok(client)
    }
}

impl Outgoing {
    /// Whether a host may be in a private network.
    pub(crate) fn is_private_host(&self, host: &str) -> bool {
        let mut private = self.private_hosts.iter();
        private.any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// Why an instance may not call a server, and what would permit it.
fn not_named(origin: &Origin, instance: &InstanceKey) -> String {
    match instance.kind() {
        PluginKind::Adapter => format!(
            "{origin} is not in the configuration, and no address is called that is not; for \
             {instance} set `ingestion.adapters.{}.settings.source_url`, or `source_url` of a \
             source in `ingestion.sources`",
            instance.name()
        ),
        _ => format!("{origin} is not in the settings of {instance}; write its address there"),
    }
}

/// Why a text is not the address of a server. What may hold a secret is not
/// quoted: what stands before an `@`, and a query.
fn not_valid(url: &str, error: &impl std::fmt::Display) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let shown: String = url[..end].chars().take(MOST_QUOTED).collect();
    match shown.contains('@') {
        true => format!("the address is not valid: {error}"),
        false => format!(
            "the address `{}` is not valid: {error}",
            shown.escape_debug()
        ),
    }
}

fn build(
    client: &OutboundClient,
    mut url: Url,
    request: HttpRequest,
) -> std::result::Result<RequestBuilder, String> {
    let method = Method::from_str(&request.method).map_err(|error| error.to_string())?;
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    let builder = client.request(method, url);
    let mut builder = builder.map_err(|error| error.to_string())?;
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

fn refused(instance: &InstanceKey, message: String) -> Error {
    Error::invalid_input(format!(
        "a request of {instance} to another server: {message}"
    ))
}

/// An error of a response that a plugin read, whose server only the plugin
/// knows, by the name of the plugin.
pub(crate) fn of_reader(plugin: PluginName<'_>, error: Error) -> Error {
    match error {
        Error::Provider {
            provider,
            message,
            retryable,
        } if provider == HttpRequest::SERVICE => Error::Provider {
            provider: plugin.name.to_owned(),
            message,
            retryable,
        },
        error => error,
    }
}

/// The error by the name of the instance, which may be told where the host may
/// not.
fn of_instance(instance: &InstanceKey, error: Error) -> Error {
    match error {
        Error::Provider {
            provider,
            message,
            retryable,
        } => Error::Provider {
            provider: instance.name().to_owned(),
            message: format!("{provider}: {message}"),
            retryable,
        },
        error => error,
    }
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

    use gannet_api::{Deadline, PluginKind};
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
        let module = InstanceKey::new(PluginKind::SearchModule, "archiver");
        let named = vec![Origin::configured(&url).unwrap()];
        let outgoing = Outgoing {
            origins: BTreeMap::from([(module.clone(), named)]),
            private_hosts: permitted.iter().map(|name| (*name).to_owned()).collect(),
            proxies: BTreeMap::new(),
            resolver: Some(Arc::new(ThisMachine)),
            clients: Mutex::default(),
        };
        let call = Call::new("test", "default", Deadline::NEVER);
        let request = HttpRequest::get(url).to_bytes().unwrap();
        // The same name of another kind is another instance.
        for other in [
            InstanceKey::new(PluginKind::SearchModule, "other"),
            InstanceKey::new(PluginKind::Pipeline, "archiver"),
        ] {
            let refused = outgoing.answer(&call, &other, &request).await.unwrap_err();
            let refused = refused.to_string();
            assert!(
                refused.contains(&format!("settings of {other}")),
                "{refused}"
            );
        }
        HttpResponse::from_bytes(&outgoing.answer(&call, &module, &request).await?)
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
