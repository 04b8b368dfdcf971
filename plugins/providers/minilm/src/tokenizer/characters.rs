//! The classes of characters that BERT's tokenizer tells apart.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// Characters that are dropped: controls, formats, private use, and the two
/// that stand for "no character".
pub(super) fn is_dropped(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{fffd}' => true,
        _ => {
            matches!(
                get_general_category(character),
                Category::Control | Category::Format | Category::PrivateUse
            ) && !is_newer(character)
        }
    }
}

/// Marks that are dropped after decomposition, such as accents.
pub(super) fn is_accent(character: char) -> bool {
    match character {
        // Their category has changed since Unicode 8.
        '\u{1734}' | '\u{1171e}' => true,
        '\u{111c9}' => false,
        _ => get_general_category(character) == Category::NonspacingMark && !is_newer(character),
    }
}

/// Characters that are words of their own: all ASCII symbols and what Unicode
/// calls punctuation.
pub(super) fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    let is_one_now = matches!(
        get_general_category(character),
        Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::OpenPunctuation
            | Category::ClosePunctuation
            | Category::InitialPunctuation
            | Category::FinalPunctuation
            | Category::OtherPunctuation
    );
    // The two were punctuation in Unicode 8.
    (is_one_now && !is_newer(character)) || matches!(character, '\u{166d}' | '\u{111c9}')
}

/// Whether the tables of the reference, which are those of Unicode 8, know
/// nothing of a character, so that it counts as a letter there.
fn is_newer(character: char) -> bool {
    let after = NEWER.partition_point(|(first, _)| *first <= character);
    after > 0 && character <= NEWER[after - 1].1
}

/// Ranges with all marks, formats and punctuation that came after Unicode 8.
/// What else lies in them counts as letters in either version.
#[rustfmt::skip]
const NEWER: [(char, char); 41] = [
    ('\u{61d}', '\u{61d}'), ('\u{7fd}', '\u{7fd}'), ('\u{890}', '\u{8e2}'),
    ('\u{9fd}', '\u{9fe}'), ('\u{a76}', '\u{a76}'), ('\u{afa}', '\u{aff}'),
    ('\u{b55}', '\u{b55}'), ('\u{c04}', '\u{c3c}'), ('\u{c77}', '\u{c77}'),
    ('\u{c84}', '\u{c84}'), ('\u{d00}', '\u{d00}'), ('\u{d3b}', '\u{d3c}'),
    ('\u{d81}', '\u{d81}'), ('\u{eba}', '\u{eba}'), ('\u{ece}', '\u{ece}'),
    ('\u{180f}', '\u{1886}'), ('\u{1abf}', '\u{1ace}'), ('\u{1b4e}', '\u{1b4f}'),
    ('\u{1b7d}', '\u{1b7f}'), ('\u{1df6}', '\u{1dfb}'), ('\u{2e43}', '\u{2e5d}'),
    ('\u{a82c}', '\u{a82c}'), ('\u{a8c5}', '\u{a8c5}'), ('\u{a8ff}', '\u{a8ff}'),
    ('\u{a9bd}', '\u{a9bd}'), ('\u{10d24}', '\u{10f89}'), ('\u{11070}', '\u{11074}'),
    ('\u{110c2}', '\u{110cd}'), ('\u{111cf}', '\u{111cf}'), ('\u{1123e}', '\u{11241}'),
    ('\u{1133b}', '\u{1133b}'), ('\u{113bb}', '\u{1145e}'), ('\u{11660}', '\u{1166c}'),
    ('\u{116b9}', '\u{116b9}'), ('\u{1182f}', '\u{11fff}'), ('\u{12ff1}', '\u{1612f}'),
    ('\u{16d6d}', '\u{16f4f}'), ('\u{16fe2}', '\u{16fe4}'), ('\u{1cf00}', '\u{1cf46}'),
    ('\u{1e000}', '\u{1e5ff}'), ('\u{1e944}', '\u{1e95f}'),
];

/// Chinese characters, which are words of their own; the blocks are those of
/// the reference, which begins the last but two 256 characters late.
pub(super) fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}'
        | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{2f800}'..='\u{2fa1f}')
}
