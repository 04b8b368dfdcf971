//! What a question costs at 100,000 entries, through the whole host: reading
//! the query, searching, reading the entries that are shown; and what it costs
//! to count a tenth of them, and those about a topic; and to find the events like
//! an entry, or like what is typed.
//!
//! `cargo bench -p gannet-tests --bench search`. `GANNET_BENCH_STORE` names a
//! folder to build the store in and to keep; `corpus` says what is in it.
//! `GANNET_BENCH_QUESTIONS` names a file of questions to ask of a store that
//! was filled otherwise; nothing else is timed then.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod corpus;

use std::sync::LazyLock;
use std::time::Instant;

use corpus::{ALL_STATED, AUTHORS, entry_id, event_text, question_text, word};
use divan::Bencher;
use gannet_core::{Gannet, SearchInput};
use gannet_tests as _;
use tokio::runtime::Runtime;

/// A tenth of the entries, and those of a year by one author about a word.
const SETS: [&str; 2] = ["fields", "topic"];
const MODES: [&str; 4] = ["keyword", "semantic", "rag", "unified"];
/// Questions whose times are ordered for the percentiles.
const QUESTIONS: u64 = 1_000;

fn main() {
    if corpus::has_questions() {
        // The first round reads the store into the memory of the system.
        MODES[..3].iter().for_each(|mode| {
            percentiles("first round", mode, question_text);
            percentiles(mode, mode, question_text);
        });
        return;
    }
    if corpus::is_bench() {
        let question = |number| question_text(1_000 + number);
        MODES
            .iter()
            .for_each(|mode| percentiles(mode, mode, question));
        for set in SETS {
            let question = |number| set_text(set, number);
            assert!(is_counted(question(0)), "{set}");
            percentiles(&format!("count by {set}"), "rag", question);
        }
        percentiles("recurrence of an entry", "recurrence", entry_id);
        percentiles("recurrence of a text", "recurrence", event_text);
        percentiles("recurrence with outcomes", ALL_STATED, entry_id);
        percentiles("thread", "thread", entry_id);
    }
    divan::main();
}

/// How many entries an author wrote, or wrote about a word in 2024.
fn set_text(set: &str, number: u64) -> String {
    let author = AUTHORS[number as usize % AUTHORS.len()];
    match set {
        "fields" => format!("how many entries by {author}"),
        _ => format!(
            "how many entries about {} by {author} in 2024",
            word(20 + number as usize)
        ),
    }
}

fn is_counted(question: String) -> bool {
    let host = &*HOST;
    let found = host.gannet.search(asked("rag", question));
    let found = host.runtime.block_on(found).unwrap();
    let details = found.pipeline_details.unwrap_or_default();
    details.get("set").is_some()
}

/// Prints the median and the 95th percentile over different questions.
fn percentiles(name: &str, mode: &str, question: impl Fn(u64) -> String) {
    let host = &*HOST;
    let time = |number| {
        let input = asked(mode, question(number));
        let began = Instant::now();
        host.runtime.block_on(host.gannet.search(input)).unwrap();
        began.elapsed()
    };
    let mut times: Vec<_> = (0..QUESTIONS).map(time).collect();
    times.sort();
    let at = |share: usize| times[times.len() * share / 100];
    println!("{name}: p50 {:?}, p95 {:?}", at(50), at(95));
}

fn asked(mode: &str, text: String) -> SearchInput {
    let mut input = SearchInput::new(text);
    input.mode = Some(mode.to_owned());
    input
}

#[divan::bench(args = MODES)]
fn question(bencher: Bencher<'_, '_>, mode: &str) {
    let host = &*HOST;
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number += 1;
            question_text(number)
        })
        .bench_local_values(|text| {
            host.runtime
                .block_on(host.gannet.search(asked(mode, text)))
                .unwrap()
        });
}

/// An entry of the store, and a text of thirty words.
#[divan::bench(args = ["entry", "text"])]
fn recurrence(bencher: Bencher<'_, '_>, of: &str) {
    let host = &*HOST;
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number += 1;
            match of {
                "entry" => entry_id(number),
                _ => event_text(number),
            }
        })
        .bench_local_values(|event| {
            host.runtime
                .block_on(host.gannet.search(asked(ALL_STATED, event)))
                .unwrap()
        });
}

#[divan::bench]
fn two_words_by_keyword(bencher: Bencher<'_, '_>) {
    let host = &*HOST;
    bencher.bench_local(|| {
        let input = asked("keyword", format!("{} {}", word(300), word(900)));
        host.runtime.block_on(host.gannet.search(input)).unwrap()
    });
}

struct Host {
    runtime: Runtime,
    gannet: Gannet,
    _scratch: tempfile::TempDir,
}

static HOST: LazyLock<Host> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let gannet = runtime.block_on(corpus::open(scratch.path(), &[]));
    Host {
        runtime,
        gannet,
        _scratch: scratch,
    }
});
