//! What the fuzz targets do, with the texts in `fuzz/seeds` and with what
//! becomes of them by cutting, joining and repeating.
#[path = "../../../../fuzz/fuzz_targets/any_text/mod.rs"]
mod any_text;

use std::path::Path;

use any_text::Fixture;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

fn seeds() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut seeds: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    seeds.sort();
    assert!(seeds.len() > 20, "{} seeds", seeds.len());
    seeds
}

/// The first characters of one seed, the last of another, some times over.
fn mixed() -> impl Strategy<Value = String> {
    let seeds = seeds();
    let parts = (
        select(seeds.clone()),
        select(seeds),
        0_usize..60,
        0_usize..60,
        1_usize..4,
    );
    parts.prop_map(|(one, other, kept, left_out, times)| {
        let beginning = one.chars().take(kept);
        let text: String = beginning.chain(other.chars().skip(left_out)).collect();
        text.repeat(times)
    })
}

#[test]
fn every_seed_is_read_and_searched() {
    let store = Fixture::new();
    for text in seeds() {
        any_text::read(&text);
        store.search(&text);
    }
}

#[test]
fn what_becomes_of_the_seeds_is_read_and_searched() {
    let store = Fixture::new();
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&mixed(), |text| {
        any_text::read(&text);
        store.search(&text);
        Ok(())
    });
    result.unwrap();
}
