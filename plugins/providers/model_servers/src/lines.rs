//! Splits a stream of bytes into lines.

/// The bytes of an incomplete line.
#[derive(Default)]
pub(crate) struct Lines {
    rest: Vec<u8>,
    has_begun: bool,
}

impl Lines {
    /// The lines that a chunk completes, without line ends.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<String> {
        // The bytes before the chunk contain no line end.
        let mut from = self.rest.len();
        self.rest.extend_from_slice(piece);
        let mut lines = Vec::new();
        let mut start = 0;
        while let Some(at) = self.rest[from..].iter().position(|byte| *byte == b'\n') {
            let end = from + at;
            let line = self.rest[start..end].to_vec();
            lines.push(self.text(&line));
            start = end + 1;
            from = start;
        }
        self.rest.drain(..start);
        lines
    }

    /// Number of bytes of the incomplete line.
    pub(crate) fn open_bytes(&self) -> usize {
        self.rest.len()
    }

    /// The last line, if it has no line end.
    pub(crate) fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.rest);
        (!rest.is_empty()).then(|| self.text(&rest))
    }

    fn text(&mut self, line: &[u8]) -> String {
        let text = String::from_utf8_lossy(line);
        let mut text = text.strip_suffix('\r').unwrap_or(&text);
        if !self.has_begun {
            text = text.strip_prefix('\u{feff}').unwrap_or(text);
            self.has_begun = true;
        }
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_the_same_however_they_are_cut(
            text in "[ab\u{e9}\u{20ac}\n\r]{0,40}",
            cuts in proptest::collection::vec(1_usize..7, 1..50),
        ) {
            let whole: Vec<&str> = text.split('\n').collect();
            let mut lines = Lines::default();
            let mut got = Vec::new();
            let mut bytes = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if bytes.is_empty() {
                    break;
                }
                let (piece, rest) = bytes.split_at((*cut).min(bytes.len()));
                got.extend(lines.push(piece));
                bytes = rest;
            }
            got.push(lines.rest().unwrap_or_default());
            let expected: Vec<&str> = whole
                .iter()
                .map(|line| line.strip_suffix('\r').unwrap_or(line))
                .collect();
            prop_assert_eq!(got, expected);
        }
    }
}
