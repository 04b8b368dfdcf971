//! Writing without spaces between words.

/// Whether a character belongs to a script that puts no spaces between words:
/// Han, Hiragana, Katakana and Thai. Such text has no words for an index;
/// pairs of neighbouring characters stand for them.
///
/// ```
/// use gannet_api::query::is_unspaced;
///
/// assert!("真空ポンプ".chars().all(is_unspaced));
/// assert!(!"펌프 pump、".chars().any(is_unspaced));
/// ```
pub fn is_unspaced(character: char) -> bool {
    // Nearly all text is ASCII.
    character >= '\u{e01}' && is_unspaced_script(character)
}

fn is_unspaced_script(character: char) -> bool {
    matches!(character,
        // Thai with its vowel and tone marks.
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}'
        // Iteration mark, closing mark, zero.
        | '\u{3005}'..='\u{3007}'
        // Hiragana and Katakana; small and half-width forms.
        | '\u{3041}'..='\u{3096}' | '\u{3099}' | '\u{309a}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{ff66}'..='\u{ff9f}'
        // Han: unified and compatibility ideographs with their extensions.
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}
