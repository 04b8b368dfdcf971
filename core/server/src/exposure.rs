//! Whether the service may listen on an address that other machines reach.

use std::net::{IpAddr, SocketAddr};

use gannet_core::Gannet;

use crate::ServerError;

/// Refuses addresses that other machines can reach where nobody has to show
/// who he is, unless the administrator insists.
///
/// # Errors
/// [`ServerError::Exposed`].
pub(crate) fn check_exposure(
    gannet: &Gannet,
    host: &str,
    addresses: &[SocketAddr],
    insecure: bool,
) -> Result<(), ServerError> {
    let is_local = addresses.iter().all(|address| is_loopback(address.ip()));
    if is_local || insecure || is_authentication_configured(gannet) {
        return Ok(());
    }
    Err(ServerError::Exposed {
        host: host.to_owned(),
    })
}

/// Whether callers have to show who they are.
fn is_authentication_configured(gannet: &Gannet) -> bool {
    gannet.config().server.auth.required
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_are_those_of_this_machine_in_every_notation() {
        for local in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(local.parse().is_ok_and(is_loopback), "{local}");
        }
        for reachable in ["0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1"] {
            assert!(
                reachable.parse().is_ok_and(|ip| !is_loopback(ip)),
                "{reachable}"
            );
        }
    }
}
