//! The times between occurrences.

use jiff::Timestamp;
use serde::Serialize;

/// Intervals at least for a trend.
const LEAST_FOR_A_TREND: usize = 3;
/// The later half is shorter, or longer, from this ratio on.
const SHORTER: f64 = 2.0 / 3.0;

/// Whether the intervals become shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trend {
    /// The later ones are shorter by a third at least.
    Shorter,
    /// The earlier ones are.
    Longer,
    /// Neither.
    Steady,
}

/// The days between neighbours.
pub(crate) fn intervals(times: &[Timestamp]) -> Vec<f64> {
    let pairs = times.windows(2);
    pairs.map(|pair| days_between(pair[0], pair[1])).collect()
}

/// Whether they become shorter; `None` for too few.
pub(crate) fn trend(intervals: &[f64]) -> Option<Trend> {
    if intervals.len() < LEAST_FOR_A_TREND {
        return None;
    }
    let half = intervals.len() / 2;
    let earlier = mean(&intervals[..half]);
    let later = mean(&intervals[intervals.len() - half..]);
    Some(
        match (later < earlier * SHORTER, earlier < later * SHORTER) {
            (true, _) => Trend::Shorter,
            (_, true) => Trend::Longer,
            _ => Trend::Steady,
        },
    )
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn days_between(from: Timestamp, until: Timestamp) -> f64 {
    until.duration_since(from).as_secs_f64() / 86_400.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn times(days: &[i64]) -> Vec<Timestamp> {
        let at = |day: &i64| Timestamp::from_second(day * 86_400).unwrap();
        days.iter().map(at).collect()
    }

    #[test]
    fn a_trend_takes_three_intervals() {
        assert_eq!(trend(&intervals(&times(&[0, 90]))), None);
        assert_eq!(
            trend(&intervals(&times(&[0, 90, 150, 170]))),
            Some(Trend::Shorter)
        );
        assert_eq!(
            trend(&intervals(&times(&[0, 20, 80, 170]))),
            Some(Trend::Longer)
        );
        assert_eq!(
            trend(&intervals(&times(&[0, 30, 60, 90]))),
            Some(Trend::Steady)
        );
    }
}
