//! A proxy that the configuration names for a server.

use reqwest::{Proxy, Url};

use crate::OutboundError;

/// The address of a proxy: `socks5h://`, which resolves host names itself,
/// `socks5://`, for which they are resolved and checked here, or `http://`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyAddress(Url);

impl ProxyAddress {
    /// The proxy of an address as it is configured.
    ///
    /// # Errors
    /// [`OutboundError::Address`] for another scheme, without a host, or with a
    /// user, a password or a path.
    pub fn configured(address: &str) -> Result<Self, OutboundError> {
        let refused = |why: String| Err(OutboundError::Address(why));
        let url = match Url::parse(address.trim()) {
            Ok(url) => url,
            Err(error) => return refused(format!("not an address: {error}")),
        };
        if !matches!(url.scheme(), "socks5h" | "socks5" | "http") {
            return refused("a proxy begins with socks5h://, socks5:// or http://".to_owned());
        }
        let has_login = !url.username().is_empty() || url.password().is_some();
        let has_path = !matches!(url.path(), "" | "/") || url.query().is_some();
        match url.host_str() {
            None | Some("") => refused("the address of a proxy has a host".to_owned()),
            Some(_) if has_login => {
                refused("the address of a proxy must not contain a user or a password".to_owned())
            }
            Some(_) if has_path => refused("the address of a proxy ends with its port".to_owned()),
            Some(_) => Ok(Self(url)),
        }
    }

    /// The proxy for everything that a client asks.
    pub(crate) fn for_everything(&self) -> Result<Proxy, OutboundError> {
        let proxy = Proxy::all(self.0.clone());
        proxy.map_err(|error| OutboundError::Client(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_of_a_proxy_is_refused() {
        for good in [
            "socks5h://127.0.0.1:1080",
            "socks5://gate.lab:1080",
            "http://[::1]:3128/",
        ] {
            assert!(ProxyAddress::configured(good).is_ok(), "{good}");
        }
        for bad in [
            "127.0.0.1:1080",
            "socks4://gate.lab:1080",
            "socks5h://me:secret@gate.lab:1080",
            "socks5h://gate.lab:1080/path",
            "file:///etc/passwd",
            "socks5h://",
        ] {
            assert!(ProxyAddress::configured(bad).is_err(), "{bad}");
        }
    }
}
