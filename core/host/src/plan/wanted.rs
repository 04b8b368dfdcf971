//! How many entries a question for the last or the first ones wants.

use std::ops::Range;

use gannet_api::Intent;

use super::language::Language;
use super::words::Word;

/// More are no number of entries that somebody reads.
const MOST: usize = 100;
/// Digits of such a number at most.
const MOST_DIGITS: usize = 3;
/// Words of such a number at most: "a couple of".
const MOST_WORDS: usize = 3;

/// A number of entries and where it stands in the text.
pub(super) type Wanted = (usize, Range<usize>);

/// The number beside the words that ask for an end of time: "the last three
/// trips", "les trois derniers". `taken` says which words belong to a time: "the
/// last three days" are one.
pub(super) fn number_beside(
    words: &[Word<'_>],
    language: &Language,
    order_words: &[Range<usize>],
    taken: impl Fn(usize) -> bool,
) -> Option<Wanted> {
    let asking = Asking { words, language };
    order_words.iter().find_map(|span| {
        let first = words
            .iter()
            .position(|word| word.span.start == span.start)?;
        let last = words.iter().position(|word| word.span.end == span.end)?;
        let number = asking.number_after(last);
        let (number, places) = number.or_else(|| asking.number_before(first))?;
        let is_taken = places.clone().any(&taken);
        let span = words[places.start].span.start..words[places.end - 1].span.end;
        (!is_taken && (2..=MOST).contains(&number)).then_some((number, span))
    })
}

/// The words of a question.
#[derive(Clone, Copy)]
struct Asking<'a> {
    words: &'a [Word<'a>],
    language: &'a Language,
}

impl Asking<'_> {
    /// "last three"; of "last 10 MW", "first three weeks" and "when two pumps
    /// last tripped" none.
    fn number_after(self, last: usize) -> Option<(usize, Range<usize>)> {
        let asking = &self.words[last];
        if asking.ends_clause || self.language.asks(Intent::When, &asking.folded) {
            return None;
        }
        let (number, end) = self.number_at(last + 1)?;
        let is_amount = self.language.units.at(self.words, end).is_some()
            || self
                .words
                .get(end)
                .is_some_and(|next| self.language.is_unit(&next.folded));
        (!is_amount).then_some((number, last + 1..end))
    }

    /// "the three latest"; of "unit 2 last tripped" none, so that an article or
    /// nothing stands before the number.
    fn number_before(self, first: usize) -> Option<(usize, Range<usize>)> {
        let mut starts = (first.saturating_sub(MOST_WORDS)..first).rev();
        starts.find_map(|start| {
            let (number, end) = self.number_at(start)?;
            let is_free = match start.checked_sub(1) {
                Some(before) => {
                    let before = &self.words[before];
                    before.ends_clause || self.language.articles.contains(&before.folded)
                }
                None => true,
            };
            (end == first && is_free).then_some((number, start..end))
        })
    }

    /// The number that begins with a word, in digits or in words, and the place
    /// after it.
    fn number_at(self, place: usize) -> Option<(usize, usize)> {
        if let Some((number, end)) = self.language.numbers.at(self.words, place) {
            return Some((usize::try_from(number).ok()?, end));
        }
        let word = self.words.get(place)?.text;
        let is_number = word.len() <= MOST_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.parse::<usize>().ok().filter(|_| is_number)?;
        Some((number, place + 1))
    }
}
