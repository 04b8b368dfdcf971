//! Why a server is not called.

/// Why a server is not called. No text holds the whole address, which may
/// contain a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// The address is not one of a server.
    #[error("{0}")]
    Address(String),
    /// The request is for another server than the configured one.
    #[error("requests go to {allowed} only, not to {refused}")]
    OtherOrigin {
        /// The configured origin.
        allowed: String,
        /// The other one.
        refused: String,
    },
    /// Every address of the host is in a network that was not named.
    #[error(
        "{host} has addresses in a private or special network only; write the IP address itself, \
         or allow the private network by `allow_private_addresses` of a provider, or by \
         `outbound.private_hosts` for requests of plugins"
    )]
    PrivateAddress {
        /// The host.
        host: String,
    },
    /// The name of the host is not known.
    #[error("{host} cannot be resolved: {reason}")]
    Unresolved {
        /// The host.
        host: String,
        /// What the operating system said.
        reason: String,
    },
    /// The server gave no whole response.
    #[error("{host} gives no response: {reason}")]
    NoResponse {
        /// The host.
        host: String,
        /// What happened.
        reason: String,
    },
    /// TLS cannot be set up.
    #[error("no HTTP client: {0}")]
    Client(String),
}
