//! How many connections an address may hold of those that are open.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::network::network_of;

/// Open connections by the network of their other end.
#[derive(Debug, Default)]
pub(crate) struct ConnectionShare(Mutex<HashMap<IpAddr, usize>>);

/// A connection that is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    share: Arc<ConnectionShare>,
    network: Option<IpAddr>,
}

impl ConnectionShare {
    /// Counts a connection of this address; `None` where it holds the most
    /// already. 0 is no limit, and addresses of this machine have none: a
    /// proxy brings the connections of everybody.
    pub fn take(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Held> {
        let is_free = most == 0 || address.to_canonical().is_loopback();
        let network = (!is_free).then(|| network_of(address));
        if let Some(network) = network {
            let mut open = self.open();
            let count = open.entry(network).or_default();
            if *count >= most {
                return None;
            }
            *count += 1;
        }
        Some(Held {
            share: self.clone(),
            network,
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Counts are whole after a panic too.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(network) = self.network else {
            return;
        };
        let mut open = self.share.open();
        if let Some(count) = open.get_mut(&network) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn take(share: &Arc<ConnectionShare>, address: &str, most: usize) -> Option<Held> {
        share.take(address.parse().unwrap(), most)
    }

    #[test]
    fn an_address_holds_its_share_and_leaves_the_rest_to_others() {
        let share = Arc::new(ConnectionShare::default());
        let first = take(&share, "192.0.2.1", 2).unwrap();
        let second = take(&share, "::ffff:192.0.2.1", 2).unwrap();
        assert!(take(&share, "192.0.2.1", 2).is_none());
        let other = take(&share, "192.0.2.2", 2).unwrap();
        drop(first);
        let third = take(&share, "192.0.2.1", 2).unwrap();
        assert!(take(&share, "192.0.2.1", 2).is_none());
        drop((second, third, other));
        assert!(share.open().is_empty());
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let share = Arc::new(ConnectionShare::default());
        let _held = take(&share, "2001:db8::1", 1).unwrap();
        assert!(take(&share, "2001:db8::2", 1).is_none());
        assert!(take(&share, "2001:db8:0:1::2", 1).is_some());
    }

    #[test]
    fn this_machine_and_zero_have_no_limit() {
        let share = Arc::new(ConnectionShare::default());
        for (address, most) in [("127.0.0.1", 1), ("::1", 1), ("192.0.2.1", 0)] {
            let held: Vec<_> = (0..9).map(|_| take(&share, address, most)).collect();
            assert!(held.iter().all(Option::is_some), "{address}");
        }
        assert!(share.open().is_empty());
    }
}
