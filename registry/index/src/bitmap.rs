//! A set of row ordinals, one bit each.

/// A set of row ordinals below a fixed length, one bit each.
///
/// Filters and deletions of the vector index are bitmaps: bit `i` stands for
/// row `i`.
///
/// ```
/// use gannet_index::Bitmap;
///
/// let mut allowed = Bitmap::new(10);
/// allowed.set(3);
/// allowed.set(7);
/// assert!(allowed.get(3));
/// assert_eq!(allowed.ones().collect::<Vec<_>>(), [3, 7]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    // Bits at and above `length` are always zero, so that counting and
    // comparing work on whole words.
    words: Vec<u64>,
    length: usize,
}

impl Bitmap {
    /// An empty set over `length` rows.
    #[must_use]
    pub fn new(length: usize) -> Self {
        Self {
            words: vec![0; length.div_ceil(64)],
            length,
        }
    }

    /// The set of all of `length` rows.
    #[must_use]
    pub fn full(length: usize) -> Self {
        let mut bitmap = Self {
            words: vec![u64::MAX; length.div_ceil(64)],
            length,
        };
        bitmap.clear_spare_bits();
        bitmap
    }

    /// Rows that the bitmap covers, set or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the bitmap covers no row at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Covers `length` rows from now on: new ones are not set, cut ones are gone.
    pub fn resize(&mut self, length: usize) {
        self.words.resize(length.div_ceil(64), 0);
        self.length = length;
        self.clear_spare_bits();
    }

    /// Puts `row` into the set. A row at or above [`len`](Self::len) is ignored.
    pub fn set(&mut self, row: usize) {
        if row < self.length {
            self.words[row / 64] |= 1 << (row % 64);
        }
    }

    /// Takes `row` out of the set.
    pub fn clear(&mut self, row: usize) {
        if row < self.length {
            self.words[row / 64] &= !(1 << (row % 64));
        }
    }

    /// Whether `row` is in the set.
    #[must_use]
    pub fn get(&self, row: usize) -> bool {
        row < self.length && self.words[row / 64] >> (row % 64) & 1 == 1
    }

    /// How many rows are in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// How many rows of `first..end` are in the set.
    #[must_use]
    pub fn count_between(&self, first: usize, end: usize) -> usize {
        let end = end.min(self.length);
        if first >= end {
            return 0;
        }
        (first / 64..end.div_ceil(64))
            .map(|index| self.word_between(index, first, end).count_ones() as usize)
            .sum()
    }

    /// Whether any row of `first..end` is in the set.
    #[must_use]
    pub fn any_between(&self, first: usize, end: usize) -> bool {
        let end = end.min(self.length);
        first < end
            && (first / 64..end.div_ceil(64)).any(|index| self.word_between(index, first, end) != 0)
    }

    /// The rows in the set, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.ones_between(0, self.length)
    }

    /// The rows of `first..end` in the set, ascending.
    pub fn ones_between(&self, first: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let end = end.min(self.length);
        let words = if first < end {
            first / 64..end.div_ceil(64)
        } else {
            0..0
        };
        words.flat_map(move |index| {
            let mut word = self.word_between(index, first, end);
            std::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Keeps only rows that are in `other` too.
    pub fn and(&mut self, other: &Self) {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(index).copied().unwrap_or(0);
        }
    }

    /// Takes out every row that is in `other`.
    pub fn and_not(&mut self, other: &Self) {
        for (word, out) in self.words.iter_mut().zip(&other.words) {
            *word &= !out;
        }
    }

    /// The bits as words, row 0 in the lowest bit of the first.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bitmap over `length` rows from its [`words`](Self::words); `None`
    /// when their number does not fit or a bit beyond the length is set.
    #[must_use]
    pub fn from_words(words: Vec<u64>, length: usize) -> Option<Self> {
        if words.len() != length.div_ceil(64) {
            return None;
        }
        let given = Self { words, length };
        let mut cleared = given.clone();
        cleared.clear_spare_bits();
        (cleared == given).then_some(given)
    }

    fn word_between(&self, index: usize, first: usize, end: usize) -> u64 {
        let mut word = self.words[index];
        if index == first / 64 {
            word &= u64::MAX << (first % 64);
        }
        if (index + 1) * 64 > end {
            word &= (1 << (end % 64)) - 1;
        }
        word
    }

    fn clear_spare_bits(&mut self) {
        let used = self.length % 64;
        if let (Some(last), 1..) = (self.words.last_mut(), used) {
            *last &= (1 << used) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Bitmap;

    fn bitmap_of(length: usize, rows: &BTreeSet<usize>) -> Bitmap {
        let mut bitmap = Bitmap::new(length);
        for &row in rows {
            bitmap.set(row);
        }
        bitmap
    }

    fn sets() -> impl Strategy<Value = (usize, BTreeSet<usize>, BTreeSet<usize>)> {
        (1usize..300).prop_flat_map(|length| {
            let rows = || proptest::collection::btree_set(0..length, 0..=length.min(80));
            (Just(length), rows(), rows())
        })
    }

    proptest! {
        #[test]
        fn a_bitmap_behaves_like_a_set_of_rows((length, left, right) in sets(), cut in 0usize..320) {
            let bitmap = bitmap_of(length, &left);
            prop_assert_eq!(bitmap.count(), left.len());
            prop_assert!(bitmap.ones().eq(left.iter().copied()));
            prop_assert!((0..length + 5).all(|row| bitmap.get(row) == left.contains(&row)));

            let mut both = bitmap.clone();
            both.and(&bitmap_of(length, &right));
            prop_assert!(both.ones().eq(left.intersection(&right).copied()));

            let mut only_left = bitmap.clone();
            only_left.and_not(&bitmap_of(length, &right));
            prop_assert!(only_left.ones().eq(left.difference(&right).copied()));

            let mut resized = bitmap.clone();
            resized.resize(cut);
            prop_assert!(resized.ones().eq(left.iter().copied().filter(|&row| row < cut)));
            resized.resize(400);
            prop_assert_eq!(resized.count(), left.iter().filter(|&&row| row < cut).count());

            let mut emptied = bitmap.clone();
            left.iter().for_each(|&row| emptied.clear(row));
            prop_assert_eq!(emptied.count(), 0);
        }

        #[test]
        fn a_range_sees_the_rows_in_it_only(
            (length, rows, _) in sets(), first in 0usize..320, width in 0usize..320,
        ) {
            let bitmap = bitmap_of(length, &rows);
            let within: Vec<usize> =
                rows.iter().copied().filter(|row| (first..first + width).contains(row)).collect();
            prop_assert_eq!(bitmap.count_between(first, first + width), within.len());
            prop_assert_eq!(bitmap.any_between(first, first + width), !within.is_empty());
            prop_assert!(bitmap.ones_between(first, first + width).eq(within));
        }

        #[test]
        fn words_give_the_bitmap_back((length, rows, _) in sets()) {
            let bitmap = bitmap_of(length, &rows);
            let again = Bitmap::from_words(bitmap.words().to_vec(), length);
            prop_assert_eq!(again, Some(bitmap));
        }
    }

    #[test]
    fn the_full_set_holds_every_row_and_no_more() {
        for length in [0, 1, 63, 64, 65, 128, 200] {
            let bitmap = Bitmap::full(length);
            assert_eq!(bitmap.count(), length);
            assert!(!bitmap.get(length));
        }
    }

    #[test]
    fn words_with_a_bit_beyond_the_length_are_refused() {
        assert_eq!(Bitmap::from_words(vec![0b1000], 3), None);
        assert_eq!(Bitmap::from_words(vec![0, 0], 3), None);
    }
}
