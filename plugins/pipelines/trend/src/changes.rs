//! Points where a rate changes.

use crate::volume::{Volume, log_likelihood_gain};

/// Periods on each side of a change point, at least: one period is no level.
const LEAST_PERIODS: usize = 3;
/// Orders that counts are put into, at most.
const ORDERS: usize = 3_999;
/// Where the random orders begin, so that the same counts have the same answer.
const SEED: u64 = 0x5eed_7e57;

/// A point where the rate changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The first period of the new rate.
    pub at: usize,
    /// Events of a period before it, back to the change point before.
    pub before: f64,
    /// Events of a period from it on, up to the next change point.
    pub after: f64,
    /// The larger p-value of the two tests.
    pub p_value: f64,
}

/// The change points of counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// In the order of time.
    pub points: Vec<ChangePoint>,
    /// The first periods of other rates where the counts change no more than
    /// those of all entries may; no change points.
    pub follow_all: Vec<usize>,
}

/// The change points of the counts of periods of the same length, beside the
/// counts of all entries in the same periods.
///
/// Binary segmentation (A. J. Scott, M. Knott, Biometrics 30, 1974): the split
/// with the largest likelihood ratio of two Poisson rates to one is a change
/// point where both tests have a p-value of at most `level`, and both sides are
/// split again at half the level, so that the probability of any false change
/// point is at most `level`.
///
/// - The counts are put into random orders, whose largest ratio is seldom as
///   large (a permutation test; p-values as in B. Phipson, G. Smyth, Stat. Appl.
///   Genet. Mol. Biol. 9, 2010; stopped early as in J. Besag, P. Clifford,
///   Biometrika 78, 1991). It presumes no distribution of the counts: entries
///   that come in clusters make no change points.
/// - The entries counted are no random part of all entries, by the exact
///   distribution of the largest likelihood ratio of two shares to one (K. J.
///   Worsley, Biometrika 70, 1983): a logbook with more of all entries makes no
///   change points. Left out where all entries are counted.
pub fn change_points(counts: &[u64], all: &[u64], level: f64) -> Changes {
    let search = Search { counts, all };
    let mut changes = Changes::default();
    search.split(0, counts.len(), level, &mut changes);
    changes.points.sort_by_key(|point| point.at);
    changes.follow_all.sort_unstable();
    let starts: Vec<usize> = changes.points.iter().map(|point| point.at).collect();
    for (place, point) in changes.points.iter_mut().enumerate() {
        let from = place.checked_sub(1).map_or(0, |before| starts[before]);
        let until = starts.get(place + 1).copied().unwrap_or(counts.len());
        point.before = mean(&counts[from..point.at]);
        point.after = mean(&counts[point.at..until]);
    }
    changes
}

struct Search<'c> {
    counts: &'c [u64],
    all: &'c [u64],
}

impl Search<'_> {
    fn split(&self, from: usize, until: usize, level: f64, changes: &mut Changes) {
        let counts = &self.counts[from..until];
        let Some((place, gain)) = best_split(counts) else {
            return;
        };
        let Some(by_order) = permutation_p(counts, gain, level) else {
            return;
        };
        let at = from + place;
        match self.p_of_share(from, until, place) {
            by_share if by_share > level => changes.follow_all.push(at),
            by_share => changes.points.push(ChangePoint {
                at,
                before: 0.0,
                after: 0.0,
                p_value: by_order.max(by_share),
            }),
        }
        self.split(from, at, level / 2.0, changes);
        self.split(at, until, level / 2.0, changes);
    }

    /// The p-value of the split among all entries; 0 where these are counted.
    fn p_of_share(&self, from: usize, until: usize, place: usize) -> f64 {
        let (counts, all) = (&self.counts[from..until], &self.all[from..until]);
        match counts == all {
            true => 0.0,
            false => Volume::new(counts, all).p_value(place, LEAST_PERIODS),
        }
    }
}

/// The first period after the best split, and its likelihood ratio. `None` where
/// there are too few periods or no events.
fn best_split(counts: &[u64]) -> Option<(usize, f64)> {
    let total: u64 = counts.iter().sum();
    let last = counts.len().checked_sub(LEAST_PERIODS)?;
    let mut before = 0;
    let mut best: Option<(usize, f64)> = None;
    for (place, count) in counts.iter().enumerate() {
        if (LEAST_PERIODS..=last).contains(&place) {
            let share = place as f64 / counts.len() as f64;
            let gain = log_likelihood_gain(before as f64, total as f64, share);
            if best.is_none_or(|(_, known)| gain > known) {
                best = Some((place, gain));
            }
        }
        before += count;
    }
    best.filter(|_| total > 0)
}

/// The share of random orders whose best split is as good; `None` where it is
/// above the level.
fn permutation_p(counts: &[u64], gain: f64, level: f64) -> Option<f64> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut order = counts.to_vec();
    let mut as_good = 1_usize;
    let most = level * (ORDERS + 1) as f64;
    for _ in 0..ORDERS {
        if as_good as f64 > most {
            return None;
        }
        random.shuffle(&mut order);
        let found = best_split(&order).map_or(0.0, |(_, gain)| gain);
        as_good += usize::from(found >= gain - 1e-9);
    }
    let p_value = as_good as f64 / (ORDERS + 1) as f64;
    (p_value <= level).then_some(p_value)
}

