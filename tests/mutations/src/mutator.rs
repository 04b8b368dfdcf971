//! How bytes are damaged.

use fastrand::Rng;

/// Bytes that are changed at a time.
const LONGEST_PART: usize = 64;
/// How long a copy may become.
const LONGEST_COPY: usize = 1 << 20;
/// Numbers at the borders of what is counted with.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
];
/// The same in bytes, as archives have them.
const BYTES: [&[u8]; 5] = [
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\xff\xff",
];

/// Damages bytes; the same way for the same seed.
pub struct Mutator(Rng);

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    /// A number below the limit, which is above 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }

    /// One of several.
    pub fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.0.usize(..items.len())]
    }

    /// A copy with some changes: bytes that are flipped, cut off, left out,
    /// repeated, moved, or taken from another seed, numbers that are replaced,
    /// and words of the format that are put in.
    pub fn damage(&mut self, bytes: &[u8], other: &[u8], words: &[&str]) -> Vec<u8> {
        let mut copy = bytes.to_vec();
        for _ in 0..=self.0.usize(..6) {
            self.change(&mut copy, other, words);
            copy.truncate(LONGEST_COPY);
        }
        copy
    }

    fn change(&mut self, copy: &mut Vec<u8>, other: &[u8], words: &[&str]) {
        let at = self.0.usize(..=copy.len());
        let part = at..(at + self.0.usize(..LONGEST_PART)).min(copy.len());
        match self.0.u8(..11) {
            0 => copy.truncate(at),
            1 => drop(copy.drain(part)),
            2 => {
                let repeated = copy[part].repeat(self.0.usize(1..200));
                copy.splice(at..at, repeated);
            }
            3 => {
                let moved: Vec<u8> = copy.drain(part).collect();
                let to = self.0.usize(..=copy.len());
                copy.splice(to..to, moved);
            }
            4 => {
                let from = self.0.usize(..=other.len());
                let to = (from + self.0.usize(..4 * LONGEST_PART)).min(other.len());
                copy.splice(part, other[from..to].iter().copied());
            }
            5 => drop(copy.splice(part, self.one_of(&BYTES).iter().copied())),
            6 | 7 => self.change_number(copy, at),
            8 | 9 if !words.is_empty() => {
                let times = if self.0.u8(..8) == 0 { 2_000 } else { 1 };
                let word = self.one_of(words).repeat(times);
                copy.splice(at..at, word.into_bytes());
            }
            _ => {
                for byte in &mut copy[part] {
                    if self.0.bool() {
                        *byte ^= 1 << self.0.u8(..8);
                    }
                }
            }
        }
    }

    /// Replaces the next number that is written in digits.
    fn change_number(&mut self, copy: &mut Vec<u8>, at: usize) {
        let digits = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = copy[at..].iter().position(digits) else {
            return;
        };
        let start = at + start;
        let length = copy[start..].iter().take_while(|byte| digits(byte)).count();
        let number = self.one_of(&NUMBERS).bytes();
        copy.splice(start..start + length, number);
    }
}
