//! Names of devices and process variables, by their form.

use gannet_api::{EntityKind, PlanEntity, PlanSource};

use super::words::Word;

/// Longest name that is looked at, in bytes.
const LONGEST_NAME: usize = 80;

/// The device or process variable that a word is by its form; none for words,
/// numbers, quantities and addresses.
///
/// | form | |
/// |---|---|
/// | `SR01C:BPM1`, `SR:C03-MG{PS:QF1}` | process variable: parts with a colon between them |
/// | `RF-2`, `TP_3`, `MW-205A` | device: letters, a hyphen, a number |
/// | `CAV1`, `SR01C`, `2A3` | device: capitals and digits, which end with no unit |
pub(super) fn name_of(word: &Word<'_>) -> Option<PlanEntity> {
    let name = word.text;
    if name.len() > LONGEST_NAME || !name.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kind = match name.contains(':') {
        true => is_process_variable(name).then_some(EntityKind::Pv)?,
        false => (is_hyphenated(name) || is_code(name)).then_some(EntityKind::Device)?,
    };
    Some(PlanEntity::new(kind, name, PlanSource::Words).with_span(word.span.clone()))
}

/// At least two parts, of which the first begins with a letter. A time of day
/// has no letter, and the address of a page has `/` after its colon.
fn is_process_variable(name: &str) -> bool {
    let begins_with_letter = name.starts_with(|first: char| first.is_ascii_alphabetic());
    let has_parts = name.split(':').all(|part| !part.is_empty());
    begins_with_letter && has_parts && !name.contains('/')
}

/// `RF-2`: letters, a hyphen, digits, and perhaps a letter.
fn is_hyphenated(name: &str) -> bool {
    let Some((letters, number)) = name.split_once(['-', '_']) else {
        return false;
    };
    let digits = number.trim_end_matches(|end: char| end.is_ascii_alphabetic());
    let suffix = number.len() - digits.len();
    (1..=6).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (1..=4).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && suffix <= 1
}

/// `CAV1`: capitals and digits, with a letter before a digit.
fn is_code(name: &str) -> bool {
    let is_code = name
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let after_number = name.trim_start_matches(|first: char| first.is_ascii_digit());
    let is_quantity = after_number.bytes().all(|byte| byte.is_ascii_uppercase());
    name.len() >= 3 && is_code && !is_quantity
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::words::words_of;

    fn kinds(text: &str) -> Vec<Option<EntityKind>> {
        let words = words_of(text, |_| false);
        let kind = |word: &Word<'_>| name_of(word).map(|entity| entity.kind);
        words.iter().map(kind).collect()
    }

    #[test]
    fn names_are_told_from_words_and_quantities() {
        use EntityKind::{Device, Pv};
        for (text, expected) in [
            ("RF-2", Some(Device)),
            ("rf-2", Some(Device)),
            ("MW-205A", Some(Device)),
            ("CAV1", Some(Device)),
            ("SR01C", Some(Device)),
            ("2A3", Some(Device)),
            ("SR01C:BPM1", Some(Pv)),
            ("SR:C03-MG{PS:QF1}", Some(Pv)),
            ("12:30", None),
            ("10MW", None),
            ("60-day", None),
            ("26th", None),
            ("2025-11-26", None),
            ("cavity", None),
            ("1B", None),
            ("11/26/25", None),
            ("a-b-1", None),
        ] {
            assert_eq!(kinds(text), [expected], "{text}");
        }
    }
}
