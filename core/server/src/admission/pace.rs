//! How long a search may wait while a lane is overloaded.
//!
//! As long as the queue has room for all, as for a burst or for clients that
//! each wait for their answer, a search may wait as long as the configuration
//! says. Where searches come faster than they are answered, the queue fills up,
//! and then a long queue answers not one more of them and makes each late. So
//! after a time in which searches were refused, and fewer than a quarter found
//! a free place, a search waits no longer than half the time that a search takes
//! on average: those that are answered then take less than twice as long as on
//! an idle service, and the processors still have work. This is the idea of
//! controlled delay (Nichols and Jacobson, "Controlling Queue Delay", 2012),
//! with the limits on requests that Maurer describes ("Fail at Scale", 2015).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time over which searches are counted.
const WINDOW: Duration = Duration::from_millis(500);
/// A lane that refuses searches is overloaded when one of so many, or fewer,
/// found a place.
const FEW: u32 = 4;
/// The shortest limit. No reader notices so short a wait.
const LEAST: Duration = Duration::from_millis(5);
/// The share that the last search has in the mean time.
const WEIGHT: u32 = 16;

/// How a lane does: which searches found a place, and what they took.
#[derive(Default)]
pub(super) struct Pace(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    /// The window that is counted; none before the first search.
    window: Option<Window>,
    /// Whether the window before was overloaded.
    is_overloaded: bool,
    /// A moving average of what searches took.
    mean: Duration,
}

struct Window {
    since: Instant,
    found_place: u32,
    found_none: u32,
    refused: u32,
}

impl Pace {
    /// A search that came at this time found a place.
    pub fn found_place(&self, now: Instant) {
        self.lock().current(now).found_place += 1;
    }

    /// A search that came at this time found none. How long it may wait, if
    /// the lane is overloaded.
    pub fn found_none(&self, now: Instant) -> Option<Duration> {
        let mut recent = self.lock();
        recent.current(now).found_none += 1;
        recent.is_overloaded.then(|| (recent.mean / 2).max(LEAST))
    }

    /// A search was refused, because the queue was full or its time was over.
    pub fn refused(&self, now: Instant) {
        self.lock().current(now).refused += 1;
    }

    /// A search took so long.
    pub fn took(&self, time: Duration) {
        let mut recent = self.lock();
        recent.mean = match recent.mean.is_zero() {
            true => time,
            false => (recent.mean * (WEIGHT - 1) + time) / WEIGHT,
        };
    }

    fn lock(&self) -> MutexGuard<'_, Recent> {
        // Counts are whole after a panic too.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    /// The window of this time. One that is over says whether the next one is
    /// overloaded; after a window without a search it is not.
    fn current(&mut self, now: Instant) -> &mut Window {
        let over = self.window.as_ref().and_then(|window| {
            let age = now.saturating_duration_since(window.since);
            (age >= WINDOW).then(|| age < 2 * WINDOW && window.is_overloaded())
        });
        if let Some(is_overloaded) = over {
            self.is_overloaded = is_overloaded;
            self.window = None;
        }
        self.window.get_or_insert(Window {
            since: now,
            found_place: 0,
            found_none: 0,
            refused: 0,
        })
    }
}

impl Window {
    fn is_overloaded(&self) -> bool {
        let all = self.found_place.saturating_add(self.found_none);
        self.refused > 0 && self.found_place.saturating_mul(FEW) < all
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_queue_that_overflows_has_a_limit_until_searches_find_places_again() {
        let (pace, start) = (Pace::default(), Instant::now());
        pace.took(20 * MS);
        pace.found_place(start);
        assert!((0..50).all(|n| pace.found_none(start + n * MS).is_none()));
        // All of them had room in the queue.
        let second = start + WINDOW;
        assert_eq!(pace.found_none(second), None);
        pace.refused(second);
        let third = second + WINDOW;
        assert_eq!(pace.found_none(third), Some(10 * MS));
        (0..5).for_each(|_| pace.found_place(third + MS));
        pace.refused(third);
        assert_eq!(pace.found_none(third + WINDOW), None);
    }

    #[test]
    fn after_a_pause_the_lane_is_not_overloaded() {
        let (pace, start) = (Pace::default(), Instant::now());
        assert_eq!(pace.found_none(start), None);
        pace.refused(start);
        assert_eq!(pace.found_none(start + 2 * WINDOW), None);
    }

    #[test]
    fn the_limit_follows_what_searches_take() {
        let (pace, start) = (Pace::default(), Instant::now());
        pace.found_none(start);
        pace.refused(start);
        let limit = |at| pace.found_none(start + WINDOW + at * MS).unwrap();
        assert_eq!(limit(0), LEAST);
        pace.took(16 * MS);
        assert_eq!(limit(1), 8 * MS);
        pace.took(48 * MS);
        assert_eq!(limit(2), 9 * MS);
    }
}
