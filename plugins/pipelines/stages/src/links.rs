//! Takes links out of a model's answer. What a model was given may ask it to
//! lead a reader elsewhere, or to make a program that shows the answer fetch
//! something; an answer cites entries and needs no address.

/// Stands in the place of an address.
const REMOVED: &str = "(link removed)";
/// Schemes after whose colon an address begins even without slashes, as
/// browsers read it.
const SCHEMES: [&str; 11] = [
    "http:",
    "https:",
    "ftp:",
    "ftps:",
    "ws:",
    "wss:",
    "javascript:",
    "vbscript:",
    "data:",
    "mailto:",
    "www.",
];
/// Letters of a scheme that is not known, at most.
const SCHEME_AT_MOST: usize = 32;
/// Characters that end an address within a word.
const AFTER_ADDRESS: [char; 8] = [')', ']', '>', '<', '"', '\'', '`', '|'];

/// Takes links out of a text that comes in pieces. A word that may become an
/// address waits for its end.
#[derive(Debug, Default)]
pub(crate) struct LinkFilter {
    held_back: String,
    /// The last character before what is held back.
    before: Option<char>,
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

    /// A text without its addresses; the target of a Markdown link goes
    /// whatever it is, and no link is an image.
    fn without_links(&mut self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = address_at(rest, self.before);
            let taken = match length {
                Some(length) => {
                    self.removed += 1;
                    kept.push_str(REMOVED);
                    length
                }
                None => {
                    if first == '[' {
                        kept.truncate(kept.trim_end_matches('!').len());
                    }
                    kept.push(first);
                    first.len_utf8()
                }
            };
            self.before = length.map_or(Some(first), |_| None);
            rest = &rest[taken..];
        }
        kept
    }
}

/// How long the address is with which a text begins, if it does.
fn address_at(text: &str, before: Option<char>) -> Option<usize> {
    if text.starts_with('(') && before == Some(']') {
        return Some(end_of(text, char::is_whitespace));
    }
    let is_address = opens_with_slashes(text, before)
        || has_scheme_and_slashes(text)
        || has_known_scheme(text, before);
    let ends = |c: char| c.is_whitespace() || AFTER_ADDRESS.contains(&c);
    is_address.then(|| end_of(text, ends).max(1))
}

/// `//host`, as in a page: an address of the page's own scheme.
fn opens_with_slashes(text: &str, before: Option<char>) -> bool {
    if before.is_some_and(|c| c.is_alphanumeric() || is_slash(c)) {
        return false;
    }
    let inside = text.trim_start_matches(is_slash);
    let is_host = |c: char| c.is_alphanumeric() || c == '[';
    text.len() - inside.len() >= 2 && inside.starts_with(is_host)
}

/// `scheme://`, whatever the scheme.
fn has_scheme_and_slashes(text: &str) -> bool {
    let is_of_scheme = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = text.chars().take(SCHEME_AT_MOST).take_while(is_of_scheme);
    let after = text[scheme.count()..].strip_prefix(':');
    after.is_some_and(|after| after.starts_with(is_slash) && after[1..].starts_with(is_slash))
}

/// A scheme that is known, and something after it; or `www.`.
fn has_known_scheme(text: &str, before: Option<char>) -> bool {
    let begins_with = |scheme: &&str| {
        let beginning = text.get(..scheme.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme))
    };
    match SCHEMES.into_iter().find(begins_with) {
        None => false,
        Some("www.") => true,
        Some(scheme) => {
            let next = text[scheme.len()..].chars().next();
            let goes_on = |c: char| !c.is_whitespace() && !AFTER_ADDRESS.contains(&c);
            !before.is_some_and(char::is_alphanumeric) && next.is_some_and(goes_on)
        }
    }
}

fn is_slash(character: char) -> bool {
    matches!(character, '/' | '\\')
}

/// Where an address ends: at the first such character, or after the
/// parenthesis that closes the one it begins with. What it opens in
/// parentheses is part of it.
fn end_of(address: &str, ends: impl Fn(char) -> bool) -> usize {
    let mut open = 0_usize;
    for (at, character) in address.char_indices() {
        match character {
            '(' => open += 1,
            ')' if open > 0 => {
                open -= 1;
                if open == 0 && address.starts_with('(') {
                    return at + 1;
                }
            }
            _ if ends(character) => return at,
            _ => {}
        }
    }
    address.len()
}

fn may_become_a_link(word: &str) -> bool {
    if word.ends_with(['!', ']']) || word.contains([':', '/', '\\']) || word.contains("](") {
        return true;
    }
    let lower = word.to_ascii_lowercase();
    let before_letters = lower.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let letters = &lower[before_letters.len()..];
    let may_open = |opening: &str| !letters.is_empty() && opening.starts_with(letters);
    lower.contains("www.") || lower.ends_with('w') || SCHEMES.into_iter().any(may_open)
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
            ("[x]: //evil.example/z", "[x]: (link removed)"),
            ("[x]: https:evil.example", "[x]: (link removed)"),
            ("<img src=//evil.example/x>", "<img src=(link removed)>"),
            (
                "<img src=\"//evil.example/x\">",
                "<img src=\"(link removed)\">",
            ),
            ("(//evil.example)", "((link removed))"),
            ("https:/\\evil.example", "(link removed)"),
            ("HTTPS:\\\\evil.example", "(link removed)"),
            ("\\\\evil.example\\share", "(link removed)"),
            ("[click](javascript:alert(1))", "[click](link removed)"),
            ("JavaScript:alert(1).", "(link removed)"),
            ("data:text/html,x", "(link removed)"),
            ("mailto:a@evil.example", "(link removed)"),
            ("!![x](y)", "[x](link removed)"),
        ] {
            assert_eq!(filtered(text).0, kept, "{text}");
            assert_eq!(filtered(text).1, 1, "{text}");
        }
        for text in [
            "SR03C:RF:CAV1 at 04:41 [#A], and/or [x] (see [#B]).",
            "Wow! It failed: http is down.",
            "data: 5 values, // and /dev/sda, 1//2, metadata:x, C:\\dir, p < 3e-8.",
            "see (data:) at 12:30 and GTL:RF:CAV1:PWR",
        ] {
            assert_eq!(filtered(text), (text.to_owned(), 0));
        }
    }

    proptest! {
        #[test]
        fn no_address_comes_through_in_any_pieces(
            text in "([a-z]{0,3}|http|s|://|www\\.|\\]\\(|!\\[|\\)|:|/|\\\\| |é|\n){0,24}",
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
            prop_assert!(!shown.contains(" //a"), "{shown}");
            prop_assert!(!shown.contains("!["), "{shown}");
            let targets = shown.matches("](").count();
            prop_assert_eq!(targets, shown.matches("](link removed)").count(), "{}", shown);
        }
    }
}
