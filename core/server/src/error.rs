//! What keeps the service from starting or running.

use std::io;

use gannet_outbound::OutboundError;

use crate::auth::AuthError;

/// What keeps the service from starting or running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// Host and port of the settings.
        address: String,
        /// The cause.
        source: io::Error,
    },
    /// The settings of authentication cannot be used.
    #[error(transparent)]
    Auth(#[from] AuthError),
    /// Traces cannot be sent to `server.traces.endpoint`.
    #[error("`server.traces.endpoint`: {0}")]
    Traces(#[from] OutboundError),
    /// A log of the settings cannot be opened.
    #[error("`{key}` names a file that cannot be written: {source}")]
    Log {
        /// The setting.
        key: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The address can be reached from other machines, and nobody has to show
    /// who he is.
    #[error(
        "`server.host` is {host}, which other machines can reach, and no authentication is \
         configured; configure it, listen on 127.0.0.1, or pass `--insecure`"
    )]
    Exposed {
        /// The host of the settings.
        host: String,
    },
}
