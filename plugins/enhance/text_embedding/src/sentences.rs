//! Where a text can be cut.

/// What lies before a character. A greater one is a better place to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Boundary {
    /// The inside of a word.
    Nothing,
    /// White space.
    Word,
    /// A new line.
    Line,
    /// The end of a sentence, or a blank line.
    Sentence,
}

/// Words that end in a full stop without ending the sentence.
const ABBREVIATIONS: [&str; 14] = [
    "approx", "ca", "cf", "dr", "e.g", "eq", "etc", "fig", "i.e", "mr", "mrs", "no", "ref", "vs",
];

/// The boundary before each character of a text, and the one at its end.
///
/// A sentence ends at `.`, `!`, `?` or `…`, closing quotes and brackets
/// behind it included, when white space follows. So a decimal (`2.5`) and a
/// device name (`SR01C:RF.PWR`) hold no end. A full stop after an initial or
/// an abbreviation, or before a small letter, is none either. The full stops
/// of Chinese and Japanese need no white space.
pub(crate) fn boundaries(text: &str) -> Vec<Boundary> {
    let chars: Vec<char> = text.chars().collect();
    let mut boundaries = vec![Boundary::Nothing; chars.len() + 1];
    boundaries[chars.len()] = Boundary::Sentence;

    let mut gap_start = 0;
    for (place, &character) in chars.iter().enumerate() {
        if character.is_whitespace() {
            continue;
        }
        boundaries[place] = boundary(&chars, gap_start, place);
        gap_start = place + 1;
    }
    boundaries
}

/// The boundary between what ends at `gap_start` and what begins at `place`,
/// with nothing but white space between.
fn boundary(chars: &[char], gap_start: usize, place: usize) -> Boundary {
    let gap = &chars[gap_start..place];
    let before = &chars[..gap_start];
    if gap.is_empty() {
        let ends = matches!(before.last(), None | Some('。' | '！' | '？'));
        return if ends {
            Boundary::Sentence
        } else {
            Boundary::Nothing
        };
    }
    let new_lines = gap.iter().filter(|&&character| character == '\n').count();
    if new_lines > 1 || ends_sentence(before, chars[place]) {
        Boundary::Sentence
    } else if new_lines == 1 {
        Boundary::Line
    } else {
        Boundary::Word
    }
}

fn ends_sentence(before: &[char], next: char) -> bool {
    let closing = |character: &&char| matches!(character, ')' | ']' | '"' | '\'' | '”' | '’' | '»');
    let closed = before.iter().rev().take_while(closing).count();
    let before = &before[..before.len() - closed];
    match before.last() {
        Some('!' | '?' | '…' | '。' | '！' | '？') => true,
        Some('.') => !next.is_lowercase() && !is_abbreviation(&before[..before.len() - 1]),
        _ => false,
    }
}

/// Whether the last word, its full stop taken off, is a single letter or a
/// known abbreviation.
fn is_abbreviation(before: &[char]) -> bool {
    let longest = 8;
    let mut word: Vec<char> = before
        .iter()
        .rev()
        .take(longest)
        .take_while(|character| !character.is_whitespace() && !matches!(character, '(' | '"'))
        .copied()
        .collect();
    word.reverse();
    match word.as_slice() {
        [letter] => letter.is_alphabetic(),
        _ => {
            let word: String = word.into_iter().flat_map(char::to_lowercase).collect();
            ABBREVIATIONS.contains(&word.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sentences of a text, by its boundaries.
    fn sentences(text: &str) -> Vec<String> {
        let mut sentences = Vec::new();
        for (character, boundary) in text.chars().zip(boundaries(text)) {
            if boundary == Boundary::Sentence {
                sentences.push(String::new());
            }
            if let Some(last) = sentences.last_mut() {
                last.push(character);
            }
        }
        sentences
            .into_iter()
            .map(|sentence| sentence.trim().to_owned())
            .collect()
    }

    #[test]
    fn sentences_end_at_full_stops_exclamation_and_question_marks() {
        assert_eq!(
            sentences("Beam lost! Why? RF tripped (see log.) Reset. \"Done.\" 5 min later ok."),
            [
                "Beam lost!",
                "Why?",
                "RF tripped (see log.)",
                "Reset.",
                "\"Done.\"",
                "5 min later ok."
            ]
        );
    }

    #[test]
    fn decimals_names_initials_and_abbreviations_end_nothing() {
        for text in [
            "Set 2.5 A on SR01C:BPM1.X and 10.0.0.1 now",
            "Pump No. 5 and Fig. 3, approx. 40 C, e.g. Sector 4",
            "Told J. Smith and A. B. Chen about it",
            "The valve closed at 5 p.m. and opened again",
        ] {
            assert_eq!(sentences(text), [text]);
        }
    }

    #[test]
    fn a_blank_line_ends_a_sentence_and_a_new_line_is_better_than_a_space() {
        assert_eq!(sentences("Title\n \nBody text"), ["Title", "Body text"]);
        assert_eq!(boundaries("a\nb c")[2], Boundary::Line);
        assert_eq!(boundaries("a\nb c")[4], Boundary::Word);
    }

    #[test]
    fn full_stops_of_chinese_and_japanese_need_no_space() {
        assert_eq!(
            sentences("ビーム停止。復旧した。"),
            ["ビーム停止。", "復旧した。"]
        );
    }
}
