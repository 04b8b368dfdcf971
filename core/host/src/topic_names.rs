//! Names with a number in a topic: an entry about `CH-5` is not about `CH-2`,
//! however near the rest of it is.

use gannet_api::Entry;

/// Whether an entry names another thing of a kind than a topic does, and not that
/// one: of `CH-2` one with `CH-5` and without `CH-2`.
pub(crate) fn names_another(topic: &[String], entry: &Entry) -> bool {
    let asked: Vec<Name> = topic.iter().filter_map(|word| Name::of(word)).collect();
    if asked.is_empty() {
        return false;
    }
    let fields = entry.metadata.values().filter_map(|value| value.as_str());
    let texts = std::iter::once(entry.raw_text.as_str()).chain(fields);
    let words = texts.flat_map(|text| text.split(is_between_words));
    let named: Vec<Name> = words.filter_map(Name::of).collect();
    asked.iter().any(|asked| {
        let is_other = |name: &Name| name.letters == asked.letters;
        !named.contains(asked) && named.iter().any(is_other)
    })
}

/// Parts of a longer name, such as `SR03C:RF:CAV1`, are names.
fn is_between_words(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '-' && letter != '_'
}

/// A name of letters and a number, with or without a hyphen between them, in
/// lower case.
#[derive(PartialEq)]
struct Name {
    letters: String,
    number: String,
}

impl Name {
    fn of(word: &str) -> Option<Self> {
        let number_at = word.find(|letter: char| letter.is_ascii_digit())?;
        let (letters, number) = word.split_at(number_at);
        let letters = letters.trim_end_matches(['-', '_']);
        let is_name = !letters.is_empty()
            && letters.chars().all(char::is_alphabetic)
            && number.bytes().all(|digit| digit.is_ascii_digit());
        is_name.then(|| Self {
            letters: letters.to_lowercase(),
            number: number.trim_start_matches('0').to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn is_of_another(topic: &[&str], text: &str) -> bool {
        let topic: Vec<String> = topic.iter().map(|word| (*word).to_owned()).collect();
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        names_another(&topic, &Entry::new("1", "log", time, text))
    }

    #[test]
    fn an_entry_of_another_number_is_not_of_the_one_that_is_asked_for() {
        assert!(is_of_another(
            &["CH-2", "phase"],
            "Chopper CH-5 lost phase."
        ));
        assert!(is_of_another(&["CAV2"], "SR03C:RF:CAV1 tripped."));
        for text in [
            "Chopper ch2 lost phase, not CH-5.",
            "Chopper CH-02 lost phase.",
            "The chopper lost phase.",
            "Lost phase at 10 K.",
        ] {
            assert!(!is_of_another(&["CH-2", "phase"], text), "{text}");
        }
        assert!(!is_of_another(&["phase"], "Chopper CH-5 lost phase."));
    }
}
