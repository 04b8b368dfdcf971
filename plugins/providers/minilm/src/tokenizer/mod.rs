//! BERT's WordPiece tokenizer.
//!
//! It gives the same ids as the Hugging Face `tokenizers` library for an
//! uncased BERT vocabulary, including its habit of reading `[CLS]` and its
//! like in a text as the special token.

mod characters;
mod pair;
mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

use std::ops::{ControlFlow, Range};

use crate::Error;
pub(crate) use pair::Query;
use vocabulary::{Vocabulary, WordPosition};
use words::for_each_word;

/// A word of more characters is unknown as a whole.
const LONGEST_WORD: usize = 100;

const SPECIAL_NAMES: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Is told each word, and where its ids are.
type NoteWord<'a> = dyn FnMut(&str, Range<usize>) + 'a;

/// Cuts texts into the numbered word pieces of a BERT vocabulary.
pub struct Tokenizer {
    vocabulary: Vocabulary,
    lower_case: bool,
    special: Vec<(&'static str, u32)>,
    unknown: u32,
    begin: u32,
    end: u32,
}

/// A word of a text, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Without case and accents where the model wants it so.
    pub(crate) text: String,
    /// Which ids of the text are its pieces; not empty.
    pub(crate) pieces: Range<usize>,
}

impl Tokenizer {
    /// Reads a `vocab.txt`. With `lower_case` texts lose their case and
    /// accents first, as uncased models want it.
    ///
    /// # Errors
    /// When `[UNK]`, `[CLS]` or `[SEP]` is missing.
    pub fn new(vocabulary: &str, lower_case: bool) -> Result<Self, Error> {
        let vocabulary = Vocabulary::parse(vocabulary)?;
        let id_of = |name: &str| vocabulary.id(name.as_bytes(), WordPosition::Start);
        let required = |name: &str| {
            id_of(name).ok_or_else(|| Error::Vocabulary {
                reason: format!("it has no {name}"),
            })
        };
        let special = SPECIAL_NAMES
            .into_iter()
            .filter_map(|name| Some((name, id_of(name)?)))
            .collect();
        Ok(Self {
            special,
            unknown: required("[UNK]")?,
            begin: required("[CLS]")?,
            end: required("[SEP]")?,
            lower_case,
            vocabulary,
        })
    }

    /// The number of pieces in the vocabulary; every id is below it.
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// The ids of `text` between `[CLS]` and `[SEP]`, at most `limit` of them
    /// in all (and never fewer than those two).
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        self.encode_noting(text, limit, &mut |_, _| {})
    }

    /// The ids of [`encode`](Self::encode), and the words that they stand
    /// for; those that the vocabulary does not know are left out.
    pub(crate) fn encode_with_words(&self, text: &str, limit: usize) -> (Vec<u32>, Vec<Word>) {
        let mut words = Vec::new();
        let ids = self.encode_noting(text, limit, &mut |word, pieces| {
            words.push(Word {
                text: word.to_owned(),
                pieces,
            });
        });
        let end = ids.len() - 1;
        words.retain_mut(|word| {
            word.pieces.end = word.pieces.end.min(end);
            let pieces = ids.get(word.pieces.clone()).unwrap_or_default();
            !pieces.is_empty() && pieces != [self.unknown]
        });
        (ids, words)
    }

    fn encode_noting(&self, text: &str, limit: usize, note: &mut NoteWord<'_>) -> Vec<u32> {
        let most = limit.max(2) - 1;
        let mut ids = Vec::with_capacity(most.min(text.len() / 4 + 8) + 1);
        ids.push(self.begin);
        self.append_noting(text, most, &mut ids, note);
        ids.push(self.end);
        ids
    }

    /// How many ids the whole text has, with `[CLS]` and `[SEP]`.
    pub fn count(&self, text: &str) -> usize {
        self.encode(text, usize::MAX).len()
    }

    /// Appends the ids of a text until there are `most` in all.
    fn append(&self, text: &str, most: usize, ids: &mut Vec<u32>) {
        self.append_noting(text, most, ids, &mut |_, _| {});
    }

    fn append_noting(&self, text: &str, most: usize, ids: &mut Vec<u32>, note: &mut NoteWord<'_>) {
        // A break only says that the limit is reached.
        let _ = self.append_words(text, most, ids, note);
        ids.truncate(most);
    }

    fn append_words(
        &self,
        text: &str,
        most: usize,
        ids: &mut Vec<u32>,
        note: &mut NoteWord<'_>,
    ) -> ControlFlow<()> {
        let mut rest = text;
        loop {
            let special = self.find_special(rest);
            let plain_end = special.map_or(rest.len(), |(at, ..)| at);
            for_each_word(&rest[..plain_end], self.lower_case, &mut |word| {
                let first = ids.len();
                self.append_word(word, ids);
                note(word, first..ids.len());
                if ids.len() < most {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })?;
            let Some((at, length, id)) = special else {
                return ControlFlow::Continue(());
            };
            ids.push(id);
            rest = &rest[at + length..];
        }
    }

    /// Position, length and id of the first special token written out in a
    /// text.
    fn find_special(&self, text: &str) -> Option<(usize, usize, u32)> {
        for (at, _) in text.match_indices('[') {
            for (name, id) in &self.special {
                if text[at..].starts_with(name) {
                    return Some((at, name.len(), *id));
                }
            }
        }
        None
    }

    /// Greedy: the longest known piece, then the longest known continuation.
    fn append_word(&self, word: &str, ids: &mut Vec<u32>) {
        let first = ids.len();
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            ids.push(self.unknown);
            return;
        }
        let mut rest = word;
        let mut position = WordPosition::Start;
        while !rest.is_empty() {
            let Some((length, id)) = self.longest_piece(rest, position) else {
                ids.truncate(first);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[length..];
            position = WordPosition::Inside;
        }
    }

    fn longest_piece(&self, rest: &str, position: WordPosition) -> Option<(usize, u32)> {
        let mut end = rest.len().min(self.vocabulary.longest(position));
        while end > 0 {
            if rest.is_char_boundary(end)
                && let Some(id) = self.vocabulary.id(&rest.as_bytes()[..end], position)
            {
                return Some((end, id));
            }
            end -= 1;
        }
        None
    }
}
