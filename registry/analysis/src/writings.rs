//! Other ways in which people write a word: `3.5 kV` for `3.5kV`,
//! `cryo-module` for `cryomodule`, `v2.3.1` for `2.3.1`, `Mueller` for `Müller`.

use gannet_api::fold;
use gannet_api::query::is_unspaced;

use super::trim_sentence;

/// Letters of a unit at most: `mbar`.
const LONGEST_UNIT: usize = 4;
/// Letters at most of a unit that another one follows: `counts/s`.
const LONGEST_FACTOR: usize = 8;
/// Units that are joined to one at most: `kg/m/s`.
const MOST_FACTORS: usize = 3;
/// Letters on either side of a hyphen at least, where a word is looked for with
/// one: `non-linear`.
const LEAST_PART: usize = 3;
/// Letters of a word at most that is looked for with a hyphen.
const LONGEST_JOINED: usize = 24;
/// Letters at least of a word that is looked for with an umlaut: `poet` is no
/// `Pöt`.
const LEAST_GERMAN: usize = 5;
/// Letters, and digits, at least of a code with both.
const LEAST_CODE_PART: usize = 2;
/// Units of which there are millionths.
const MICRO_UNITS: [&str; 20] = [
    "A", "bar", "C", "F", "g", "Gy", "H", "Hz", "J", "l", "L", "m", "mol", "Pa", "rad", "s", "S",
    "Sv", "V", "W",
];
/// What joins units.
const BETWEEN_FACTORS: [char; 4] = ['/', '*', '\u{b7}', '\u{22c5}'];
/// Powers of a unit.
const POWERS: [char; 2] = ['\u{b2}', '\u{b3}'];
/// Characters at least of the beginning of a code.
const LEAST_CODE: usize = 8;

/// Other writings of a word that hardly change the order beside it: a version
/// with and without its `v`, a word without its hyphen, a code with and without
/// one, and the signs for a millionth.
pub(super) fn beside(word: &str) -> impl Iterator<Item = String> {
    let word = trim_sentence(word);
    let hyphen = [without_hyphen(word), other_code(word)];
    let others = [other_version(word)].into_iter().chain(hyphen).flatten();
    others.chain(with_other_micro(word))
}

/// `CV-102` of `CV102`, and the other way round.
fn other_code(word: &str) -> Option<String> {
    let (letters, number) = match word.split_once('-') {
        Some(parts) => parts,
        None => word.split_at(word.find(|c: char| c.is_ascii_digit())?),
    };
    let is_code = letters.len() >= LEAST_CODE_PART
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && number.len() >= LEAST_CODE_PART
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let hyphen = if word.contains('-') { "" } else { "-" };
    is_code.then(|| format!("{letters}{hyphen}{number}"))
}

/// `µA` and `uA` of `μA`, also behind a number: there are two letters for a
/// millionth, and `u` in their place.
pub(super) fn with_other_micro(word: &str) -> Vec<String> {
    const SIGNS: [char; 3] = ['\u{b5}', '\u{3bc}', 'u'];
    let Some(at) = word.find(SIGNS) else {
        return Vec::new();
    };
    let (number, unit) = word.split_at(at);
    let own = unit.chars().next();
    let rest = unit.trim_start_matches(SIGNS);
    let first = rest.split(BETWEEN_FACTORS).next().unwrap_or(rest);
    let is_measure = (number.is_empty() || is_number(number)) && MICRO_UNITS.contains(&first);
    // `us` and `um` are words too.
    let is_word = number.is_empty() && own == Some('u') && rest.starts_with(char::is_lowercase);
    if !is_measure || is_word {
        return Vec::new();
    }
    let others = SIGNS.iter().filter(|sign| Some(**sign) != own);
    others.map(|sign| format!("{number}{sign}{rest}")).collect()
}

/// Whether a word is a number with its unit.
pub(super) fn is_measure(word: &str) -> bool {
    spaced_measure(word).is_some()
}

/// A number and a unit, two words of a query, as one word.
pub(super) fn measure(number: &str, unit: &str) -> Option<String> {
    let unit = trim_sentence(unit);
    (is_number(number) && is_unit(unit)).then(|| format!("{number}{unit}"))
}

