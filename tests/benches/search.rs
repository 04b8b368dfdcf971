//! What a question costs at 100,000 entries, through the whole host: reading
//! the query, searching, reading the entries that are shown.
//!
//! `cargo bench -p gannet-tests --bench search`. `GANNET_BENCH_STORE` names a
//! folder to build the store in and to keep; `corpus` says what is in it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod corpus;

use std::sync::LazyLock;

use corpus::{question_text, word};
use divan::Bencher;
use gannet_core::{Gannet, SearchInput};
use gannet_tests as _;
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

#[divan::bench(args = ["keyword", "semantic", "rag"])]
fn question(bencher: Bencher<'_, '_>, mode: &str) {
    let host = &*HOST;
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number += 1;
            question_text(number)
        })
        .bench_local_values(|text| {
            let mut input = SearchInput::new(text);
            input.mode = Some(mode.to_owned());
            host.runtime.block_on(host.gannet.search(input)).unwrap()
        });
}

#[divan::bench]
fn two_words_by_keyword(bencher: Bencher<'_, '_>) {
    let host = &*HOST;
    bencher.bench_local(|| {
        let mut input = SearchInput::new(format!("{} {}", word(300), word(900)));
        input.mode = Some("keyword".to_owned());
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
