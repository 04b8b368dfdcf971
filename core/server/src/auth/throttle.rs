//! Slows addresses whose logins fail.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::network::network_of;

/// Failures that cost nothing: a mistyped key.
const FREE: u32 = 5;
/// The longest wait after a failure.
const LONGEST: Duration = Duration::from_secs(60);
/// Failures are forgotten after this time without one.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// Addresses that are remembered at most.
const MOST_ADDRESSES: usize = 10_000;

/// Failed logins by address. After five failures an address has to wait
/// before its next one is noted, 1 s at first and twice as long after each
/// further failure, up to a minute. Failures within the wait are told only to
/// come back later. Keys are long and random and tokens are signed, so that
/// none is guessed; the wait keeps the logs short.
#[derive(Debug, Default)]
pub(super) struct Throttle(Mutex<HashMap<IpAddr, Failures>>);

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    last: Instant,
}

impl Failures {
    fn wait(self) -> Duration {
        match self.count.checked_sub(FREE) {
            None => Duration::ZERO,
            Some(more) => Duration::from_secs(1 << more.min(16)).min(LONGEST),
        }
    }
}

impl Throttle {
    /// How long an address still has to wait; zero if it need not.
    pub(super) fn wait(&self, address: IpAddr, now: Instant) -> Duration {
        let failures = self.lock().get(&network_of(address)).copied();
        failures.map_or(Duration::ZERO, |failures| {
            let passed = now.saturating_duration_since(failures.last);
            failures.wait().saturating_sub(passed)
        })
    }

    /// Notes a failed login.
    pub(super) fn failed(&self, address: IpAddr, now: Instant) {
        let mut by_address = self.lock();
        let is_remembered =
            |failures: &Failures| now.saturating_duration_since(failures.last) < FORGOTTEN;
        if by_address.len() >= MOST_ADDRESSES {
            by_address.retain(|_, failures| is_remembered(failures));
        }
        if by_address.len() >= MOST_ADDRESSES {
            by_address.clear();
        }
        let failures = by_address.entry(network_of(address));
        let failures = failures.or_insert(Failures {
            count: 0,
            last: now,
        });
        if !is_remembered(failures) {
            failures.count = 0;
        }
        failures.count = failures.count.saturating_add(1);
        failures.last = now;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn after_five_failures_the_wait_doubles_up_to_a_minute() {
        let (throttle, now, ours) = (Throttle::default(), Instant::now(), address("10.0.0.1"));
        let mut waits = Vec::new();
        for _ in 0..13 {
            waits.push(throttle.wait(ours, now).as_secs());
            throttle.failed(ours, now);
        }
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(throttle.wait(ours, now + 60 * SECOND), Duration::ZERO);
        assert_eq!(throttle.wait(address("10.0.0.2"), now), Duration::ZERO);
    }

    #[test]
    fn the_addresses_of_one_network_of_ipv6_wait_together() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for last in 1..=6 {
            throttle.failed(address(&format!("2001:db8::{last}")), now);
        }
        assert!(throttle.wait(address("2001:db8::ffff"), now) > Duration::ZERO);
        assert_eq!(
            throttle.wait(address("2001:db8:0:1::1"), now),
            Duration::ZERO
        );
    }

    #[test]
    fn failures_of_ten_minutes_ago_are_forgotten() {
        let (throttle, now, ours) = (Throttle::default(), Instant::now(), address("10.0.0.1"));
        (0..10).for_each(|_| throttle.failed(ours, now));
        let later = now + FORGOTTEN;
        throttle.failed(ours, later);
        assert_eq!(throttle.wait(ours, later), Duration::ZERO);
    }
}
