//! Where the words of an embedder are in a passage.

use gannet_plugin::provider::{TokenOccurrence, TokenPlace};

/// The places of words in `passage`, which was embedded after `title`. Words
/// come in the order of the text and in lower case, as the embedder folds
/// them. One that is not found, for example because it lost an accent, has no
/// place, and neither has a word of the title.
pub(crate) fn places(words: &[TokenOccurrence], title: &str, passage: &str) -> Vec<TokenPlace> {
    let text = Folded::of(title, passage);
    let mut from = 0;
    let places = words.iter().filter_map(|occurrence| {
        let at = text.find(&occurrence.word, from)?;
        from = at + occurrence.word.len();
        let start = text.place_in_passage(at)?;
        Some(TokenPlace {
            start: u16::try_from(start).ok()?,
            vector: u16::try_from(occurrence.vector).ok()?,
        })
    });
    places.collect()
}

/// A title and a passage in lower case.
struct Folded {
    text: String,
    /// For each byte of the text, the byte of the passage that it comes from;
    /// `None` in the title.
    origins: Vec<Option<usize>>,
}

impl Folded {
    fn of(title: &str, passage: &str) -> Self {
        let (mut text, mut origins) = (String::new(), Vec::new());
        let of_title = title.chars().chain(['\n']).map(|c| (None, c));
        let of_passage = passage.char_indices().map(|(at, c)| (Some(at), c));
        for (origin, character) in of_title.chain(of_passage) {
            text.extend(character.to_lowercase());
            origins.resize(text.len(), origin);
        }
        Self { text, origins }
    }

    /// Where a whole word is, from a byte on.
    fn find(&self, word: &str, from: usize) -> Option<usize> {
        let rest = self.text.get(from..)?;
        let found = rest.match_indices(word).map(|(at, _)| from + at);
        let mut whole = found.filter(|at| {
            let before = self.text[..*at].chars().next_back();
            let after = self.text[at + word.len()..].chars().next();
            !continues(before, word.chars().next()) && !continues(word.chars().next_back(), after)
        });
        whole.next()
    }

    fn place_in_passage(&self, at: usize) -> Option<usize> {
        self.origins.get(at).copied().flatten()
    }
}

/// Whether two neighbours are of one word. Characters of scripts without
/// spaces are words of their own.
fn continues(first: Option<char>, second: Option<char>) -> bool {
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    is_inside(first) && is_inside(second)
}

fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str], title: &str, passage: &str) -> Vec<(u16, u16)> {
        let occurrences = words.iter().enumerate();
        let occurrences = occurrences.map(|(vector, word)| TokenOccurrence {
            word: (*word).to_owned(),
            vector,
        });
        let occurrences: Vec<TokenOccurrence> = occurrences.collect();
        let places = places(&occurrences, title, passage);
        places.iter().map(|p| (p.start, p.vector)).collect()
    }

    #[test]
    fn words_of_the_passage_have_places_and_those_of_the_title_none() {
        let words = ["pump", "off", "pump", "rf", "2"];
        let passage = "The PUMP of RF-2";
        assert_eq!(
            found(&words, "Pump off", passage),
            [(4, 2), (12, 3), (15, 4)]
        );
    }

    #[test]
    fn a_word_is_found_as_a_whole() {
        assert_eq!(
            found(&["rip", "trip"], "", "trip rip trip"),
            [(5, 0), (9, 1)]
        );
        assert_eq!(found(&["束", "流"], "", "束流"), [(0, 0), (3, 1)]);
    }

    #[test]
    fn a_word_that_is_not_found_hides_no_other() {
        assert_eq!(found(&["cafe", "trip"], "", "Café trip"), [(6, 1)]);
    }
}
