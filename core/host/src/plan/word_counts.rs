//! In how many entries words are, to tell distinctive words from ordinary ones.

use std::collections::HashMap;

/// A value of one word that stands in more than this part of all entries is an
/// ordinary word.
const COMMON_PART: f64 = 0.25;
/// Below so many entries nothing is told about what is common.
const FEW_ENTRIES: u64 = 50;
/// Letters of a part of a name at least.
const SHORTEST_PART: usize = 3;
/// A part of a name is distinctive when at most this many entries have it
/// without being of those authors, for each entry that is.
const OTHER_USES: f64 = 0.5;

/// A part of a list is an ordinary phrase where its rarest word is in more than
/// so many entries for each that has the part: "spent fuel" is in many reports,
/// and a part of the name of a rule in a few.
const USES_OF_A_PART: f64 = 20.0;

/// What is needed to tell distinctive words from ordinary ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordCounts {
    /// All entries of the tenant.
    pub(crate) entries: u64,
    /// In how many of them a word is, for words that were looked up.
    pub(crate) with_word: HashMap<String, u64>,
}

impl WordCounts {
    fn with(&self, word: &str) -> u64 {
        self.with_word.get(word).copied().unwrap_or(0)
    }

    pub(super) fn is_common(&self, word: &str) -> bool {
        let part = self.with(word) as f64 / self.entries.max(1) as f64;
        self.entries >= FEW_ENTRIES && part > COMMON_PART
    }

    /// Whether words that so many entries have as a part of a list are ordinary
    /// ones.
    pub(super) fn is_ordinary(&self, words: &[String], entries: u64) -> bool {
        if let [word] = words {
            return self.is_common(word);
        }
        let rarest = words.iter().map(|word| self.with(word)).min();
        rarest.unwrap_or(0) as f64 > USES_OF_A_PART * entries as f64
    }

    /// Whether hardly any entry has the word besides those of its authors.
    pub(super) fn is_distinctive(&self, word: &str, entries: u64) -> bool {
        let others = self.with(word).saturating_sub(entries) as f64;
        word.chars().count() >= SHORTEST_PART
            && word.chars().all(char::is_alphabetic)
            && !self.is_common(word)
            && others <= OTHER_USES * entries as f64
    }
}