fn mean(counts: &[u64]) -> f64 {
    counts.iter().sum::<u64>() as f64 / counts.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: f64 = 0.05;
    const SERIES: usize = 600;

    /// A Poisson variable (D. Knuth).
    fn poisson(mean: f64, random: &mut fastrand::Rng) -> u64 {
        let least = (-mean).exp();
        let mut product = random.f64();
        let mut count = 0;
        while product > least {
            product *= random.f64();
            count += 1;
        }
        count
    }

    /// How many series have a false change point.
    fn false_alarms(
        count: usize,
        mut series: impl FnMut(&mut fastrand::Rng) -> (Vec<u64>, Vec<u64>),
    ) -> usize {
        let mut random = fastrand::Rng::with_seed(1);
        let alarms = (0..count).filter(|_| {
            let (counts, all) = series(&mut random);
            !change_points(&counts, &all, LEVEL).points.is_empty()
        });
        alarms.count()
    }

    /// 5 % and two standard deviations of the measurement.
    const MOST_ALARMS: usize = (SERIES as f64 * 0.068) as usize;

    #[test]
    fn constant_rates_have_at_most_5_of_100_false_change_points() {
        for mean in [0.3, 2.0, 20.0] {
            let alarms = false_alarms(SERIES, |random| {
                let counts: Vec<u64> = (0..36).map(|_| poisson(mean, random)).collect();
                let others = |count: &u64| count + poisson(30.0, random);
                let all = counts.iter().map(others).collect();
                (counts, all)
            });
            assert!(alarms <= MOST_ALARMS, "{alarms} of {SERIES} at {mean}");
        }
    }

    #[test]
    fn events_in_clusters_have_at_most_5_of_100_false_change_points() {
        let alarms = false_alarms(SERIES, |random| {
            let cluster = |random: &mut fastrand::Rng| poisson(1.0, random) * poisson(6.0, random);
            let counts: Vec<u64> = (0..48).map(|_| cluster(random)).collect();
            (counts.clone(), counts)
        });
        assert!(alarms <= MOST_ALARMS, "{alarms} of {SERIES}");
    }

    /// A logbook whose number of entries falls, and a random part of it.
    #[test]
    fn a_random_part_of_a_changing_logbook_has_at_most_5_of_100_false_change_points() {
        let alarms = false_alarms(SERIES / 3, |random| {
            let all: Vec<u64> = (0..24).map(|at| if at < 9 { 60 } else { 20 }).collect();
            let part = |all: &u64| (0..*all).filter(|_| random.f64() < 0.2).count() as u64;
            (all.iter().map(part).collect(), all)
        });
        assert!(alarms <= MOST_ALARMS / 3, "{alarms} of {}", SERIES / 3);
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut found = 0;
        for _ in 0..100 {
            let rate = |at: usize| if at < 20 { 3.0 } else { 8.0 };
            let counts: Vec<u64> = (0..36).map(|at| poisson(rate(at), &mut random)).collect();
            let all: Vec<u64> = counts.iter().map(|count| count + 25).collect();
            let changes = change_points(&counts, &all, LEVEL);
            let is_near = |point: &ChangePoint| point.at.abs_diff(20) <= 1;
            found += usize::from(changes.points.iter().any(is_near));
        }
        assert!(found >= 90, "{found} of 100");
    }

    #[test]
    fn a_rise_and_a_fall_are_two_change_points_with_their_rates() {
        let counts: Vec<u64> = (0..36)
            .map(|at| {
                if (12..24).contains(&at) {
                    9 + at % 2
                } else {
                    2 + at % 2
                }
            })
            .collect();
        let all: Vec<u64> = counts.iter().map(|count| count + 50).collect();
        let points = change_points(&counts, &all, LEVEL).points;
        let places: Vec<usize> = points.iter().map(|point| point.at).collect();
        assert_eq!(places, [12, 24]);
        assert!((points[0].before - 2.5).abs() < 1e-9 && (points[0].after - 9.5).abs() < 1e-9);
        assert!((points[1].after - 2.5).abs() < 1e-9);
    }

    #[test]
    fn what_follows_all_entries_is_told_apart() {
        let all: Vec<u64> = (0..24).map(|at| if at < 12 { 100 } else { 30 }).collect();
        let counts: Vec<u64> = all.iter().map(|all| all / 10).collect();
        let changes = change_points(&counts, &all, LEVEL);
        assert_eq!((changes.points, changes.follow_all), (Vec::new(), vec![12]));
        // Of all entries themselves it is a change.
        assert_eq!(change_points(&all, &all, LEVEL).points.len(), 1);
    }

    #[test]
    fn too_few_periods_and_no_events_have_none() {
        for counts in [vec![], vec![1, 90], vec![0, 0, 9, 9, 9], vec![0; 30]] {
            assert_eq!(change_points(&counts, &counts, LEVEL), Changes::default());
        }
    }
}
