//! Texts like those of a logbook, made from a seed: words of a vocabulary
//! that is as uneven as that of a language (Zipf), device names, authors.
#![allow(dead_code)]

pub mod vectors;

use gannet_api::Entry;
use jiff::Timestamp;

const VOCABULARY: usize = 40_000;
const COMMON: [&str; 20] = [
    "the", "of", "and", "to", "in", "is", "was", "for", "on", "with", "at", "by", "from", "not",
    "this", "that", "be", "are", "it", "as",
];
const SYLLABLES: [&str; 24] = [
    "ba", "cor", "de", "fil", "gan", "ho", "in", "jet", "kly", "lo", "mag", "nor", "op", "pul",
    "qua", "ran", "ste", "tor", "ul", "vac", "wen", "xi", "yar", "zon",
];
const AUTHORS: [&str; 8] = [
    "Anna Berg",
    "J. Smith",
    "M. Rossi",
    "K. Tanaka",
    "L. Novak",
    "P. Dubois",
    "R. Patel",
    "S. Kim",
];

/// The size of a run of `cargo bench`, and of `cargo test`, which only tries
/// whether a bench still runs.
pub fn sized(bench: usize, test: usize) -> usize {
    match std::env::args().any(|argument| argument == "--bench") {
        true => bench,
        false => test,
    }
}

/// A sequence of numbers that is the same on every machine (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A rank of the vocabulary: rank r about as often as 1/r.
    fn rank(&mut self) -> usize {
        (VOCABULARY as f64).powf(self.unit()) as usize - 1
    }
}

/// The word of a rank. The first twenty are English stop words.
pub fn word(rank: usize) -> String {
    if let Some(common) = COMMON.get(rank) {
        return (*common).to_owned();
    }
    let mut numbers = Numbers(rank as u64);
    let syllables = 2 + numbers.below(3);
    let mut word: String = (0..syllables)
        .map(|_| SYLLABLES[numbers.below(24)])
        .collect();
    // Distinct words for distinct ranks.
    let mut rest = rank;
    while rest > 0 {
        word.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    word
}

/// Text number `index`: 8 to 50 words, with a device name in every third.
pub fn text(index: usize) -> String {
    let mut numbers = Numbers(0x1000_0000 + index as u64);
    let length = 8 + numbers.below(43);
    let mut words: Vec<String> = (0..length).map(|_| word(numbers.rank())).collect();
    if index.is_multiple_of(3) {
        let device = format!("SR{:02}C:BPM{}", numbers.below(30), numbers.below(12));
        words.insert(numbers.below(length), device);
    }
    words.join(" ")
}

/// Entry number `index`, ten minutes after the one before.
pub fn entry(index: usize) -> Entry {
    let second = 1_577_836_800 + 600 * i64::try_from(index).unwrap_or(0);
    let timestamp = Timestamp::from_second(second).unwrap_or_default();
    let mut entry = Entry::new(format!("log-{index:07}"), "bench", timestamp, text(index));
    entry.author = AUTHORS[index % AUTHORS.len()].to_owned();
    entry.metadata.insert(
        "logbook".to_owned(),
        ["Operations", "RF", "Vacuum"][index % 3].into(),
    );
    entry
}

/// Words of some text that are no stop words, as a searcher would take them.
pub fn words_of_some_text(numbers: &mut Numbers, entries: usize, count: usize) -> Vec<String> {
    loop {
        let text = text(numbers.below(entries));
        let words: Vec<&str> = text
            .split(' ')
            .filter(|word| !COMMON.contains(word) && !word.contains(':'))
            .collect();
        if words.len() > count {
            let first = numbers.below(words.len() - count);
            return words[first..first + count]
                .iter()
                .map(|&word| word.to_owned())
                .collect();
        }
    }
}
