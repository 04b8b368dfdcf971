//! Names are resolved here, and only addresses that may be called come back.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::origin::is_localhost;
use crate::{AddressClass, Origin, OutboundError};

/// The resolver of one origin.
pub(crate) struct GuardedDns {
    pub origin: Origin,
    pub allow_private: bool,
    pub resolver: Arc<dyn Resolve>,
}

impl Resolve for GuardedDns {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_ascii_lowercase();
        let found = self.resolver.resolve(name);
        // The only other name that this client resolves is that of a proxy,
        // which the administrator named.
        if host != self.origin.host() {
            return found;
        }
        let is_localhost = self.origin.is_localhost();
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found = found.await?;
            let allowed = allowed(found, is_localhost, allow_private);
            match allowed.is_empty() {
                true => Err(OutboundError::PrivateAddress { host }.into()),
                false => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

/// The addresses that may be called.
fn allowed(
    found: impl Iterator<Item = SocketAddr>,
    is_localhost: bool,
    allow_private: bool,
) -> Vec<SocketAddr> {
    let may_be_called = |address: &SocketAddr| match AddressClass::of(address.ip()) {
        AddressClass::Loopback => is_localhost || allow_private,
        AddressClass::Public => !is_localhost,
        AddressClass::Private => allow_private && !is_localhost,
        AddressClass::Special => false,
    };
    found.filter(may_be_called).collect()
}

/// The addresses of a server that is not asked over HTTP, such as one for mail,
/// by the rules of [`OutboundClient`](crate::OutboundClient): a name stands for
/// addresses of a private network with permission only, an IP address for
/// itself. The caller connects to these addresses and resolves no name again.
///
/// # Errors
/// [`OutboundError::Unresolved`], [`OutboundError::PrivateAddress`].
pub async fn resolve(
    host: &str,
    port: u16,
    allow_private: bool,
) -> Result<Vec<SocketAddr>, OutboundError> {
    let host = host.to_ascii_lowercase();
    if let Ok(ip) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let found = tokio::net::lookup_host((host.as_str(), port)).await;
    let found = found.map_err(|error| OutboundError::Unresolved {
        host: host.clone(),
        reason: error.to_string(),
    })?;
    let allowed = allowed(found, is_localhost(&host), allow_private);
    match allowed.is_empty() {
        true => Err(OutboundError::PrivateAddress { host }),
        false => Ok(allowed),
    }
}

/// The resolver of the operating system.
pub(crate) struct SystemDns;

impl Resolve for SystemDns {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port of the request replaces 0.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}
