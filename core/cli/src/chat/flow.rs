//! Wraps streamed text into lines.

/// Wraps lines while the text arrives; a word is held back until it is complete.
#[derive(Debug)]
pub struct Flow {
    width: usize,
    indent: &'static str,
    column: usize,
    word: String,
}

impl Flow {
    /// Lines of at most this many columns, including the indent.
    pub fn new(width: usize, indent: &'static str) -> Self {
        Self {
            width: width.max(indent.len() + 20),
            indent,
            column: 0,
            word: String::new(),
        }
    }

    /// Adds text and returns what can be shown.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for letter in piece.chars() {
            match letter {
                '\n' => {
                    self.release(&mut shown);
                    self.end_line(&mut shown);
                }
                space if space.is_whitespace() => self.release(&mut shown),
                letter => self.word.push(letter),
            }
        }
        shown
    }

    /// Returns the rest, with a line end.
    pub fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.release(&mut shown);
        if self.column > 0 {
            self.end_line(&mut shown);
        }
        shown
    }

    fn release(&mut self, shown: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let length = word.chars().count();
        if self.column > 0 && self.column + 1 + length > self.width {
            self.end_line(shown);
        }
        if self.column == 0 {
            shown.push_str(self.indent);
            self.column = self.indent.len();
        } else {
            shown.push(' ');
            self.column += 1;
        }
        shown.push_str(&word);
        self.column += length;
    }

    fn end_line(&mut self, shown: &mut String) {
        shown.push('\n');
        self.column = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_wherever_the_pieces_end() {
        let text = "The cavity tripped on reflected power [#DEMO-7].\nIt was reset.";
        let mut whole = Flow::new(30, "  ");
        let at_once = whole.push(text) + &whole.finish();
        let mut letters = Flow::new(30, "  ");
        let mut one_by_one = String::new();
        for letter in text.chars() {
            one_by_one += &letters.push(&letter.to_string());
        }
        one_by_one += &letters.finish();
        assert_eq!(at_once, one_by_one);
        assert_eq!(
            at_once,
            "  The cavity tripped on\n  reflected power [#DEMO-7].\n  It was reset.\n"
        );
    }

    #[test]
    fn a_word_longer_than_a_line_stands_alone() {
        let mut flow = Flow::new(22, "  ");
        let word = "x".repeat(40);
        let shown = flow.push(&format!("a {word} b")) + &flow.finish();
        assert_eq!(shown, format!("  a\n  {word}\n  b\n"));
    }
}
