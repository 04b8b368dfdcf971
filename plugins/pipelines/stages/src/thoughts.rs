//! Takes out what a model thinks aloud between tags. It is no part of the
//! answer: it is not shown, and marks in it do not cite.

const OPENING: [&str; 2] = ["<think>", "<thinking>"];
const CLOSING: [&str; 2] = ["</think>", "</thinking>"];

/// A whole reply without its thoughts. One that never ends is dropped; before
/// an end without a beginning all is a thought, since some servers hand out
/// the reply from after the opening tag.
///
/// ```
/// use gannet_stages::without_thoughts;
///
/// assert_eq!(without_thoughts("<think>Is it A?</think>\n\nIt is B."), "It is B.");
/// assert_eq!(without_thoughts("Is it A?</think>It is B."), "It is B.");
/// assert_eq!(without_thoughts("It is B. <think>Or"), "It is B. ");
/// ```
pub fn without_thoughts(reply: &str) -> String {
    let mut filter = ThoughtFilter::default();
    let shown = filter.push(reply).text;
    shown + &filter.finish()
}

/// Takes thoughts out of a text that comes in pieces. What may become a tag
/// waits for its end.
#[derive(Debug, Default)]
pub(crate) struct ThoughtFilter {
    held_back: String,
    is_inside: bool,
    /// Whether spaces are dropped until something is said after a thought.
    skips_space: bool,
}

/// What can be shown of a piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// Whether all that came before this piece was a thought.
    pub(crate) begins_again: bool,
}

impl ThoughtFilter {
    /// Takes a piece and gives what can be shown now.
    pub(crate) fn push(&mut self, piece: &str) -> Shown {
        self.held_back.push_str(piece);
        let pending = std::mem::take(&mut self.held_back);
        let lower = pending.to_ascii_lowercase();
        let mut shown = Shown::default();
        let mut at = 0;
        while let Some((start, end, closes)) = self.next_tag(&lower, at) {
            if !self.is_inside {
                self.say(&pending[at..start], &mut shown.text);
            }
            if closes && !self.is_inside {
                shown.text.clear();
                shown.begins_again = true;
            }
            self.is_inside = !closes;
            self.skips_space |= closes;
            at = end;
        }
        let open = at + tag_begun(&lower[at..]);
        if !self.is_inside {
            self.say(&pending[at..open], &mut shown.text);
        }
        pending[open..].clone_into(&mut self.held_back);
        shown
    }

    /// Gives the rest; a thought that has not ended is none.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held_back);
        let mut text = String::new();
        if !self.is_inside {
            self.say(&rest, &mut text);
        }
        text
    }

    fn say(&mut self, text: &str, shown: &mut String) {
        let said = match self.skips_space {
            true => text.trim_start(),
            false => text,
        };
        self.skips_space &= said.is_empty();
        shown.push_str(said);
    }

    /// Where the next tag that counts begins and ends, and whether it closes
    /// a thought.
    fn next_tag(&self, lower: &str, from: usize) -> Option<(usize, usize, bool)> {
        let rest = &lower[from..];
        rest.match_indices('<').find_map(|(at, _)| {
            let tag_of = |tags: [&str; 2]| {
                let found = tags.into_iter().find(|tag| rest[at..].starts_with(tag));
                found.map(|tag| from + at + tag.len())
            };
            let closing = tag_of(CLOSING).map(|end| (from + at, end, true));
            match self.is_inside {
                true => closing,
                false => closing.or_else(|| tag_of(OPENING).map(|end| (from + at, end, false))),
            }
        })
    }
}

/// Where a tag begins whose end has not come yet; the text's length when
/// there is none.
fn tag_begun(lower: &str) -> usize {
    let at = lower.rfind('<').unwrap_or(lower.len());
    let begun = &lower[at..];
    let mut tags = OPENING.iter().chain(&CLOSING);
    match tags.any(|tag| tag.starts_with(begun)) {
        true => at,
        false => lower.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn thoughts_go_and_words_stay() {
        for (reply, kept) in [
            ("<think>a [#A]</think>\n\nIt tripped.", "It tripped."),
            ("<Thinking>a</Thinking> It tripped.", "It tripped."),
            ("It <think>hm</think> tripped.", "It tripped."),
            ("It tripped. <think>and", "It tripped. "),
            ("<think>a <think>b</think> c</think> d", "d"),
            ("hm</think>\nIt tripped.", "It tripped."),
        ] {
            assert_eq!(without_thoughts(reply), kept, "{reply}");
        }
        for text in [" I < 4 mA <b>now</b> <thin", "I think </x> <", ""] {
            assert_eq!(without_thoughts(text), text);
        }
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            pieces in prop::collection::vec(
                "(<think>|</think>|<thinking>|</|thi|nk>|ing>|a|é| |<){0,3}", 0..10,
            ),
        ) {
            let mut filter = ThoughtFilter::default();
            let mut shown = String::new();
            for piece in &pieces {
                let Shown { text, begins_again } = filter.push(piece);
                if begins_again {
                    shown.clear();
                }
                shown.push_str(&text);
            }
            shown.push_str(&filter.finish());
            prop_assert_eq!(shown, without_thoughts(&pieces.concat()));
        }
    }
}
