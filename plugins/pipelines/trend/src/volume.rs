//! Whether counted entries are a random part of all entries: the exact
//! distribution of the largest likelihood ratio.

/// States whose probability is below this are left out.
const NEGLIGIBLE: f64 = 1e-40;

/// Counted entries and all entries of the same periods.
pub(crate) struct Volume<'c> {
    counts: &'c [u64],
    all: &'c [u64],
    total: u64,
    total_all: u64,
    /// The logarithms of the factorials up to all entries.
    log_factorials: Vec<f64>,
}

impl<'c> Volume<'c> {
    /// No count may be above that of all entries; one that is, because the store
    /// changed meanwhile, is taken for all.
    pub(crate) fn new(counts: &'c [u64], all: &'c [u64]) -> Self {
        let pairs = counts.iter().zip(all);
        let total_all: u64 = pairs.map(|(count, all)| *all.max(count)).sum();
        let mut log_factorials = vec![0.0];
        let mut sum = 0.0;
        for factor in 1..=total_all {
            sum += (factor as f64).ln();
            log_factorials.push(sum);
        }
        Self {
            counts,
            all,
            total: counts.iter().sum(),
            total_all,
            log_factorials,
        }
    }

    fn all_of(&self, period: usize) -> u64 {
        self.all[period].max(self.counts[period])
    }

    /// The probability that a random part of all entries, with as many entries in
    /// all, has a split with as large a likelihood ratio as that before `place`,
    /// at least `margin` periods from both ends.
    pub(crate) fn p_value(&self, place: usize, margin: usize) -> f64 {
        let before: u64 = self.counts[..place].iter().sum();
        let all_before: u64 = (0..place).map(|at| self.all_of(at)).sum();
        let most = self.gain(before, all_before) - 1e-9;
        // Numbers of entries of the periods so far, of which no split was as
        // good, as independent binomials that are conditional on their sum.
        let mut states = vec![1.0];
        let mut least = 0;
        let mut all_so_far = 0;
        for period in 0..self.counts.len() {
            all_so_far += self.all_of(period);
            (least, states) = self.next_states(least, &states, self.all_of(period));
            let split = period + 1;
            if split >= margin && split + margin <= self.counts.len() {
                for (state, probability) in states.iter_mut().enumerate() {
                    let is_as_good = self.gain(least + state as u64, all_so_far) >= most;
                    if is_as_good {
                        *probability = 0.0;
                    }
                }
            }
            (least, states) = trimmed(least, states);
        }
        let last = self.total.checked_sub(least).map(|at| at as usize);
        let inside = last.and_then(|at| states.get(at)).copied().unwrap_or(0.0);
        let whole = self.binomial(self.total_all, self.total);
        (1.0 - inside / whole).clamp(0.0, 1.0)
    }

    /// The distribution after a period with so many entries.
    fn next_states(&self, least: u64, states: &[f64], all: u64) -> (u64, Vec<f64>) {
        let steps: Vec<f64> = (0..=all.min(self.total))
            .map(|step| self.binomial(all, step))
            .collect();
        let first = steps
            .iter()
            .position(|step| *step > NEGLIGIBLE)
            .unwrap_or(0);
        let end = steps
            .iter()
            .rposition(|step| *step > NEGLIGIBLE)
            .map_or(0, |at| at + 1);
        let steps = &steps[first..end.max(first)];
        let mut next = vec![0.0; states.len() + steps.len().max(1) - 1];
        for (from, probability) in states.iter().enumerate() {
            for (step, of_step) in steps.iter().enumerate() {
                next[from + step] += probability * of_step;
            }
        }
        (least + first as u64, next)
    }

    /// The binomial probability of so many counted entries among so many.
    fn binomial(&self, all: u64, counted: u64) -> f64 {
        let share = self.total as f64 / self.total_all as f64;
        let log = |n: u64| self.log_factorials[n as usize];
        let choose = log(all) - log(counted) - log(all - counted);
        let left = (all - counted) as f64;
        let log_left = if left > 0.0 {
            left * (1.0 - share).ln()
        } else {
            0.0
        };
        let log_counted = if counted > 0 {
            counted as f64 * share.ln()
        } else {
            0.0
        };
        (choose + log_counted + log_left).exp()
    }

    /// The logarithm of the likelihood ratio of two shares to one, with so many
    /// counted among the entries before the split.
    fn gain(&self, before: u64, all_before: u64) -> f64 {
        let share = all_before as f64 / self.total_all as f64;
        let others = all_before as f64 - before as f64;
        let total_others = self.total_all - self.total;
        log_likelihood_gain(before as f64, self.total as f64, share)
            + log_likelihood_gain(others, total_others as f64, share)
    }
}

/// Leaves out states at both ends that cannot be reached.
fn trimmed(least: u64, states: Vec<f64>) -> (u64, Vec<f64>) {
    let is_reached = |state: &f64| *state > NEGLIGIBLE;
    let Some(first) = states.iter().position(is_reached) else {
        return (least, vec![0.0]);
    };
    let end = states.iter().rposition(is_reached).map_or(first, |at| at) + 1;
    (least + first as u64, states[first..end].to_vec())
}

/// The logarithm of the likelihood ratio of two Poisson rates to one: so many of
/// `total` events fall into the first `share` of the time.
pub(crate) fn log_likelihood_gain(before: f64, total: f64, share: f64) -> f64 {
    let part = |count: f64, expected: f64| match count > 0.0 && expected > 0.0 {
        true => count * (count / expected).ln(),
        false => 0.0,
    };
    part(before, total * share) + part(total - before, total * (1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways to choose which of the entries are counted, by hand.
    #[test]
    fn the_distribution_is_that_of_all_choices() {
        let all = [2_u64, 1, 3, 2, 2];
        let counts = [2_u64, 1, 1, 0, 0];
        let volume = Volume::new(&counts, &all);
        let splits = 1..=4;
        let gains = |counts: &[u64]| -> Vec<f64> {
            let of = |place: usize| (counts[..place].iter().sum(), all[..place].iter().sum());
            let gain = |place: usize| {
                let (before, all_before) = of(place);
                volume.gain(before, all_before)
            };
            splits.clone().map(gain).collect()
        };
        let observed = gains(&counts);
        let place = 2;
        let (mut choices, mut as_good) = (0, 0);
        for chosen in 0_u32..1 << 10 {
            if chosen.count_ones() != 4 {
                continue;
            }
            let mut entry = 0;
            let counted: Vec<u64> = all
                .iter()
                .map(|of_period| {
                    let bits = entry..entry + of_period;
                    entry += of_period;
                    bits.filter(|bit| chosen >> bit & 1 == 1).count() as u64
                })
                .collect();
            choices += 1;
            let is_as_good = |gain: &f64| *gain >= observed[place - 1] - 1e-9;
            as_good += usize::from(gains(&counted).iter().any(is_as_good));
        }
        let expected = f64::from(as_good as u32) / f64::from(choices);
        let found = volume.p_value(place, 1);
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}
