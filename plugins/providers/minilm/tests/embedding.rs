//! What callers rely on, whatever the model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_minilm::MiniLm;
use proptest::prelude::*;

#[test]
fn the_builtin_model_says_what_it_is() {
    let model = MiniLm::builtin().unwrap();
    assert_eq!(model.model_id(), "all-MiniLM-L6-v2");
    assert_eq!(model.variant(), "int8");
    assert_eq!(model.dimension(), 384);
    assert_eq!(model.max_tokens(), 256);
    assert_eq!(model.count_tokens("beam trip"), 4);
}

#[test]
fn many_texts_on_many_threads_equal_one_after_the_other() {
    let model = MiniLm::builtin().unwrap();
    let texts: Vec<String> = (0..23)
        .map(|n| "pump tripped again ".repeat(n * 7 % 11))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let single: Vec<_> = texts
        .iter()
        .map(|text| model.embed_one(text).unwrap())
        .collect();
    for threads in [0, 1, 2, 7, 64] {
        assert!(
            model.embed(&texts, threads).unwrap() == single,
            "{threads} threads"
        );
    }
    assert!(model.embed(&[], 4).unwrap().is_empty());
}

#[test]
fn text_beyond_the_limit_does_not_count() {
    let model = MiniLm::builtin().unwrap();
    let full = "valve ".repeat(254);
    let longer = "valve ".repeat(400);
    assert_eq!(model.count_tokens(&full), 256);
    assert_eq!(model.count_tokens(&longer), 402);
    assert_eq!(
        model.embed_one(&full).unwrap(),
        model.embed_one(&longer).unwrap()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_text_has_a_vector_of_length_one(text in any::<String>()) {
        let vector = MiniLm::builtin().unwrap().embed_one(&text).unwrap();
        prop_assert_eq!(vector.len(), 384);
        let length: f32 = vector.iter().map(|x| x * x).sum();
        prop_assert!((length - 1.0).abs() < 1e-5, "{}", length);
    }
}
