//! Cuts a text into passages that overlap.

use std::ops::Range;

use crate::sentences::{Boundary, boundaries};

/// Cuts a text into byte ranges that together cover it, each of at most
/// `size` characters. A text that is not longer is one passage; an empty one
/// has none.
///
/// A passage ends on the end of a sentence where there is one in its second
/// half, else on the end of a line, else between two words, else where the
/// room ends. It begins at the best such place among the last `overlap`
/// characters of the passage before it.
///
/// `overlap` counts as half of `size` when it is more, and `size` as 2 when
/// it is less.
///
/// ```
/// use gannet_text_embedding::passages::cut;
///
/// let text = "RF tripped at 2.5 MW. Reset SR01C:RF.PWR twice. Beam is back.";
/// let passages: Vec<&str> = cut(text, 40, 0).into_iter().map(|span| &text[span]).collect();
/// assert_eq!(passages, ["RF tripped at 2.5 MW. ", "Reset SR01C:RF.PWR twice. Beam is back."]);
/// ```
pub fn cut(text: &str, size: usize, overlap: usize) -> Vec<Range<usize>> {
    let size = size.max(2);
    let overlap = overlap.min(size / 2);
    // The byte offset of every character, and of the text's end.
    let mut offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
    offsets.push(text.len());
    let length = offsets.len() - 1;
    let boundaries = boundaries(text);

    let mut passages = Vec::new();
    let mut start = 0;
    while start < length {
        if length - start <= size {
            passages.push(offsets[start]..text.len());
            break;
        }
        let end = best_end(&boundaries, start + size / 2 + 1..start + size + 1);
        passages.push(offsets[start]..offsets[end]);
        // `end` lies more than `overlap` after `start`, so this goes on.
        start = best_start(&boundaries, end - overlap..end);
    }
    passages
}

/// The last of the best boundaries in a range, which is not empty.
fn best_end(boundaries: &[Boundary], places: Range<usize>) -> usize {
    let room_ends = places.end - 1;
    places
        .max_by_key(|&place| boundaries[place])
        .unwrap_or(room_ends)
}

/// The first of the best boundaries in a range; its end when it is empty.
fn best_start(boundaries: &[Boundary], places: Range<usize>) -> usize {
    let end = places.end;
    // Of equal ones `max_by_key` takes the last it sees.
    places
        .rev()
        .max_by_key(|&place| boundaries[place])
        .unwrap_or(end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    /// Texts with sentences, long words, line ends and letters of several
    /// bytes.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just(". ".to_owned()),
            Just(" ".to_owned()),
            Just("\n".to_owned()),
            Just("\n\n".to_owned()),
            "[a-zA-Zäß中。🙂0-9.:]{1,30}",
            any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn passages_cover_the_text_and_keep_size_overlap_and_characters(
            text in texts(),
            size in 0usize..80,
            overlap in 0usize..80,
        ) {
            let passages = cut(&text, size, overlap);

            let (size, overlap) = (size.max(2), overlap.min(size.max(2) / 2));
            prop_assert_eq!(passages.first().map_or(0, |first| first.start), 0);
            prop_assert_eq!(passages.last().map_or(0, |last| last.end), text.len());
            for passage in &passages {
                let characters = text.get(passage.clone()).map(|part| part.chars().count());
                prop_assert!(characters.is_some(), "inside of a character: {passage:?}");
                prop_assert!((1..=size).contains(&characters.unwrap_or(0)));
            }
            for pair in passages.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end);
                prop_assert!(pair[1].start <= pair[0].end, "a gap");
                let shared = text[pair[1].start..pair[0].end].chars().count();
                prop_assert!(shared <= overlap);
            }
        }

        #[test]
        fn a_text_that_fits_is_one_passage(text in "\\PC{1,60}") {
            let whole = 0..text.len();
            prop_assert_eq!(cut(&text, 60, 10), vec![whole]);
        }

        #[test]
        fn no_word_is_cut_where_words_are_short(
            words in proptest::collection::vec("[a-z0-9:.]{1,10}", 1..200),
        ) {
            let text = words.join(" ");
            for passage in cut(&text, 60, 20) {
                for word in text[passage].split_whitespace() {
                    prop_assert!(words.iter().any(|whole| whole == word), "{word}");
                }
            }
        }
    }

    fn parts(text: &str, size: usize, overlap: usize) -> Vec<&str> {
        cut(text, size, overlap)
            .into_iter()
            .map(|span| &text[span])
            .collect()
    }

    #[test]
    fn a_passage_begins_with_the_sentences_that_fit_into_the_overlap() {
        let text = "The beam was lost. RF tripped. Vacuum is good. We inject again now.";

        assert_eq!(
            parts(text, 50, 20),
            [
                "The beam was lost. RF tripped. Vacuum is good. ",
                "Vacuum is good. We inject again now."
            ]
        );
    }

    #[test]
    fn without_a_sentence_end_lines_are_cut_then_words_then_anywhere() {
        assert_eq!(
            parts("one two\nthree four", 15, 0),
            ["one two\n", "three four"]
        );
        assert_eq!(
            parts("one two three four", 12, 0),
            ["one two ", "three four"]
        );
        assert_eq!(parts("onetwothreefour", 6, 0), ["onetwo", "threef", "our"]);
    }

    #[test]
    fn an_empty_text_has_no_passage() {
        assert!(cut("", 10, 0).is_empty());
    }
}
