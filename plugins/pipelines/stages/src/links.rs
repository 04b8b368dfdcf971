//! Takes links out of a model's answer. What a model was given may ask it to
//! lead a reader elsewhere, or to make a program that shows the answer fetch
//! something; an answer cites entries and needs no address.

/// Stands in the place of an address.
const REMOVED: &str = "(link removed)";
/// What words begin with that may become an address.
const OPENINGS: [&str; 5] = ["http", "https", "ftp", "file", "www."];
/// Characters that end an address within a word.
const AFTER_ADDRESS: [char; 8] = [')', ']', '>', '<', '"', '\'', '`', '|'];

/// Takes links out of a text that comes in pieces. A word that may become an
/// address waits for its end.
#[derive(Debug, Default)]
pub(crate) struct LinkFilter {
    held_back: String,
    /// How many were taken out.
    pub(crate) removed: usize,
}

impl LinkFilter {
    /// Takes a piece and gives what can be shown now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held_back.push_str(piece);
        let pending = std::mem::take(&mut self.held_back);
        let last_word = pending.rfind(char::is_whitespace).map_or(0, |at| {
            at + pending[at..].chars().next().map_or(0, char::len_utf8)
        });
        let shown = match may_become_a_link(&pending[last_word..]) {
            true => last_word,
            false => pending.len(),
        };
        self.held_back.push_str(&pending[shown..]);
        self.without_links(&pending[..shown])
    }

    /// Gives the rest.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held_back);
        self.without_links(&rest)
    }

    fn without_links(&mut self, text: &str) -> String {
        if !text.contains("://") && !text.contains("www.") && !text.contains("](") {
            return text.replace("![", "[");
        }
        let mut kept = String::with_capacity(text.len());
        for word in text.split_inclusive(char::is_whitespace) {
            let end = word.trim_end_matches(char::is_whitespace).len();
            kept.push_str(&self.without_address(&word[..end]));
            kept.push_str(&word[end..]);
        }
        kept.replace("![", "[")
    }

    /// One word without its addresses; the target of a Markdown link goes
    /// whatever it is.
    fn without_address(&mut self, word: &str) -> String {
        let Some((start, length)) = address(word) else {
            return word.to_owned();
        };
        self.removed += 1;
        let rest = self.without_address(&word[start + length..]);
        format!("{}{REMOVED}{rest}", &word[..start])
    }
}

/// Where the first address of a word is, and how long.
fn address(word: &str) -> Option<(usize, usize)> {
    let target = word.find("](").map(|at| at + 1);
    let scheme = word.find("://").map(|at| {
        let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        at - (word[..at].len() - word[..at].trim_end_matches(is_of_scheme).len())
    });
    let host = word.to_ascii_lowercase().find("www.");
    let start = [target, scheme, host].into_iter().flatten().min()?;
    let inside = &word[start..];
    let length = match inside.starts_with('(') {
        true => inside.find(')').map_or(inside.len(), |at| at + 1),
        false => inside.find(AFTER_ADDRESS).unwrap_or(inside.len()),
    };
    Some((start, length.max(1)))
}

fn may_become_a_link(word: &str) -> bool {
    if word.ends_with([':', '!', ']']) || word.ends_with(":/") {
        return true;
    }
    if word.contains("://") || word.contains("](") {
        return true;
    }
    let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.to_ascii_lowercase();
    let mut openings = OPENINGS.iter();
    let may_open = bare.starts_with("www.") || openings.any(|opening| opening.starts_with(&bare));
    !bare.is_empty() && may_open
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filtered(text: &str) -> (String, usize) {
        let mut filter = LinkFilter::default();
        let shown = filter.push(text) + &filter.finish();
        (shown, filter.removed)
    }

    #[test]
    fn addresses_go_and_words_stay() {
        for (text, kept) in [
            (
                "See https://a.example/x?q=1 now.",
                "See (link removed) now.",
            ),
            ("![status](http://a.example/y)", "[status](link removed)"),
            ("[manual](//a.example)", "[manual](link removed)"),
            ("<ftp://a.example>", "<(link removed)>"),
            ("www.example.com/x", "(link removed)"),
            ("a://b://c", "(link removed)"),
        ] {
            assert_eq!(filtered(text).0, kept, "{text}");
            assert_eq!(filtered(text).1, 1, "{text}");
        }
        for text in [
            "SR03C:RF:CAV1 at 04:41 [#A], and/or [x] (see [#B]).",
            "Wow! It failed: http is down.",
        ] {
            assert_eq!(filtered(text), (text.to_owned(), 0));
        }
    }

    proptest! {
        #[test]
        fn no_address_comes_through_in_any_pieces(
            text in "([a-z]{0,3}|http|s|://|www\\.|\\]\\(|!\\[|\\)|:|/| |é|\n){0,24}",
            cuts in prop::collection::vec(0_usize..60, 0..8),
        ) {
            let mut filter = LinkFilter::default();
            let mut shown = String::new();
            let mut rest = text.as_str();
            for cut in cuts {
                let at = rest.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(rest.len());
                let (piece, later) = rest.split_at(at);
                shown.push_str(&filter.push(piece));
                rest = later;
            }
            shown.push_str(&filter.push(rest));
            shown.push_str(&filter.finish());
            prop_assert!(!shown.contains("://"), "{shown}");
            prop_assert!(!shown.contains("!["), "{shown}");
            let targets = shown.matches("](").count();
            prop_assert_eq!(targets, shown.matches("](link removed)").count(), "{}", shown);
        }
    }
}
