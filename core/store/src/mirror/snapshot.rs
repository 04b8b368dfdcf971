//! Which transactions a state of a PostgreSQL database includes.

/// A state of a database, as `pg_current_snapshot` writes it:
/// `xmin:xmax:running,running`. A standby adds `@` and its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// Every transaction below has ended.
    pub(super) xmin: u64,
    /// No transaction from here on has ended.
    pub(super) xmax: u64,
    running: Vec<u64>,
    /// On a standby, where running transactions are not told.
    place: Option<u64>,
}

impl Snapshot {
    pub(super) fn parse(token: &str) -> Option<Self> {
        let (snapshot, place) = match token.split_once('@') {
            Some((snapshot, place)) => (snapshot, Some(parse_place(place)?)),
            None => (token, None),
        };
        let mut parts = snapshot.split(':');
        let xmin = parts.next()?.parse().ok()?;
        let xmax = parts.next()?.parse().ok()?;
        let running = parts.next()?.split(',').filter(|number| !number.is_empty());
        Some(Self {
            xmin,
            xmax,
            running: running.map(str::parse).collect::<Result<_, _>>().ok()?,
            place,
        })
    }

    /// Whether everything that was committed in an earlier state is committed
    /// in this one too.
    pub(super) fn covers(&self, earlier: &Self) -> bool {
        if let (Some(place), Some(earlier)) = (self.place, earlier.place) {
            return place >= earlier;
        }
        self.xmax >= earlier.xmax && !self.running.iter().any(|&number| earlier.includes(number))
    }

    fn includes(&self, number: u64) -> bool {
        number < self.xmax && !self.running.contains(&number)
    }
}

/// A place in the log: two hexadecimal numbers of 32 bits.
fn parse_place(place: &str) -> Option<u64> {
    let (high, low) = place.split_once('/')?;
    let half = |digits| u64::from_str_radix(digits, 16).ok();
    Some(half(high)? << 32 | half(low)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn covers(later: &str, earlier: &str) -> bool {
        let parse = |token| Snapshot::parse(token).unwrap();
        parse(later).covers(&parse(earlier))
    }

    #[test]
    fn a_later_state_covers_an_earlier_one_and_not_the_other_way_round() {
        assert!(covers("10:12:10,11", "10:12:10,11"));
        // 11 ended.
        assert!(covers("10:12:10", "10:12:10,11"));
        assert!(!covers("10:12:10,11", "10:12:10"));
        // 12 began and ended, while 10 goes on.
        assert!(covers("10:13:10", "10:12:10"));
        assert!(!covers("10:12:10", "10:13:10"));
        // One that began later and runs still is no matter.
        assert!(covers("13:14:13", "12:12:"));
    }

    #[test]
    fn a_standby_is_told_by_its_place_in_the_log() {
        assert!(covers("10:12:@1/0", "10:12:@0/FFFFFFFF"));
        assert!(!covers("10:12:@0/FF", "10:12:@1/0"));
    }

    #[test]
    fn nonsense_is_no_state() {
        for token in ["", "1", "1:2", "a:b:", "1:2:x", "1:2:@x", "1:2:@1"] {
            assert_eq!(Snapshot::parse(token), None, "{token}");
        }
    }
}
