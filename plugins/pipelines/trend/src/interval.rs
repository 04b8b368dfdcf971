//! The mean time between events, with its confidence interval.

use serde::Serialize;

/// The share of both tails outside the interval.
const OUTSIDE: f64 = 0.05;
/// Days that are observed, at least: the only entry of a logbook says nothing of
/// the time between two.
const SHORTEST_DAYS: f64 = 1.0;
/// Halvings of an interval that holds a bound: beyond the precision of `f64`.
const HALVINGS: usize = 80;
/// Terms of a sum below this share of it are left out.
const NEGLIGIBLE: f64 = 1e-17;

/// The mean time between events that happen at random at a constant rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanTime {
    /// The observed days divided by the number of events.
    pub days: f64,
    /// The lower end of the interval, in days.
    pub low_days: f64,
    /// The upper end.
    pub high_days: f64,
    /// The probability that the interval holds the true mean, at least.
    pub confidence: f64,
}

/// The mean time between events of which so many were observed in so many days,
/// with the exact interval of a Poisson process (F. Garwood, Biometrika 28, 1936;
/// as chi-square quantiles, `2T / χ²(0.975, 2N + 2)` to `2T / χ²(0.025, 2N)`, in
/// IEC 60605-4). `None` without events or where less
/// than a day was observed.
pub fn mean_time_between(events: u64, days: f64) -> Option<MeanTime> {
    if events == 0 || days.is_nan() || days < SHORTEST_DAYS {
        return None;
    }
    Some(MeanTime {
        days: days / events as f64,
        low_days: days / highest_mean(events),
        high_days: days / lowest_mean(events),
        confidence: 1.0 - OUTSIDE,
    })
}

/// The mean at which so few events have the probability of one tail.
fn highest_mean(events: u64) -> f64 {
    let n = events as f64;
    let log_factorial = log_factorial(events);
    let at_most = |mean: f64| {
        let ratio = |term: u64| (term > 0).then(|| (term as f64 / mean, term - 1));
        sum_from(events, log_term(events, mean, log_factorial), ratio)
    };
    bisect(n, n + 8.0 * n.sqrt() + 16.0, |mean| {
        at_most(mean) > OUTSIDE / 2.0
    })
}

/// The mean at which so many events have the probability of one tail.
fn lowest_mean(events: u64) -> f64 {
    let log_factorial = log_factorial(events);
    let at_least = |mean: f64| {
        let ratio = |term: u64| Some((mean / (term + 1) as f64, term + 1));
        sum_from(events, log_term(events, mean, log_factorial), ratio)
    };
    bisect(0.0, events as f64, |mean| at_least(mean) < OUTSIDE / 2.0)
}

/// The place where `is_below` stops to hold.
fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        match is_below(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

/// The sum of falling terms; `next` gives the ratio to the next one and its place.
fn sum_from(start: u64, log_first: f64, next: impl Fn(u64) -> Option<(f64, u64)>) -> f64 {
    let (mut term, mut at) = (log_first.exp(), start);
    let mut sum = term;
    while let Some((ratio, place)) = next(at) {
        (term, at) = (term * ratio, place);
        sum += term;
        if term <= sum * NEGLIGIBLE {
            break;
        }
    }
    sum
}

fn log_term(events: u64, mean: f64, log_factorial: f64) -> f64 {
    events as f64 * mean.ln() - mean - log_factorial
}

fn log_factorial(n: u64) -> f64 {
    (2..=n).map(|factor| (factor as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Chi-square quantiles of published tables: 0.025 and 0.975, for 2N and
    /// 2N + 2 degrees of freedom.
    #[test]
    fn the_interval_has_the_ends_of_chi_square_tables() {
        for (events, low, high) in [
            (1, 0.050_636, 11.143_287),
            (5, 3.246_973, 23.336_664),
            (15, 16.790_772, 49.480_438),
        ] {
            let found = mean_time_between(events, 100.0).unwrap();
            assert!((found.high_days - 200.0 / low).abs() < 200.0 / low * 1e-4);
            assert!((found.low_days - 200.0 / high).abs() < 1e-4);
        }
        assert_eq!(mean_time_between(0, 100.0), None);
        assert_eq!(mean_time_between(3, 0.0), None);
    }

    #[test]
    fn many_events_have_a_narrow_interval() {
        let found = mean_time_between(40_000, 40_000.0).unwrap();
        // 1.96 standard deviations of a share of 1 / 200.
        assert!(
            (found.low_days - 0.990_3).abs() < 1e-3 && (found.high_days - 1.009_9).abs() < 1e-3
        );
    }

    #[test]
    fn intervals_hold_the_true_mean_in_95_of_100_cases() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut held = 0;
        for _ in 0..2_000 {
            let mut time = 0.0;
            let mut events = 0;
            loop {
                time += -5.0 * (1.0 - random.f64()).ln();
                if time > 60.0 {
                    break;
                }
                events += 1;
            }
            let found = mean_time_between(events, 60.0);
            held +=
                usize::from(found.is_some_and(|one| one.low_days <= 5.0 && 5.0 <= one.high_days));
        }
        assert!(held >= 1_900, "{held} of 2000");
    }
}
