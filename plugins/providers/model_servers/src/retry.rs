//! When a request is retried.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Maximum of the first delay; it doubles each time.
const FIRST: Duration = Duration::from_millis(500);

/// Maximum delay. The caller has a deadline too, and the reason of the failure must
/// be reported before it.
const LONGEST: Duration = Duration::from_secs(20);

/// Whether a retry may succeed after this status.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 504)
}

/// The delay before the next attempt; the first attempt is 0. It is the time of
/// `Retry-After`, otherwise a random part of a time that doubles. `None` if
/// `Retry-After` is longer than `at_most`.
pub(crate) fn wait(attempt: u32, said: Option<Duration>, at_most: Duration) -> Option<Duration> {
    let at_most = at_most.min(LONGEST);
    if let Some(said) = said {
        return (said <= at_most).then_some(said);
    }
    let doubled = FIRST.saturating_mul(2_u32.saturating_pow(attempt));
    Some(doubled.min(at_most).mul_f64(fastrand::f64()))
}

/// The header `Retry-After`: seconds, or a date.
pub(crate) fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = rfc2822::parse(header).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2015-10-21T07:27:30Z".parse().unwrap();
        let read = |header| retry_after(header, now);
        assert_eq!(read(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(
            read("Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(read("Wed, 21 Oct 2015 07:27:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
        assert_eq!(read("-1"), None);
    }

    proptest! {
        #[test]
        fn no_wait_is_longer_than_it_may_be(
            attempt in 0_u32..100,
            said in proptest::option::of(0_u64..60),
            at_most in 1_u64..60,
        ) {
            let at_most = Duration::from_secs(at_most);
            let said = said.map(Duration::from_secs);
            let longest = at_most.min(LONGEST);
            match (wait(attempt, said, at_most), said) {
                (wait, Some(said)) => {
                    prop_assert_eq!(wait, Some(said).filter(|said| *said <= longest));
                }
                (Some(wait), None) => {
                    let doubled = FIRST.saturating_mul(2_u32.saturating_pow(attempt));
                    prop_assert!(wait <= doubled.min(longest));
                }
                (None, None) => prop_assert!(false, "nothing was said"),
            }
        }
    }
}
