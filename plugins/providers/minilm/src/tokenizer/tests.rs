#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write;

use proptest::prelude::*;
use serde::Deserialize;

use super::Tokenizer;
use crate::{Error, MiniLm};

#[derive(Deserialize)]
struct Golden {
    text: String,
    ids: Vec<u32>,
}

fn builtin() -> &'static Tokenizer {
    MiniLm::builtin().unwrap().tokenizer()
}

#[test]
fn ids_equal_those_of_the_reference_tokenizer() {
    let golden: Vec<Golden> =
        serde_json::from_str(include_str!("../../tests/tokens.json")).unwrap();
    assert!(golden.len() > 25);
    for Golden { text, ids } in golden {
        assert_eq!(builtin().encode(&text, usize::MAX), ids, "{text:?}");
    }
}

#[test]
fn a_small_vocabulary_is_split_greedily() {
    let vocabulary = "[UNK]\n[CLS]\n[SEP]\nbeam\n##line\n##li\nbe\n##ne\n.\n";
    let tokenizer = Tokenizer::new(vocabulary, true).unwrap();
    assert_eq!(tokenizer.vocabulary_size(), 9);
    assert_eq!(tokenizer.encode("Beamline.", 10), [1, 3, 4, 8, 2]);
    assert_eq!(tokenizer.encode("beam line", 10), [1, 3, 0, 2]);
    assert_eq!(tokenizer.encode("beamline.", 4), [1, 3, 4, 2]);
    assert_eq!(tokenizer.encode("beam", 0), [1, 2]);
}

#[test]
fn a_cased_model_keeps_case_and_accents() {
    let vocabulary = "[UNK]\n[CLS]\n[SEP]\nÉté\nete\n";
    let cased = Tokenizer::new(vocabulary, false).unwrap();
    let uncased = Tokenizer::new(vocabulary, true).unwrap();
    assert_eq!(cased.encode("Été", 10), [1, 3, 2]);
    assert_eq!(uncased.encode("Été", 10), [1, 4, 2]);
}

#[test]
fn a_vocabulary_without_a_separator_is_refused() {
    let error = Tokenizer::new("[UNK]\n[CLS]\nword\n", true).err().unwrap();
    assert!(matches!(&error, Error::Vocabulary { reason } if reason.contains("[SEP]")));
}

#[test]
fn lines_may_end_in_carriage_returns() {
    let tokenizer = Tokenizer::new("[UNK]\r\n[CLS]\r\n[SEP]\r\nword\r\n", true).unwrap();
    assert_eq!(tokenizer.encode("word", 10), [1, 3, 2]);
}

proptest! {
    #[test]
    fn any_text_gives_known_ids_between_the_two_marks(text in any::<String>()) {
        let ids = builtin().encode(&text, usize::MAX);
        prop_assert_eq!(ids[0], 101);
        prop_assert_eq!(ids[ids.len() - 1], 102);
        prop_assert!(ids.iter().all(|&id| (id as usize) < builtin().vocabulary_size()));
        prop_assert_eq!(ids.len(), builtin().count(&text));
    }

    #[test]
    fn a_limit_only_cuts_the_end(text in "[a-z\u{e0}-\u{ff}., ]{0,200}", limit in 2usize..60) {
        let whole = builtin().encode(&text, usize::MAX);
        let cut = builtin().encode(&text, limit);
        prop_assert_eq!(cut.len(), whole.len().min(limit));
        prop_assert_eq!(&cut[..cut.len() - 1], &whole[..cut.len() - 1]);
        prop_assert_eq!(cut[cut.len() - 1], 102);
    }

    #[test]
    fn case_and_white_space_do_not_matter(words in prop::collection::vec("[a-z]{1,12}", 0..20)) {
        let plain = words.join(" ");
        let other = words.iter().fold(String::new(), |mut text, word| {
            write!(text, "\n\t{}\u{3000}", word.to_uppercase()).unwrap();
            text
        });
        prop_assert_eq!(
            builtin().encode(&plain, usize::MAX),
            builtin().encode(&other, usize::MAX)
        );
    }
}
