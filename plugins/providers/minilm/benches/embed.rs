//! How long texts take on one thread.

#![allow(clippy::unwrap_used)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use gannet_minilm::MiniLm;

const QUESTION: &str = "why did the beam trip in sector four last night again";

fn main() {
    divan::main();
}

/// A text of a given number of tokens.
fn text_of(tokens: usize) -> String {
    let model = MiniLm::builtin().unwrap();
    let words = "the vacuum pump of the second ring was stopped by its interlock";
    let words: Vec<&str> = words.split(' ').collect();
    let mut text = String::new();
    for word in words.iter().cycle() {
        text.push_str(word);
        text.push(' ');
        if model.count_tokens(&text) >= tokens {
            break;
        }
    }
    assert_eq!(model.count_tokens(&text), tokens);
    text
}

#[divan::bench]
fn question_of_13_tokens(bencher: Bencher<'_, '_>) {
    let model = MiniLm::builtin().unwrap();
    assert_eq!(model.count_tokens(QUESTION), 13);
    bencher.bench(|| model.embed_one(black_box(QUESTION)));
}

#[divan::bench]
fn text_of_181_tokens(bencher: Bencher<'_, '_>) {
    let model = MiniLm::builtin().unwrap();
    let text = text_of(181);
    bencher
        .counter(ItemsCount::new(1usize))
        .bench(|| model.embed_one(black_box(&text)));
}

#[divan::bench]
fn tokens_of_a_text_of_181(bencher: Bencher<'_, '_>) {
    let model = MiniLm::builtin().unwrap();
    let text = text_of(181);
    bencher
        .counter(ItemsCount::new(181usize))
        .bench(|| model.tokenizer().encode(black_box(&text), 256));
}
