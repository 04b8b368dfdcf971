//! A text of which parts are taken out or replaced, and where the rest of it
//! is afterwards.

use std::ops::Range;

/// A text that is made of pieces of another one, in order, with other words
/// between them.
pub(super) struct RewrittenText<'t> {
    original: &'t str,
    text: String,
    pieces: Vec<Piece>,
}

/// A part of the original that is in the new text as it was.
struct Piece {
    original: Range<usize>,
    start: usize,
}

impl<'t> RewrittenText<'t> {
    /// Nothing of the original yet.
    pub fn of(original: &'t str) -> Self {
        Self {
            original,
            text: String::with_capacity(original.len()),
            pieces: Vec::new(),
        }
    }

    /// Adds a part of the original.
    pub fn copy(&mut self, range: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&self.original[range.clone()]);
        match self.pieces.last_mut() {
            Some(last) if last.original.end == range.start && last.end() == start => {
                last.original.end = range.end;
            }
            _ => self.pieces.push(Piece {
                original: range,
                start,
            }),
        }
    }

    /// Adds other words.
    pub fn insert(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// Takes the blanks at the end away.
    pub fn trim_end(&mut self) {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        self.pieces.retain(|piece| piece.start < end);
        if let Some(last) = self.pieces.last_mut() {
            let bytes = (end - last.start).min(last.original.len());
            last.original.end = last.original.start + bytes;
        }
    }

    /// Where a part of the original is in the new text; `None` where something
    /// of it was taken out.
    pub fn moved(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let holds =
            |piece: &&Piece| piece.original.start <= range.start && range.end <= piece.original.end;
        let piece = self.pieces.iter().find(holds)?;
        let start = piece.start + range.start - piece.original.start;
        Some(start..start + range.len())
    }

    /// The new text.
    pub fn into_text(self) -> String {
        self.text
    }
}

impl Piece {
    /// The end of the piece in the new text.
    fn end(&self) -> usize {
        self.start + self.original.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_where_its_piece_is() {
        let original = "It tripped [#Z-9]. It was reset [#A-1, #Z-9].";
        let mut text = RewrittenText::of(original);
        text.copy(0..11);
        text.trim_end();
        text.copy(17..32);
        text.insert("[#A-1]");
        text.copy(44..45);
        for (range, place) in [
            (0..10, Some(0..10)),
            (19..31, Some(12..24)),
            (44..45, Some(31..32)),
            (3..11, None),
            (11..17, None),
            (3..19, None),
            (32..36, None),
        ] {
            assert_eq!(text.moved(&range), place, "{range:?}");
        }
        assert_eq!(text.into_text(), "It tripped. It was reset [#A-1].");
    }

    #[test]
    fn pieces_that_follow_each_other_are_one() {
        let mut text = RewrittenText::of("pump [#A-1] failed");
        text.copy(0..5);
        text.copy(5..11);
        text.copy(11..18);
        assert_eq!(text.moved(&(0..18)), Some(0..18));
    }

    #[test]
    fn blanks_that_are_a_piece_of_their_own_are_taken_away() {
        let mut text = RewrittenText::of("[#A]  [#Z]");
        text.insert("[#B]");
        text.copy(4..6);
        text.trim_end();
        assert_eq!(text.moved(&(4..5)), None);
        assert_eq!(text.into_text(), "[#B]");
    }
}
