//! How texts become terms, and what a query wants of them. Indexing, queries,
//! highlights and saved searches all go through here, so that they agree in
//! every store.
//!
//! ```
//! use gannet_analysis::TextTerms;
//!
//! let mut terms = TextTerms::default();
//! assert_eq!(terms.of("Klystrons tripped"), terms.of("klystron trip"));
//! ```

mod compounds;
mod function_words;
mod highlight;
mod highlighter;
mod names;
mod near_word;
mod patterns;
mod percolator;
mod readable;
mod repeated;
mod running_text;
mod spelling;
mod text_terms;
mod wanted;
mod writings;

pub use compounds::{compound_heads, compounds_of, german_terms, is_compound, is_german};
pub use function_words::is_function_word;
pub use highlight::{Marks, highlights};
pub use highlighter::Highlighter;
pub use names::{WORD_ANALYSER, word_analyser};
pub use near_word::{NearWord, farthest, is_misspelling, may_stand_for, most_frequent};
pub use patterns::{glob_pattern, whole_name};
pub use percolator::{Percolator, PercolatorBuilder};
pub use readable::readable;
pub use running_text::{TEXT_ANALYSER, query_analyser, terms_of, text_analyser};
pub use spelling::{QueryWord, Spelling, rows_of, words_of};
pub use tantivy::tokenizer::TextAnalyzer;
pub use text_terms::{TermBeginning, TextTerms};
pub use wanted::{Family, Reader, Reading, Wanted, has_words, pattern_cut, with_all_words};
pub use writings::{code_beginning, hyphenated, other_german};

use names::{name_tokens, trim_sentence};
use running_text::is_apostrophe;

/// Longer words are data, not words. In bytes.
const LONGEST_WORD: usize = 128;

/// The inverse document frequency of a term, as BM25 has it: `ln(1 + (N - n +
/// 0.5) / (n + 0.5))` for `n` of `N` entries.
pub fn idf(documents: u64, with_term: u64) -> f64 {
    // Counts follow the entries: for a moment there can be fewer of these.
    let documents = documents.max(with_term) as f64;
    let with_term = with_term as f64;
    (1.0 + (documents - with_term + 0.5) / (with_term + 0.5)).ln()
}

/// The words of one that joins several, as `beam-loss` or `10-inch`. Any other
/// name with a digit is one word.
pub fn pieces_of(word: &str) -> Option<Vec<&str>> {
    if word.chars().any(|c| c.is_ascii_digit()) && !is_measure(word) {
        return None;
    }
    let pieces = word.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c));
    Some(pieces.filter(|piece| !piece.is_empty()).collect())
}

/// Letters of a unit that is written out; `2-MW` may be a name.
const LEAST_UNIT: usize = 3;

/// A number with a word in lower case, as `10-inch`. Names of devices begin
/// with a letter.
fn is_measure(word: &str) -> bool {
    let Some((number, unit)) = word.split_once('-') else {
        return false;
    };
    let is_number = number.chars().all(|c| c.is_ascii_digit());
    !number.is_empty()
        && is_number
        && unit.len() >= LEAST_UNIT
        && unit.chars().all(|c| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_two_words_and_names_are_one() {
        assert_eq!(pieces_of("10-inch"), Some(vec!["10", "inch"]));
        assert_eq!(pieces_of("beam-loss"), Some(vec!["beam", "loss"]));
        for name in ["RF-2", "pump-3", "2-RHR", "10-kV", "SR01C:BPM1", "10^-9"] {
            assert_eq!(pieces_of(name), None, "{name}");
        }
    }
}
