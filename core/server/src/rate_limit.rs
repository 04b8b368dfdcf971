//! How many requests an address or a key may make in a minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time over which requests are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Callers of a generation at most; two generations are remembered.
const MANY: usize = 10_000;

/// A bucket of requests for each caller, filled evenly over a minute. `K` says
/// who that is: a network, or the name of a key.
pub(crate) struct RateLimit<K> {
    per_minute: u32,
    buckets: Mutex<Buckets<K>>,
}

/// The buckets of callers that asked lately. When there are too many, those
/// that have not asked since the last time are forgotten.
struct Buckets<K> {
    young: HashMap<K, Bucket>,
    old: HashMap<K, Bucket>,
}

impl<K: Eq + Hash> Buckets<K> {
    fn of(&mut self, caller: K, full: f64, now: Instant) -> &mut Bucket {
        if self.young.len() >= MANY && !self.young.contains_key(&caller) {
            self.old = std::mem::take(&mut self.young);
        }
        let known = self.old.remove(&caller);
        self.young.entry(caller).or_insert_with(|| {
            known.unwrap_or(Bucket {
                left: full,
                filled: now,
            })
        })
    }
}

struct Bucket {
    left: f64,
    filled: Instant,
}

impl<K: Eq + Hash> RateLimit<K> {
    /// With so many requests per minute; 0 for no limit.
    pub fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            buckets: Mutex::new(Buckets {
                young: HashMap::new(),
                old: HashMap::new(),
            }),
        }
    }

    /// Takes one request, or gives the seconds until there is one.
    ///
    /// # Errors
    /// The whole seconds after which the caller has a request again.
    pub fn take(&self, caller: K, now: Instant) -> Result<(), u64> {
        if self.per_minute == 0 {
            return Ok(());
        }
        let full = f64::from(self.per_minute);
        let per_second = full / WINDOW.as_secs_f64();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.of(caller, full, now);
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

    use std::net::IpAddr;

    use super::*;
    use crate::network::network_of;

    fn ip(text: &str) -> IpAddr {
        network_of(text.parse().unwrap())
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
    fn however_many_addresses_ask_a_bounded_number_is_remembered() {
        let limit = RateLimit::new(1);
        let start = Instant::now();
        let regular = ip("192.0.2.1");
        assert_eq!(limit.take(regular, start), Ok(()));
        for number in 0..100_000_u32 {
            let address = IpAddr::from((0x0a00_0000 + number).to_be_bytes());
            assert_eq!(limit.take(network_of(address), start), Ok(()));
            // Who goes on asking is not forgotten.
            if number % 1000 == 0 {
                assert!(limit.take(regular, start).is_err());
            }
        }
        let buckets = limit.buckets.lock().unwrap();
        assert!(buckets.young.len() + buckets.old.len() <= 2 * MANY);
    }

    #[test]
    fn zero_is_no_limit() {
        let limit = RateLimit::new(0);
        let start = Instant::now();
        assert!((0..1000).all(|_| limit.take(ip("10.0.0.1"), start).is_ok()));
    }
}
