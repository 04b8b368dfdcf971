//! Values that are another one with numbers behind it, as the units of a plant.

use gannet_api::FilterField;

use super::lexicon::{Lexicon, parts_of};

impl Lexicon {
    /// A value that is another one of its field with numbers behind it, as
    /// `Vogtle 1/2` beside `Vogtle`, is named by the words of that one too.
    pub(super) fn add_numbered(&mut self) {
        for place in 0..self.values.len() {
            let words = parts_of(&self.values[place].value);
            let has_letter = |word: &String| word.chars().any(char::is_alphabetic);
            let end = words
                .iter()
                .rposition(has_letter)
                .map_or(0, |last| last + 1);
            let (name, numbers) = words.split_at(end);
            if !numbers.is_empty() && self.has_value(name, &self.values[place].field) {
                self.add(name, place, true);
            }
        }
    }

    /// Whether these are all words of a value of a field.
    fn has_value(&self, words: &[String], field: &FilterField) -> bool {
        let Some((first, rest)) = words.split_first() else {
            return false;
        };
        let mut namings = self.by_first_word.get(first).into_iter().flatten();
        let whole = namings.find(|naming| naming.is_whole && naming.rest == rest);
        let mut values = whole.into_iter().flat_map(|naming| &naming.values);
        values.any(|place| self.values[*place].field == *field)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::KnownField;
    use super::super::plurals::Plurals;
    use super::super::word_counts::WordCounts;
    use super::*;

    #[test]
    fn a_value_with_a_number_is_named_with_the_one_without() {
        let values = ["vogtle", "vogtle 1/2", "vogtle annex", "unit 3"];
        let fields = [KnownField {
            field: FilterField::from_name("meta.plant"),
            values: values.map(|value| (value.to_owned(), 5)).to_vec(),
        }];
        let lexicon = Lexicon::of(&fields, &WordCounts::default());
        let plurals = Plurals::of(Vec::new(), Vec::new());
        let named = |words: &[&str]| -> Vec<String> {
            let named = lexicon.at(words, 0, &plurals);
            let values = named.map_or_else(Vec::new, |named| named.values);
            values.iter().map(|value| value.value.clone()).collect()
        };
        assert_eq!(named(&["vogtle"]), ["vogtle", "vogtle 1/2"]);
        assert_eq!(named(&["vogtle", "1/2"]), ["vogtle 1/2"]);
        assert_eq!(named(&["unit"]), Vec::<String>::new());
    }
}
