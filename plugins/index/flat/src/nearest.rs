//! The rows with the smallest hamming distances, by counting.

/// Rows looked at together when distances are compared with the limit.
const GROUP: usize = 32;

/// Keeps the `wanted` rows of smallest distance, ties by smaller key.
///
/// Distances are small integers, so when twice as many rows as wanted have
/// gathered, counting them gives the distance up to which rows are kept, and
/// later ones above it are turned away: almost all, 32 at a time.
pub(super) struct NearestRows<'a> {
    wanted: usize,
    keys: &'a [u64],
    rows: Vec<(u16, u32)>,
    farthest_welcome: u16,
    counts: Vec<u32>,
}

impl<'a> NearestRows<'a> {
    /// Collects `wanted` rows of those with `keys`, of codes with `bits` bits.
    pub(super) fn new(wanted: usize, bits: usize, keys: &'a [u64]) -> Self {
        Self {
            wanted,
            keys,
            rows: Vec::with_capacity(Self::capacity(wanted)),
            farthest_welcome: u16::MAX,
            counts: vec![0; bits + 1],
        }
    }

    /// Offers the rows from `first` on, with their distances, as far as
    /// `candidate` says yes to their index.
    pub(super) fn offer(
        &mut self,
        first: usize,
        distances: &[u16],
        candidate: impl Fn(usize) -> bool,
    ) {
        for (group, distances) in distances.chunks(GROUP).enumerate() {
            if smallest(distances) > self.farthest_welcome {
                continue;
            }
            for (lane, &distance) in distances.iter().enumerate() {
                let index = first + group * GROUP + lane;
                if distance <= self.farthest_welcome && candidate(index) {
                    self.push(distance, index);
                }
            }
        }
    }

    /// The nearest rows, in no order.
    pub(super) fn into_rows(mut self) -> impl Iterator<Item = usize> {
        self.cut();
        self.rows.into_iter().map(|(_, index)| index as usize)
    }

    fn capacity(wanted: usize) -> usize {
        (2 * wanted).max(64)
    }

    fn push(&mut self, distance: u16, index: usize) {
        // A segment of four billion rows would be 8 TB.
        self.rows.push((distance, index as u32));
        if self.rows.len() >= Self::capacity(self.wanted) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.rows.len() <= self.wanted {
            return;
        }
        let (limit, nearer) = self.limit();
        let keys = self.keys;
        let mut at_limit = self.drop_from(limit);
        let room = self.wanted - nearer;
        if room < at_limit.len() {
            at_limit.select_nth_unstable_by_key(room, |&(_, index)| (keys[index as usize], index));
            at_limit.truncate(room);
        }
        self.rows.extend(at_limit);
        self.farthest_welcome = limit;
    }

    /// Drops the rows from a distance on, and gives those at it. Without
    /// branches: about half of the rows go, in no order.
    fn drop_from(&mut self, limit: u16) -> Vec<(u16, u32)> {
        let mut at_limit = vec![(0, 0); self.rows.len()];
        let (mut nearer, mut at) = (0, 0);
        for place in 0..self.rows.len() {
            let row = self.rows[place];
            self.rows[nearer] = row;
            nearer += usize::from(row.0 < limit);
            at_limit[at] = row;
            at += usize::from(row.0 == limit);
        }
        self.rows.truncate(nearer);
        at_limit.truncate(at);
        at_limit
    }

    /// The distance of the last row that is wanted, and how many are nearer.
    fn limit(&mut self) -> (u16, usize) {
        self.counts.fill(0);
        for &(distance, _) in &self.rows {
            self.counts[usize::from(distance)] += 1;
        }
        let mut nearer = 0;
        for (distance, &count) in self.counts.iter().enumerate() {
            let count = count as usize;
            if nearer + count >= self.wanted {
                return (distance as u16, nearer);
            }
            nearer += count;
        }
        (u16::MAX, nearer)
    }
}

/// The smallest of the distances. They are below 2^15, and signed 16-bit
/// minima are a vector instruction on every x86-64.
fn smallest(distances: &[u16]) -> u16 {
    let smallest = distances
        .iter()
        .fold(i16::MAX, |least, &distance| least.min(distance as i16));
    smallest as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::NearestRows;

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_full_sort(
            rows in proptest::collection::vec((0u16..=40, 0u64..50, any::<bool>()), 0..700),
            wanted in 0usize..80,
            chunk in 1usize..200,
        ) {
            let keys: Vec<u64> = rows.iter().map(|row| row.1).collect();
            let distances: Vec<u16> = rows.iter().map(|row| row.0).collect();
            let mut nearest = NearestRows::new(wanted, 40, &keys);
            for (number, distances) in distances.chunks(chunk).enumerate() {
                nearest.offer(number * chunk, distances, |index| rows[index].2);
            }
            let mut found: Vec<usize> = nearest.into_rows().collect();
            found.sort_unstable();

            let mut expected: Vec<usize> = (0..rows.len()).filter(|&index| rows[index].2).collect();
            expected.sort_by_key(|&index| (rows[index].0, rows[index].1, index));
            expected.truncate(wanted);
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
