//! How often each bit is set in many rows of bits.

/// Bytes of a row that are counted at a time.
const COLUMN: usize = 8;
/// Numbers of rows below 2 to this power are counted.
const PLANES: usize = 32;

/// For each bit of a row of `of_row` bytes, how many of the rows have it set;
/// the lowest bit of a byte first. What is left after the last whole row is not
/// counted.
///
/// The counts of 64 bits are added at a time: each of their binary digits is a
/// word of its own, and a row is added to those words as to one number
/// ("vertical counters").
pub(super) fn counts_of_bits(rows: &[u8], of_row: usize) -> Vec<i32> {
    let mut counts = Vec::with_capacity(of_row * 8);
    for first in (0..of_row).step_by(COLUMN) {
        let bytes = first..of_row.min(first + COLUMN);
        let mut planes = [0_u64; PLANES];
        for row in rows.chunks_exact(of_row) {
            add(&mut planes, word(&row[bytes.clone()]));
        }
        let used = planes.iter().rposition(|plane| *plane != 0);
        let planes = &planes[..used.map_or(0, |last| last + 1)];
        let bits = bytes.len() * 8;
        counts.extend((0..bits).map(|bit| count(planes, bit)));
    }
    counts
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; COLUMN];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

fn add(planes: &mut [u64; PLANES], mut carry: u64) {
    for plane in planes {
        if carry == 0 {
            return;
        }
        let next = *plane & carry;
        *plane ^= carry;
        carry = next;
    }
}

fn count(planes: &[u64], bit: usize) -> i32 {
    let digits = planes.iter().enumerate();
    digits
        .map(|(place, plane)| ((plane >> bit & 1) as i32) << place)
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one_by_one(rows: &[u8], of_row: usize) -> Vec<i32> {
        let mut counts = vec![0; of_row * 8];
        for row in rows.chunks_exact(of_row) {
            for (at, count) in counts.iter_mut().enumerate() {
                *count += i32::from(row[at / 8] >> (at % 8) & 1);
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn the_counts_are_those_of_counting_one_by_one(
            of_row in 1_usize..40, rows in prop::collection::vec(any::<u8>(), 0..3_000),
        ) {
            prop_assert_eq!(counts_of_bits(&rows, of_row), one_by_one(&rows, of_row));
        }
    }
}
