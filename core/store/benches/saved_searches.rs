//! Matching an entry against saved searches: by the index of their terms, and
//! by the flat scan over their vectors.
//!
//! ```text
//! cargo bench -p gannet-store --bench saved_searches
//! GANNET_BENCH_SEARCHES=100000 cargo bench -p gannet-store --bench saved_searches
//! ```
//!
//! Queries have one to four words that entries have, as often as they have
//! them; of a hundred, five are phrases, three exclude a word, two are patterns
//! of names, one is a filter alone. Every query has a vector too; an entry has
//! two passages. Vectors are pseudo-random.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod corpus;

use std::time::{Duration, Instant};

use corpus::vectors::{DIMENSION, Vectors};
use corpus::{Numbers, entry, sized};
use gannet_analysis::{Percolator, PercolatorBuilder};
use gannet_api::query::{QueryOptions, is_stop_word, parse};
use gannet_api::{Entry, Filter, QuerySyntax};
use gannet_vectors::ThresholdScan;
use gannet_vectors::kernels::kernel_names;

const PASSAGES: usize = 2;
const LEAST_COSINE: f32 = 0.5;

fn main() {
    let searches = number("GANNET_BENCH_SEARCHES", sized(10_000, 100));
    let entries: Vec<Entry> = (0..sized(1_000, 10)).map(entry).collect();
    println!("kernels: {}", kernel_names().join(", "));
    let begun = Instant::now();
    let percolator = percolator(searches, &entries);
    println!("{searches} searches, indexed in {:.1?}", begun.elapsed());
    let mut times = Vec::new();
    let mut matches = 0;
    for entry in &entries {
        let begun = Instant::now();
        matches += percolator.matches(entry).len();
        times.push(begun.elapsed());
    }
    report("words", times);
    println!(
        "  {:.2} matches an entry",
        matches as f64 / entries.len() as f64
    );

    let mut vectors = Vectors::new(searches);
    let mut scan = ThresholdScan::new(DIMENSION);
    for _ in 0..searches {
        scan.push(&vectors.row(), LEAST_COSINE).unwrap();
    }
    let (mut times, mut near) = (Vec::new(), 0);
    for _ in &entries {
        let passages: Vec<Vec<f32>> = (0..PASSAGES).map(|_| vectors.row()).collect();
        let begun = Instant::now();
        for passage in &passages {
            near += scan.near(passage).unwrap().len();
        }
        times.push(begun.elapsed());
    }
    report("vectors", times);
    println!("  {:.2} near an entry", near as f64 / entries.len() as f64);
}

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

/// Searches with words of other entries than those that are matched.
fn percolator(searches: usize, matched: &[Entry]) -> Percolator {
    let mut numbers = Numbers(7);
    let mut builder = PercolatorBuilder::default();
    let options = QueryOptions::default();
    for number in 0..searches {
        let text = query(number, &entry(matched.len() + number), &mut numbers);
        builder.add(
            parse(&text, QuerySyntax::Operators, &options),
            Filter::none(),
        );
    }
    builder.build(&[])
}

fn query(number: usize, source: &Entry, numbers: &mut Numbers) -> String {
    let words: Vec<&str> = source.raw_text.split_whitespace().collect();
    let content: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !is_stop_word(word))
        .collect();
    let mut some = |count: usize| -> Vec<&str> {
        (0..count)
            .map(|_| content[numbers.below(content.len())])
            .collect()
    };
    match number % 100 {
        0 => format!("author:\"{}\"", source.author),
        1 | 2 => format!("{}*", some(1)[0]),
        3..=5 => format!("{} -{}", some(2).join(" "), some(1)[0]),
        6..=10 => format!("\"{}\"", words[..2.min(words.len())].join(" ")),
        other => some(1 + other % 4).join(" "),
    }
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: mean {mean:.1?} an entry, p50 {:.1?}, p95 {:.1?}, most {:.1?}",
        at(0.5),
        at(0.95),
        at(1.0)
    );
}
