//! The terms of texts, as the text index has them.

use tantivy::tokenizer::{Language, RawTokenizer, Stemmer, TextAnalyzer, TokenStream};

use super::running_text::{INDEXED, folded, terms_of, text_analyser};

/// Makes the terms of texts as the text index has them.
pub struct TextTerms {
    terms: TextAnalyzer,
    /// Words before they are stemmed.
    words: TextAnalyzer,
    /// Stems one word.
    stemmer: TextAnalyzer,
}

impl Default for TextTerms {
    fn default() -> Self {
        let stemmer = Stemmer::new(Language::English);
        let stemmer = TextAnalyzer::builder(RawTokenizer::default()).filter(stemmer);
        Self {
            terms: text_analyser(),
            words: folded(INDEXED).build(),
            stemmer: stemmer.build(),
        }
    }
}

impl TextTerms {
    /// The terms of a text, in order.
    pub fn of(&mut self, text: &str) -> Vec<String> {
        terms_of(&mut self.terms, text)
    }

    /// Gives the terms of a text whose words begin like a wanted one, each with
    /// its place among all terms, and then says how many terms there are. The
    /// wanted ones are among them. Other words are not stemmed, which takes
    /// longest.
    pub fn each_like(
        &mut self,
        text: &str,
        wanted: &[TermBeginning],
        mut each: impl FnMut(usize, &str),
    ) -> usize {
        let mut place = 0;
        let mut words = self.words.token_stream(text);
        words.process(&mut |word| {
            if wanted.iter().any(|term| term.may_begin(&word.text)) {
                let mut stem = self.stemmer.token_stream(&word.text);
                stem.process(&mut |term| each(place, &term.text));
            }
            place += 1;
        });
        place
    }
}

/// How a term begins: a word and its stem begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermBeginning([u8; 2]);

impl TermBeginning {
    /// Of a term, or of a word. The stem of `dying` is `die`, so that `y` and
    /// `i` are one; that of `a's` is `a`. Letters that fold to a capital (`ʏ`)
    /// are capitals in the word alone.
    pub fn of(term: &str) -> Self {
        let mut bytes = term.bytes().map(|byte| byte.to_ascii_lowercase());
        let first = bytes.next().unwrap_or_default();
        let second = match bytes.next().unwrap_or_default() {
            b'y' => b'i',
            b'\'' => 0,
            other => other,
        };
        Self([first, second])
    }

    /// Whether the stem of a word may be a term that begins so.
    /// The stem of `aed` is `a`: a term of one letter may be that of any word
    /// that begins with it.
    pub fn may_begin(self, word: &str) -> bool {
        let Self([first, second]) = Self::of(word);
        first == self.0[0] && (second == self.0[1] || self.0[1] == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether each term of a text is found at all of its places.
    fn are_found_by_their_beginnings(text: &str) -> bool {
        let mut analyser = TextTerms::default();
        let all = analyser.of(text);
        all.iter().all(|wanted| {
            let mut found = Vec::new();
            let beginning = TermBeginning::of(wanted);
            let count = analyser.each_like(text, &[beginning], |place, term| {
                found.extend((term == wanted).then_some(place));
            });
            let places = (0..all.len()).filter(|place| all[*place] == *wanted);
            count == all.len() && found == places.collect::<Vec<_>>()
        })
    }

    #[test]
    fn words_and_their_stems_begin_alike() {
        let irregular = "dying lying tying skies skis idly gently ugly early only singly ied ies aed aing a yʏ ʏa";
        assert!(are_found_by_their_beginnings(irregular));
        assert!(are_found_by_their_beginnings(
            "Cafés don’t Ångström 真空泵 9's BPM01"
        ));
    }

    proptest! {
        #[test]
        fn stems_begin_as_their_words(text in "([a-z']{1,12}[ .]){0,12}", other in "\\PC{0,40}") {
            prop_assert!(are_found_by_their_beginnings(&text));
            prop_assert!(are_found_by_their_beginnings(&other));
        }
    }
}
