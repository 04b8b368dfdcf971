//! Requests to other servers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requests of plugins to other servers. A plugin may call the servers whose
/// addresses stand in the settings of its instances.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OutboundConfig {
    /// Host names that may stand for addresses of a private network or of this
    /// machine. An IP address and `localhost` need no permission.
    pub private_hosts: Vec<String>,
    /// Servers that are asked through a proxy. Others are asked through that of
    /// the environment (`HTTPS_PROXY`, `NO_PROXY`), if there is one.
    pub proxies: Vec<ProxyConfig>,
}

/// A server that is asked through a proxy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProxyConfig {
    /// The server's host name or IP address.
    pub host: String,
    /// The proxy: `socks5h://host:port`, which resolves the server's name,
    /// `socks5://host:port`, for which it is resolved and checked here, or
    /// `http://host:port`.
    pub url: String,
}
