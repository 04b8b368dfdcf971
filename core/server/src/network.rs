//! The network that a client is taken to be.

use std::net::{IpAddr, Ipv6Addr};

/// The address of an IPv4 client. A client of IPv6 has a whole network of 64
/// bits to send from: its first half stands for all of it.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}
