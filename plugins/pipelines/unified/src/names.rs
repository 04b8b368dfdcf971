//! Names of devices and process variables in a text, by their form. The forms
//! are those by which the host reads a question, so that what a question names
//! and what an entry names are the same thing.

use crate::entity::EntityType;

/// Longest name that is looked at, in bytes.
const LONGEST_NAME: usize = 80;

/// The names in a text, in order, each once.
pub(crate) fn names_in(text: &str) -> Vec<(EntityType, &str)> {
    let mut found: Vec<(EntityType, &str)> = Vec::new();
    for word in text.split_whitespace() {
        let name = without_punctuation(word);
        if let Some(kind) = kind_of(name)
            && !found.iter().any(|(_, known)| *known == name)
        {
            found.push((kind, name));
        }
    }
    found
}

/// What a word names by its form.
///
/// | form | |
/// |---|---|
/// | `SR01C:BPM1`, `SR:C03-MG{PS:QF1}` | process variable: parts with a colon between them |
/// | `RF-2`, `TP_3`, `MW-205A` | device: letters, a hyphen, a number |
/// | `CAV1`, `SR01C`, `2A3` | device: capitals and digits, which end with no unit |
pub(crate) fn kind_of(name: &str) -> Option<EntityType> {
    if name.len() > LONGEST_NAME || !name.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if name.contains(':') {
        return is_process_variable(name).then_some(EntityType::Pv);
    }
    (is_hyphenated(name) || is_code(name)).then_some(EntityType::Device)
}

fn without_punctuation(word: &str) -> &str {
    let is_around = |c: char| !c.is_alphanumeric() && c != '}';
    let word = word
        .trim_start_matches(is_around)
        .trim_end_matches(is_around);
    word.strip_suffix("'s").unwrap_or(word)
}

fn is_process_variable(name: &str) -> bool {
    let begins_with_letter = name.starts_with(|first: char| first.is_ascii_alphabetic());
    begins_with_letter && name.split(':').all(|part| !part.is_empty()) && !name.contains('/')
}

/// `RF-2`: letters, a hyphen, digits, and perhaps a letter.
fn is_hyphenated(name: &str) -> bool {
    let Some((letters, number)) = name.split_once(['-', '_']) else {
        return false;
    };
    let digits = number.trim_end_matches(|end: char| end.is_ascii_alphabetic());
    (1..=6).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (1..=4).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && number.len() - digits.len() <= 1
}

/// `CAV1`: capitals and digits, with a letter before a digit.
fn is_code(name: &str) -> bool {
    let is_letter_or_digit = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let after_number = name.trim_start_matches(|first: char| first.is_ascii_digit());
    let is_quantity = after_number.bytes().all(|byte| byte.is_ascii_uppercase());
    name.len() >= 3 && name.bytes().all(is_letter_or_digit) && !is_quantity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once_each_and_without_punctuation() {
        let text = "CAV1 tripped (SR01C:BPM1, RF-2's drive); CAV1 at 10MW, 12:30.";
        let expected = [
            (EntityType::Device, "CAV1"),
            (EntityType::Pv, "SR01C:BPM1"),
            (EntityType::Device, "RF-2"),
        ];
        assert_eq!(names_in(text), expected);
    }
}
