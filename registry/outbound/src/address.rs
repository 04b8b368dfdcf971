//! What kind of network an address belongs to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Servers that tell a virtual machine its credentials: of Alibaba Cloud, of
/// Azure, and of AWS. Most others are link-local.
const METADATA_V4: [Ipv4Addr; 2] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// What kind of network an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClass {
    /// The Internet.
    Public,
    /// A network of an organisation (RFC 1918, RFC 4193, RFC 6598).
    Private,
    /// This machine.
    Loopback,
    /// Link-local and metadata addresses, groups, and what is reserved.
    Special,
}

impl AddressClass {
    /// The class of an address, in whichever notation it stands.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

fn of_v4(address: Ipv4Addr) -> AddressClass {
    let [a, b, c, _] = address.octets();
    let is_special = a == 0
        || a >= 224
        || address.is_link_local()
        || address.is_documentation()
        || (a, b, c) == (192, 0, 0)
        || METADATA_V4.contains(&address);
    let is_private = address.is_private()
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b));
    match (is_special, address.is_loopback(), is_private) {
        (true, _, _) => AddressClass::Special,
        (_, true, _) => AddressClass::Loopback,
        (_, _, true) => AddressClass::Private,
        _ => AddressClass::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressClass {
    if address.is_loopback() {
        return AddressClass::Loopback;
    }
    if let Some(inner) = embedded_v4(address) {
        return of_v4(inner);
    }
    let first = address.segments()[0];
    let is_special = address.is_unspecified()
        || address.is_multicast()
        || address == METADATA_V6
        || first & 0xffc0 == 0xfe80
        // Documentation, and Teredo, which hides an address of IPv4.
        || (first == 0x2001 && [0, 0xdb8].contains(&address.segments()[1]));
    let is_private = first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0;
    match (is_special, is_private) {
        (true, _) => AddressClass::Special,
        (_, true) => AddressClass::Private,
        _ => AddressClass::Public,
    }
}

/// The address of IPv4 that is written as one of IPv6: mapped, compatible,
/// translated (NAT64) or of a relay (6to4).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match parts {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] if high != 0 => Some(join(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(join(high, low)),
        [0x64, 0xff9b, 0 | 1, _, _, _, high, low] => Some(join(high, low)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}