/// `3.5 kV` of `3.5kV`.
pub(super) fn spaced_measure(word: &str) -> Option<String> {
    let word = trim_sentence(word);
    let letter = word.find(|c: char| c.is_alphabetic())?;
    let (number, unit) = word.split_at(letter);
    (is_number(number) && is_unit(unit)).then(|| format!("{number} {unit}"))
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = digits.split(['.', ',']);
    parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text is a unit, or several that are joined: `kV`, `l/min`, `m3/h`.
fn is_unit(text: &str) -> bool {
    let factors: Vec<&str> = text.split(BETWEEN_FACTORS).collect();
    match factors.as_slice() {
        [unit] => is_letters(unit.trim_end_matches(POWERS), LONGEST_UNIT),
        factors => {
            let is_factor = |factor: &&str| {
                // Alone, letters with a digit are a name: `2A3`.
                let letters = factor.trim_end_matches(POWERS).trim_end_matches(['2', '3']);
                is_letters(letters, LONGEST_FACTOR)
            };
            factors.len() <= MOST_FACTORS && factors.iter().all(is_factor)
        }
    }
}

fn is_letters(text: &str, most: usize) -> bool {
    let is_letter = |one: char| one.is_alphabetic() && !is_unspaced(one);
    !text.is_empty() && text.chars().count() <= most && text.chars().all(is_letter)
}

/// `v2.3.1` of `2.3.1`, `v2.3.1-rc4` of `2.3.1-rc4`, and the other way round.
fn other_version(word: &str) -> Option<String> {
    let version = word.strip_prefix(['v', 'V']);
    let number = version.unwrap_or(word).split('-').next()?;
    let parts = number.split('.').count();
    match version {
        _ if !is_number(number) => None,
        Some(version) if parts > 1 => Some(version.to_owned()),
        None if parts > 2 => Some(format!("v{word}")),
        _ => None,
    }
}

/// `cryomodule` of `cryo-module`.
fn without_hyphen(word: &str) -> Option<String> {
    let (first, second) = word.split_once('-')?;
    let is_word = |part: &str| !part.is_empty() && part.chars().all(char::is_alphabetic);
    (is_word(first) && is_word(second)).then(|| format!("{first}{second}"))
}

/// The names with a hyphen, folded, that a word of letters may be written as,
/// of one thing or of several.
pub fn hyphenated(word: &str) -> Vec<String> {
    let word = fold(trim_sentence(word));
    let other = match word.strip_suffix('s') {
        Some(one) => one.to_owned(),
        None => format!("{word}s"),
    };
    [word, other]
        .iter()
        .flat_map(|one| with_hyphen(one))
        .collect()
}

fn with_hyphen(word: &str) -> Vec<String> {
    let letters = word.chars().count();
    let is_word = word.chars().all(char::is_alphabetic);
    if !is_word || !(2 * LEAST_PART..=LONGEST_JOINED).contains(&letters) {
        return Vec::new();
    }
    let places = word.char_indices().map(|(at, _)| at);
    let places = places.skip(LEAST_PART).take(letters + 1 - 2 * LEAST_PART);
    places
        .map(|at| format!("{}-{}", &word[..at], &word[at..]))
        .collect()
}

/// A word with the letters that German has for umlauts, or with umlauts for
/// these.
#[derive(Debug, PartialEq, Eq)]
struct German {
    /// The word in the other writing.
    word: String,
    /// Whether it is written with umlauts, so that it is German for certain.
    is_certain: bool,
}

/// The other writing by which a word is looked for, where it or the entries are
/// German for certain, or it is in no entry itself.
pub fn other_german(word: &str, is_known: bool, is_german: bool) -> Option<String> {
    let other = german(word).filter(|german| german.is_certain || is_german || !is_known);
    other.map(|german| german.word)
}

/// The other writing of a German word; `None` where there is none.
fn german(word: &str) -> Option<German> {
    const UMLAUTS: [(&str, &str); 3] = [("ä", "ae"), ("ö", "oe"), ("ü", "ue")];
    let word = trim_sentence(word).to_lowercase();
    let is_certain = word.contains(['ä', 'ö', 'ü']);
    if !is_certain && word.chars().count() < LEAST_GERMAN {
        return None;
    }
    let other = UMLAUTS
        .iter()
        .fold(word.clone(), |text, (umlaut, pair)| match is_certain {
            true => text.replace(umlaut, pair),
            false => text.replace(pair, umlaut),
        });
    (other != word).then_some(German {
        word: other,
        is_certain,
    })
}

/// The folded beginning of a code, as `643b0ff0`; `None` of a word that is too
/// short for one, or has no digit.
pub fn code_beginning(word: &str) -> Option<String> {
    let word = trim_sentence(word);
    let is_code = word.len() >= LEAST_CODE
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_digit());
    is_code.then(|| fold(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_writings_that_mean_the_same() {
        for (word, others) in [
            ("2.3.1", &["v2.3.1"][..]),
            ("v2.3", &["2.3"]),
            ("cryo-module,", &["cryomodule"]),
            ("3.5", &[]),
            ("RF-2", &[]),
            ("CV102", &["CV-102"]),
            ("CV-102", &["CV102"]),
            ("2.3.1-rc4", &["v2.3.1-rc4"]),
            ("v2.3-rc4", &["2.3-rc4"]),
            ("2.3-rc4", &[]),
            ("us", &[]),
            ("\u{b5}A", &["\u{3bc}A", "uA"]),
            ("3.5us", &["3.5\u{b5}s", "3.5\u{3bc}s"]),
            ("2uSv/h", &["2\u{b5}Sv/h", "2\u{3bc}Sv/h"]),
            ("SR01C", &[]),
            ("beam-loss-monitor", &[]),
            ("643B0FF0", &[]),
            ("pump", &[]),
        ] {
            assert_eq!(beside(word).collect::<Vec<_>>(), others, "{word}");
        }
        assert_eq!(spaced_measure("3.5kV"), Some("3.5 kV".to_owned()));
        assert_eq!(spaced_measure("10mbar,"), Some("10 mbar".to_owned()));
        for (joined, spaced) in [
            ("10l/min", "10 l/min"),
            ("2.5m3/h", "2.5 m3/h"),
            ("3m\u{b2}", "3 m\u{b2}"),
            ("120counts/s", "120 counts/s"),
        ] {
            assert_eq!(spaced_measure(joined), Some(spaced.to_owned()));
        }
        for other in ["RF-2", "2A3", "10/min", "5a/b/c/d", "1/2"] {
            assert_eq!(spaced_measure(other), None, "{other}");
        }
        assert_eq!(measure("3.5", "kV"), Some("3.5kV".to_owned()));
        assert_eq!(measure("3.5", "pumps"), None);
        assert_eq!(measure("RF", "kV"), None);
    }

    #[test]
    fn names_with_a_hyphen_have_three_letters_on_either_side() {
        assert_eq!(with_hyphen("prelude"), ["pre-lude", "prel-ude"]);
        assert_eq!(hyphenated("Modul"), ["mod-uls"]);
        assert_eq!(hyphenated("preset"), ["pre-set", "pre-sets", "pres-ets"]);
        assert_eq!(hyphenated("beam"), [""; 0]);
        assert_eq!(hyphenated("RF2000"), [""; 0]);
    }

    #[test]
    fn umlauts_and_the_letters_for_them_stand_for_each_other() {
        let other = |word| german(word).map(|german| (german.word, german.is_certain));
        assert_eq!(other("Mueller"), Some(("müller".to_owned(), false)));
        assert_eq!(other("Müller"), Some(("mueller".to_owned(), true)));
        assert_eq!(other("für"), Some(("fuer".to_owned(), true)));
        assert_eq!(other("poet"), None);
        assert_eq!(other("pump"), None);
    }

    #[test]
    fn the_beginning_of_a_code_has_eight_characters_and_a_digit() {
        assert_eq!(code_beginning("643B0FF0"), Some("643b0ff0".to_owned()));
        for word in ["643B0FF", "circulator", "2024-01-05", "SR01C:BPM1"] {
            assert_eq!(code_beginning(word), None, "{word}");
        }
    }
}
