//! A client of one server.

use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::Resolve;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Url};

use crate::guarded_dns::{GuardedDns, SystemDns};
use crate::{Origin, OutboundError, ProxyAddress};

/// How a server is called.
#[derive(Clone, Default)]
pub struct OutboundOptions {
    /// Whether the host name may stand for an address of a private network or
    /// of this machine. An address that is written as a number names itself.
    pub allow_private_addresses: bool,
    /// How long a request may take in all; for ever when not set.
    pub timeout: Option<Duration>,
    /// The proxy that is asked in the server's place; without one those of the
    /// environment count.
    pub proxy: Option<ProxyAddress>,
    /// What resolves host names; the operating system when not set.
    pub resolver: Option<Arc<dyn Resolve>>,
}

/// A client of one server, which calls no other. Clones share connections.
#[derive(Debug, Clone)]
pub struct OutboundClient {
    client: Client,
    origin: Origin,
}

impl OutboundClient {
    /// A client of this server. It reads the system's certificates and opens
    /// no connection.
    ///
    /// # Errors
    /// [`OutboundError::Client`] where TLS cannot be set up.
    pub fn new(origin: Origin, options: OutboundOptions) -> Result<Self, OutboundError> {
        let dns = GuardedDns {
            origin: origin.clone(),
            allow_private: options.allow_private_addresses,
            resolver: options.resolver.unwrap_or_else(|| Arc::new(SystemDns)),
        };
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .dns_resolver(Arc::new(dns));
        if let Some(timeout) = options.timeout {
            builder = builder.timeout(timeout);
        }
        match &options.proxy {
            Some(proxy) => builder = builder.proxy(proxy.for_everything()?),
            // A proxy of the environment cannot reach servers on this machine.
            None if origin.is_local() => builder = builder.no_proxy(),
            None => {}
        }
        let client = builder.build();
        let client = client.map_err(|error| OutboundError::Client(error.to_string()))?;
        Ok(Self { client, origin })
    }

    /// A request to the server.
    ///
    /// # Errors
    /// [`OutboundError::OtherOrigin`] for an address of another server.
    pub fn request(&self, method: Method, url: Url) -> Result<RequestBuilder, OutboundError> {
        let origin = Origin::of(&url)?;
        if origin != self.origin {
            return Err(OutboundError::OtherOrigin {
                allowed: self.origin.to_string(),
                refused: origin.to_string(),
            });
        }
        Ok(self.client.request(method, url))
    }
}
