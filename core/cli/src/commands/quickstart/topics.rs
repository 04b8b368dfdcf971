//! Words that entries are about, as searches to begin with.

use std::collections::{BTreeMap, BTreeSet};

use gannet_core::api::Entry;
use gannet_core::api::query::{is_stop_word, is_unspaced};

/// Letters of a word at least.
const LEAST_LETTERS: usize = 4;
/// Of so many entries a word may be in one at most: what is in more says
/// little.
const COMMON: usize = 4;
/// Characters of a text that are looked at where an entry has no title.
const BEGINNING: usize = 200;
/// Characters of a search in a script without spaces.
const UNSPACED: usize = 6;

/// So many searches, of two words each: words that several entries have, the
/// most frequent first, each with the one that it stands with most often. Where
/// entries share no words they are those of single entries.
pub fn topics(entries: &[Entry], wanted: usize) -> Vec<String> {
    let words: Vec<BTreeSet<String>> = entries.iter().map(words_of).collect();
    let mut found = shared(&words, wanted);
    for own in words.iter().filter(|own| !own.is_empty()) {
        if found.len() >= wanted {
            break;
        }
        let mut longest: Vec<&str> = own.iter().map(String::as_str).collect();
        longest.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        let query = longest.into_iter().take(2).collect::<Vec<_>>().join(" ");
        if !found.contains(&query) {
            found.push(query);
        }
    }
    found
}

/// Pairs of words that stand together in several entries.
fn shared(words: &[BTreeSet<String>], wanted: usize) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, own) in words.iter().enumerate() {
        for word in own {
            places.entry(word).or_default().push(at);
        }
    }
    let most = (words.len() / COMMON).max(2);
    places.retain(|_, of| of.len() >= 2 && of.len() <= most);
    let mut frequent: Vec<&str> = places.keys().copied().collect();
    frequent.sort_by_key(|word| std::cmp::Reverse(places[word].len()));

    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for word in &frequent {
        if found.len() >= wanted {
            break;
        }
        if used.contains(word) {
            continue;
        }
        let together = |other: &str| {
            let of = &places[word];
            places[other].iter().filter(|at| of.contains(at)).count()
        };
        let others = frequent
            .iter()
            .filter(|other| *other != word && !used.contains(*other));
        // Of several, the first is the more frequent.
        let second = others.rev().max_by_key(|other| together(other));
        let second = second.filter(|other| together(other) > 0);
        used.insert(word);
        used.extend(second);
        found.push(match second {
            Some(second) => format!("{word} {second}"),
            None => (*word).to_owned(),
        });
    }
    found
}

/// The words of a title, or of the beginning of a text, that say something.
fn words_of(entry: &Entry) -> BTreeSet<String> {
    let beginning = || entry.raw_text.chars().take(BEGINNING).collect::<String>();
    let text = entry.title().map_or_else(beginning, str::to_owned);
    let words = text.split(|one: char| !one.is_alphanumeric());
    let words = words.filter_map(|word| {
        if word.contains(is_unspaced) {
            return Some(word.chars().take(UNSPACED).collect());
        }
        let is_word = word.chars().all(char::is_alphabetic);
        let is_long = word.chars().count() >= LEAST_LETTERS;
        (is_word && is_long && !is_stop_word(word)).then(|| word.to_lowercase())
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(texts: &[&str]) -> Vec<Entry> {
        let entry = |text: &&str| Entry::new(*text, "x", Default::default(), *text);
        texts.iter().map(entry).collect()
    }

    #[test]
    fn words_that_entries_share_are_searches() {
        let texts = [
            "Vacuum pump exchanged",
            "Vacuum pump noisy",
            "Klystron tripped at night",
            "Klystron filament tripped",
            "Shift was quiet",
            "Beam lost",
            "Nothing to say here",
            "Water flow low",
        ];
        let found = topics(&entries(&texts), 3);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0], "klystron tripped");
        assert_eq!(found[1], "pump vacuum");
    }

    #[test]
    fn a_single_entry_gives_a_search_of_its_longest_words() {
        assert_eq!(
            topics(&entries(&["The circulator flow switch"]), 3),
            ["circulator switch"]
        );
        assert_eq!(
            topics(&entries(&["真空ポンプを交換した"]), 3),
            ["真空ポンプを"]
        );
        assert!(topics(&[], 3).is_empty());
    }
}
