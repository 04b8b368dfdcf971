//! Names are resolved here, and only addresses that may be called come back.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

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
            let may_be_called = |address: &SocketAddr| {
                let class = AddressClass::of(address.ip());
                match class {
                    AddressClass::Loopback => is_localhost || allow_private,
                    AddressClass::Public => !is_localhost,
                    AddressClass::Private => allow_private && !is_localhost,
                    AddressClass::Special => false,
                }
            };
            let allowed: Vec<SocketAddr> = found.await?.filter(may_be_called).collect();
            match allowed.is_empty() {
                true => Err(OutboundError::PrivateAddress { host }.into()),
                false => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
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
