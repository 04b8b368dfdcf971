//! How many requests an address may make in a minute.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::network::network_of;

/// The time over which requests are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Addresses that are remembered before those that paused are forgotten.
const MANY: usize = 10_000;

/// A bucket of requests for each address, filled evenly over a minute.
pub(crate) struct RateLimit {
    per_minute: u32,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

struct Bucket {
    left: f64,
    filled: Instant,
}

impl RateLimit {
    /// With so many requests per minute; 0 for no limit.
    pub fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            buckets: Mutex::default(),
        }
    }

    /// Takes one request, or gives the seconds until there is one.
    ///
    /// # Errors
    /// The whole seconds after which the address has a request again.
    pub fn take(&self, address: IpAddr, now: Instant) -> Result<(), u64> {
        if self.per_minute == 0 {
            return Ok(());
        }
        let full = f64::from(self.per_minute);
        let per_second = full / WINDOW.as_secs_f64();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MANY {
            buckets.retain(|_, bucket| now.duration_since(bucket.filled) < WINDOW);
        }
        let bucket = buckets.entry(network_of(address)).or_insert(Bucket {
            left: full,
            filled: now,
        });
        let since = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.left = (bucket.left + since * per_second).min(full);
        bucket.filled = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let missing = (1.0 - bucket.left) / per_second;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 60"
        )]
        Err(missing.ceil().max(1.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_its_requests_and_then_waits() {
        let limit = RateLimit::new(2);
        let start = Instant::now();
        assert_eq!(limit.take(ip("10.0.0.1"), start), Ok(()));
        assert_eq!(limit.take(ip("10.0.0.1"), start), Ok(()));
        assert_eq!(limit.take(ip("10.0.0.1"), start), Err(30));
        assert_eq!(limit.take(ip("10.0.0.2"), start), Ok(()));
        let later = start + Duration::from_secs(30);
        assert_eq!(limit.take(ip("10.0.0.1"), later), Ok(()));
        assert_eq!(limit.take(ip("10.0.0.1"), later), Err(30));
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_their_requests() {
        let limit = RateLimit::new(1);
        let start = Instant::now();
        assert_eq!(limit.take(ip("2001:db8::1"), start), Ok(()));
        assert!(limit.take(ip("2001:db8::2"), start).is_err());
    }

    #[test]
    fn zero_is_no_limit() {
        let limit = RateLimit::new(0);
        let start = Instant::now();
        assert!((0..1000).all(|_| limit.take(ip("10.0.0.1"), start).is_ok()));
    }
}
