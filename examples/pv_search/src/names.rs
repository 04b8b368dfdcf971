//! The names in a text.

/// Which characters a name is made of: letters and digits, `_ : - .`, and
/// those that the configuration adds.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameCharacters {
    extra: String,
}

impl NameCharacters {
    pub(crate) fn with(extra: &str) -> Self {
        let extra = extra.to_owned();
        Self { extra }
    }

    pub(crate) fn contains(&self, character: char) -> bool {
        character.is_alphanumeric()
            || matches!(character, '_' | ':' | '-' | '.')
            || self.extra.contains(character)
    }

    /// The names of a text in order, each with the byte at which it starts.
    /// Plain words are names too; it is the pattern that chooses.
    pub(crate) fn names<'t>(&self, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
        let mut next = 0;
        text.split_inclusive(|c| !self.contains(c))
            .filter_map(move |piece| {
                let start = next;
                next += piece.len();
                let run = piece.trim_end_matches(|c| !self.contains(c));
                let name = without_punctuation(run);
                let before = run.len() - run.trim_start_matches(PUNCTUATION).len();
                (!name.is_empty()).then_some((start + before, name))
            })
    }
}

/// Characters of names that also end sentences or join them. At the end of a
/// name they belong to the sentence: `see SR01:BPM3:X.`
const PUNCTUATION: [char; 3] = ['.', ':', '-'];

/// A name without the punctuation of the sentence around it.
pub(crate) fn without_punctuation(name: &str) -> &str {
    name.trim_matches(PUNCTUATION)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    fn names<'t>(extra: &str, text: &'t str) -> Vec<&'t str> {
        let characters = NameCharacters::with(extra);
        let names: Vec<_> = characters.names(text).collect();
        names.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn a_name_ends_where_the_sentence_goes_on() {
        let text = "(SR01:BPM3:X=0.3mm), TP-3. CAV1: -- Übergang/RF_2…";
        let expected = ["SR01:BPM3:X", "0.3mm", "TP-3", "CAV1", "Übergang", "RF_2"];
        assert_eq!(names("", text), expected);
    }

    #[test]
    fn extra_characters_join_what_they_stand_in() {
        let text = "SR:C03-MG{PS:QF1} is off";
        assert_eq!(names("", text)[..2], ["SR:C03-MG", "PS:QF1"]);
        assert_eq!(names("{}", text)[0], "SR:C03-MG{PS:QF1}");
    }

    proptest! {
        #[test]
        fn every_name_stands_where_it_is_said_to_stand(text in "\\PC{0,40}|[-.:A-Z0-9 é]{0,40}") {
            for (start, name) in NameCharacters::default().names(&text) {
                prop_assert_eq!(&text[start..start + name.len()], name);
                prop_assert_eq!(without_punctuation(name), name);
            }
        }
    }
}
