//! How long the searches of the last hour took, minute by minute.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

/// Minutes that are kept.
const MINUTES: usize = 60;
/// Each class of durations reaches so much further than the one before.
const GROWTH: f64 = 1.2;
/// Classes of durations, the first up to 1 ms; the last one has no end.
const CLASSES: usize = 64;

/// The durations of the last hour.
#[derive(Default)]
pub(crate) struct RecentSearches(Mutex<VecDeque<Minute>>);

struct Minute {
    /// Minutes since 1970.
    number: i64,
    durations: Durations,
}

/// How many searches took how long.
#[derive(Clone)]
pub(crate) struct Durations([u32; CLASSES]);

impl Default for Durations {
    fn default() -> Self {
        Self([0; CLASSES])
    }
}

impl Durations {
    fn add(&mut self, took: Duration) {
        let millis = took.as_secs_f64() * 1000.0;
        let class = (0..CLASSES - 1).find(|class| millis <= end_of(*class));
        self.0[class.unwrap_or(CLASSES - 1)] += 1;
    }

    /// How many searches there were.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|count| u64::from(*count)).sum()
    }

    /// Milliseconds that this part of the searches did not exceed, to within
    /// 20 %; `None` without searches.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let needed = part * self.count() as f64;
        let mut seen = 0;
        let class = self.0.iter().position(|count| {
            seen += u64::from(*count);
            seen > 0 && seen as f64 >= needed
        });
        class.map(end_of)
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "there are 64 classes"
)]
fn end_of(class: usize) -> f64 {
    GROWTH.powi(class as i32)
}

impl RecentSearches {
    /// Adds a search that ended now.
    pub fn add(&self, took: Duration, now: Timestamp) {
        let number = now.as_second().div_euclid(60);
        let mut minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back adds to the last minute.
        if minutes.back().is_none_or(|last| last.number < number) {
            minutes.push_back(Minute {
                number,
                durations: Durations::default(),
            });
        }
        if minutes.len() > MINUTES {
            minutes.pop_front();
        }
        if let Some(last) = minutes.back_mut() {
            last.durations.add(took);
        }
    }

    /// The minutes with searches within the hour before now, by their start,
    /// oldest first.
    pub fn minutes(&self, now: Timestamp) -> Vec<(Timestamp, Durations)> {
        let first = now.as_second().div_euclid(60) - MINUTES as i64;
        let minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = minutes.iter().filter(|minute| minute.number > first);
        let known = recent.filter_map(|minute| {
            let start = Timestamp::from_second(minute.number * 60).ok()?;
            Some((start, minute.durations.clone()))
        });
        known.collect()
    }
}

/// All durations of some minutes.
pub(crate) fn sum(minutes: &[(Timestamp, Durations)]) -> Durations {
    let mut all = Durations::default();
    for (_, durations) in minutes {
        for (count, more) in all.0.iter_mut().zip(durations.0) {
            *count += more;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn quantiles_are_within_a_class_of_the_durations() {
        let recent = RecentSearches::default();
        for millis in 1..=100 {
            recent.add(Duration::from_millis(millis), at(60));
        }
        let all = sum(&recent.minutes(at(119)));
        assert_eq!(all.count(), 100);
        for (part, millis) in [(0.5, 50.0), (0.95, 95.0)] {
            let found = all.quantile(part).unwrap();
            assert!(
                found >= millis && found <= millis * GROWTH,
                "{part}: {found}"
            );
        }
        assert_eq!(Durations::default().quantile(0.5), None);
    }

    #[test]
    fn searches_are_forgotten_after_an_hour() {
        let recent = RecentSearches::default();
        recent.add(Duration::from_millis(5), at(30));
        recent.add(Duration::from_secs(900), at(3000));
        assert_eq!(recent.minutes(at(3500)).len(), 2);
        assert_eq!(recent.minutes(at(3601)).len(), 1);
        assert_eq!(recent.minutes(at(9000)).len(), 0);
        for minute in 100..200 {
            recent.add(Duration::from_millis(5), at(minute * 60));
        }
        assert_eq!(recent.minutes(at(199 * 60)).len(), MINUTES);
    }
}
