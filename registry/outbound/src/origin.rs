//! The server that the configuration names.

use std::net::IpAddr;

use reqwest::Url;

use crate::{AddressClass, OutboundError};

/// Scheme, host and port of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of an address as it is configured. A host in a notation that
    /// hides an IP address (`http://2130706433/`, `http://0x7f.1/`) is
    /// refused: what is named is what a person can read.
    ///
    /// # Errors
    /// [`OutboundError::Address`].
    pub fn configured(address: &str) -> Result<Self, OutboundError> {
        let address = address.trim();
        let url = Url::parse(address);
        let url = url.map_err(|error| refused(format!("not an address: {error}")))?;
        let origin = Self::of(&url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused(
                "the address must not contain a user or a password".to_owned(),
            ));
        }
        let written = address.to_ascii_lowercase();
        let is_number = origin.ip().is_some();
        if is_number && !written.contains(&format!("//{}", origin.host)) {
            return Err(refused(format!("write the host as {}", origin.host)));
        }
        if origin
            .ip()
            .is_some_and(|ip| ip.is_unspecified() || ip.is_multicast())
        {
            return Err(refused(format!("{} is not a server", origin.host)));
        }
        Ok(origin)
    }

    /// The origin of an address.
    ///
    /// # Errors
    /// [`OutboundError::Address`] for what is not HTTP or has no host.
    pub fn of(url: &Url) -> Result<Self, OutboundError> {
        let host = url.host_str().unwrap_or_default();
        let is_http = matches!(url.scheme(), "http" | "https");
        match (is_http, host, url.port_or_known_default()) {
            (true, host, Some(port)) if !host.is_empty() => Ok(Self {
                scheme: url.scheme().to_owned(),
                host: host.to_ascii_lowercase(),
                port,
            }),
            _ => Err(refused("not the address of a server".to_owned())),
        }
    }

    /// The host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether it is on this machine, by its name or number.
    pub fn is_local(&self) -> bool {
        self.is_localhost()
            || self
                .ip()
                .is_some_and(|ip| AddressClass::of(ip) == AddressClass::Loopback)
    }

    /// Whether the name is one of this machine (RFC 6761).
    pub(crate) fn is_localhost(&self) -> bool {
        is_localhost(&self.host)
    }

    fn ip(&self) -> Option<IpAddr> {
        self.host.trim_matches(['[', ']']).parse().ok()
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

/// Whether a name in lower case is one of this machine (RFC 6761).
pub(crate) fn is_localhost(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

fn refused(why: String) -> OutboundError {
    OutboundError::Address(why)
}
