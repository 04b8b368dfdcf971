//! Pairs of texts: `[CLS] query [SEP] document [SEP]`.

use super::Tokenizer;

/// `[CLS]` and two `[SEP]`.
const SPECIAL_TOKENS: usize = 3;

/// The ids of a query, to be paired with many documents.
pub(crate) struct Query {
    ids: Vec<u32>,
}

/// The ids of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) ids: Vec<u32>,
    /// Where the document begins: from there on, tokens are of type 1.
    pub(crate) second: usize,
}

impl Tokenizer {
    /// The ids of a whole query.
    pub(crate) fn query(&self, text: &str) -> Query {
        let mut ids = Vec::new();
        self.append(text, usize::MAX, &mut ids);
        Query { ids }
    }

    /// The pair of a query and a document in at most `limit` ids (and never
    /// fewer than the three special ones). What is too long is cut as the
    /// Hugging Face `tokenizers` library does with `longest_first`.
    pub(crate) fn pair(&self, query: &Query, document: &str, limit: usize) -> Pair {
        let budget = limit.saturating_sub(SPECIAL_TOKENS);
        // Of a document beside a short query only the beginning matters.
        let enough = if query.ids.len() <= budget / 2 {
            budget
        } else {
            usize::MAX
        };
        let mut document_ids = Vec::new();
        self.append(document, enough, &mut document_ids);
        let (first, second) = longest_first(query.ids.len(), document_ids.len(), budget);

        let mut ids = Vec::with_capacity(first + second + SPECIAL_TOKENS);
        ids.push(self.begin);
        ids.extend(&query.ids[..first]);
        ids.push(self.end);
        let second_begins = ids.len();
        ids.extend(&document_ids[..second]);
        ids.push(self.end);
        Pair {
            ids,
            second: second_begins,
        }
    }
}

/// How much of two texts is kept. A text within half of the budget is kept
/// whole; of two longer ones each keeps half, and the longer one (the second,
/// if they are equal) has the odd token.
fn longest_first(first: usize, second: usize, budget: usize) -> (usize, usize) {
    if first + second <= budget {
        return (first, second);
    }
    let half = budget / 2;
    if first <= second {
        let kept = first.min(half);
        (kept, budget - kept)
    } else {
        let kept = second.min(half);
        (budget - kept, kept)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nbeam\nlost\npump\nvalve\n##s\nopen\n";

    /// One token after the other is taken from the end of the longer text;
    /// where both are as long, from the one that was not longer at first.
    fn cut_one_by_one(first: &mut Vec<u32>, second: &mut Vec<u32>, budget: usize) {
        let first_was_longer = first.len() > second.len();
        while first.len() + second.len() > budget {
            let take_first = match first.len().cmp(&second.len()) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Equal => !first_was_longer,
            };
            let longer = if take_first {
                &mut *first
            } else {
                &mut *second
            };
            longer.pop();
        }
    }

    /// The pair without any shortcut, from [`Tokenizer::encode`].
    fn naive_pair(tokenizer: &Tokenizer, query: &str, document: &str, limit: usize) -> Pair {
        let bare = |text: &str| {
            let ids = tokenizer.encode(text, usize::MAX);
            ids[1..ids.len() - 1].to_vec()
        };
        let (mut first, mut second) = (bare(query), bare(document));
        cut_one_by_one(&mut first, &mut second, limit.saturating_sub(3));
        let ids = [&[2], &first[..], &[3], &second, &[3]].concat();
        Pair {
            ids,
            second: first.len() + 2,
        }
    }

    fn text(words: usize) -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec!["beam", "lost", "pumps", "valve", "open", "moon"]);
        prop::collection::vec(word, 0..words).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn pairs_are_cut_like_one_token_after_the_other(
            query in text(30),
            document in text(60),
            limit in 3usize..64,
        ) {
            let tokenizer = Tokenizer::new(WORDS, true).unwrap();
            let pair = tokenizer.pair(&tokenizer.query(&query), &document, limit);
            prop_assert_eq!(pair, naive_pair(&tokenizer, &query, &document, limit));
        }

        #[test]
        fn a_cut_pair_fills_its_budget(first in 0usize..700, second in 0usize..700, budget in 0usize..600) {
            let (a, b) = longest_first(first, second, budget);
            prop_assert!(a <= first && b <= second);
            prop_assert_eq!(a + b, budget.min(first + second));
        }
    }

    #[derive(Deserialize)]
    struct Golden {
        query: String,
        document: String,
        ids: Vec<u32>,
        second: usize,
    }

    #[test]
    fn pairs_have_the_ids_of_the_reference_library() {
        let text = include_str!("../../tests/golden_cross_encoder.json");
        let golden: Vec<Golden> = serde_json::from_str(text).unwrap();
        let tokenizer = Tokenizer::new(WORDS, true).unwrap();
        assert!(golden.iter().any(|golden| golden.ids.len() == 40));
        for Golden {
            query,
            document,
            ids,
            second,
        } in golden
        {
            let pair = tokenizer.pair(&tokenizer.query(&query), &document, 40);
            assert_eq!(pair, Pair { ids, second }, "{query:?}, {document:?}");
        }
    }

    #[test]
    fn a_pair_within_the_limit_is_whole() {
        let tokenizer = Tokenizer::new(WORDS, true).unwrap();
        let pair = tokenizer.pair(&tokenizer.query("beam lost"), "valves open", 8);
        assert_eq!(pair.ids, [2, 4, 5, 3, 7, 8, 9, 3]);
        assert_eq!(pair.second, 4);
    }
}
