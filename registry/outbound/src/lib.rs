//! Which servers Gannet may call, and the one way to call them.
//!
//! An [`OutboundClient`] calls one origin: the one that the configuration
//! names. It follows no redirect. What a host name resolves to is checked
//! before each connection, and the connection goes to the very addresses that
//! were checked: a name that is pointed at another machine later (DNS
//! rebinding) gains nothing.

mod address;
mod client;
mod error;
mod guarded_dns;
mod origin;
mod proxy;
mod waiting;

pub use address::AddressClass;
pub use client::{OutboundClient, OutboundOptions};
pub use error::OutboundError;
pub use guarded_dns::resolve;
pub use origin::Origin;
pub use proxy::ProxyAddress;
pub use waiting::{WaitingClient, WaitingResponse};
