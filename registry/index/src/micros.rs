//! Timestamps as indexes and records hold them: in whole microseconds.

use jiff::Timestamp;

/// The first whole microsecond at or after an instant. Stored timestamps are
/// whole microseconds, so `t >= instant` is `micros(t) >= micros_from(instant)`.
pub fn micros_from(instant: Timestamp) -> i64 {
    let micros = instant.as_microsecond();
    match Timestamp::from_microsecond(micros) {
        Ok(whole) if whole < instant => micros + 1,
        _ => micros,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn bounds_between_microseconds_round_up() {
        let bound: Timestamp = "2024-01-01T00:00:00.0000015Z".parse().unwrap();
        let whole: Timestamp = "2024-01-01T00:00:00.000002Z".parse().unwrap();
        assert_eq!(micros_from(bound), whole.as_microsecond());
        assert_eq!(micros_from(whole), whole.as_microsecond());
        let early: Timestamp = "1960-01-01T00:00:00.0000015Z".parse().unwrap();
        let whole: Timestamp = "1960-01-01T00:00:00.000002Z".parse().unwrap();
        assert_eq!(micros_from(early), whole.as_microsecond());
    }
}
