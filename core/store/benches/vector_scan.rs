//! The vector scan beside an exact f32 scan as its yardstick.
//!
//! ```text
//! cargo bench -p gannet-store --bench vector_scan
//! GANNET_BENCH_ROWS=20000,100000,1000000 cargo bench -p gannet-store --bench vector_scan
//! ```
//!
//! The vectors are pseudo-random around centres of centres, the same on every
//! machine. With `GANNET_BENCH_VECTORS=file` they are read from a file of
//! little-endian f32 instead, 384 a row. Before the timings, recall against
//! the exact scan and the time from opening to the first hit are printed.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod corpus;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

use corpus::sized;
use corpus::vectors::{DIMENSION, Random, Vectors, dot};
use divan::Bencher;
use gannet_index::{Bitmap, VectorSpec};
use gannet_index_flat::FlatIndex;
use gannet_vectors::kernels::kernel_names;

static QUERIES: LazyLock<usize> = LazyLock::new(|| sized(100, 20));
const LIMIT: usize = 10;

static ROWS: LazyLock<Vec<usize>> = LazyLock::new(|| match std::env::var("GANNET_BENCH_ROWS") {
    Ok(rows) => rows
        .split(',')
        .map(|count| count.trim().parse().unwrap())
        .collect(),
    Err(_) => vec![sized(20_000, 500), sized(100_000, 1_000)],
});

fn main() {
    println!("kernels: {}", kernel_names().join(", "));
    ROWS.iter().for_each(|&rows| report(rows));
    divan::main();
    ROWS.iter()
        .for_each(|&rows| fs::remove_dir_all(folder_of(rows)).unwrap());
}

#[divan::bench(args = ROWS.iter())]
fn search(bencher: Bencher, rows: usize) {
    let corpus = corpus(rows);
    let mut queries = corpus.queries.iter().cycle();
    bencher.bench_local(|| corpus.index.search(queries.next().unwrap(), LIMIT, None));
}

#[divan::bench(args = ROWS.iter())]
fn search_for_200(bencher: Bencher, rows: usize) {
    let corpus = corpus(rows);
    let mut queries = corpus.queries.iter().cycle();
    bencher.bench_local(|| corpus.index.search(queries.next().unwrap(), 200, None));
}

#[divan::bench(args = ROWS.iter())]
fn search_one_row_in_a_hundred(bencher: Bencher, rows: usize) {
    let corpus = corpus(rows);
    let mut queries = corpus.queries.iter().cycle();
    let allowed = Some(&corpus.one_in_a_hundred);
    bencher.bench_local(|| corpus.index.search(queries.next().unwrap(), LIMIT, allowed));
}

#[divan::bench(args = ROWS.iter())]
fn search_every_third_row(bencher: Bencher, rows: usize) {
    let corpus = corpus(rows);
    let mut queries = corpus.queries.iter().cycle();
    let allowed = Some(&corpus.one_in_three);
    bencher.bench_local(|| corpus.index.search(queries.next().unwrap(), LIMIT, allowed));
}

#[divan::bench(args = ROWS.iter(), sample_count = 20)]
fn exact_f32(bencher: Bencher, rows: usize) {
    let corpus = corpus(rows);
    let mut queries = corpus.queries.iter().cycle();
    bencher.bench_local(|| corpus.exact(queries.next().unwrap(), LIMIT, |_| true));
}

#[divan::bench(args = ROWS.iter(), sample_count = 20)]
fn open_and_search(bencher: Bencher, rows: usize) {
    let corpus = corpus(rows);
    bencher.bench_local(|| {
        let index = FlatIndex::open(&corpus.folder, spec()).unwrap();
        index.search(&corpus.queries[0], LIMIT, None)
    });
}

struct Corpus {
    folder: PathBuf,
    index: FlatIndex,
    queries: Vec<Vec<f32>>,
    one_in_a_hundred: Bitmap,
    one_in_three: Bitmap,
}

/// The corpora are made once and live as long as the process.
fn corpus(rows: usize) -> &'static Corpus {
    static CORPORA: LazyLock<Mutex<HashMap<usize, &'static Corpus>>> =
        LazyLock::new(Mutex::default);
    let mut corpora = CORPORA.lock().unwrap();
    corpora
        .entry(rows)
        .or_insert_with(|| Box::leak(Box::new(Corpus::new(rows))))
}

fn folder_of(rows: usize) -> PathBuf {
    std::env::temp_dir().join(format!("gannet-bench-{}-{rows}", std::process::id()))
}

fn spec() -> VectorSpec {
    VectorSpec {
        model: "bench".into(),
        dimension: DIMENSION,
    }
}

impl Corpus {
    fn new(rows: usize) -> Self {
        let folder = folder_of(rows);
        let mut index = FlatIndex::create(&folder, spec()).unwrap();
        let mut vectors = Vectors::new(rows);
        let start = Instant::now();
        for key in 0..rows {
            index.insert(key as u64, &vectors.row()).unwrap();
        }
        let inserted = start.elapsed();
        index.seal(rows as u64).unwrap();
        println!(
            "{rows}: made and inserted in {inserted:?}, sealed in {:?}",
            start.elapsed() - inserted
        );
        let mut random = Random(77);
        let mut one_in = |count: u64| {
            let mut bitmap = Bitmap::new(rows);
            (0..rows)
                .filter(|_| random.next().is_multiple_of(count))
                .for_each(|row| bitmap.set(row));
            bitmap
        };
        Self {
            one_in_a_hundred: one_in(100),
            one_in_three: one_in(3),
            queries: (0..*QUERIES).map(|_| vectors.row()).collect(),
            folder,
            index,
        }
    }

    /// The rows of highest cosine, by computing all cosines in f32.
    fn exact(&self, query: &[f32], limit: usize, allowed: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut scored: Vec<(f32, usize)> = (0..self.index.rows())
            .filter(|&row| allowed(row))
            .map(|row| (dot(query, &self.index.vector(row).unwrap_or_default()), row))
            .collect();
        let limit = limit.min(scored.len());
        scored.select_nth_unstable_by(limit.saturating_sub(1), |a, b| b.0.total_cmp(&a.0));
        scored.truncate(limit);
        scored.into_iter().map(|(_, row)| row).collect()
    }

    fn recall(&self, limit: usize, allowed: Option<&Bitmap>) -> f64 {
        let queries = &self.queries[..QUERIES.min(100_000_000 / self.index.rows()).max(20)];
        let mut found = 0;
        let mut wanted = 0;
        for query in queries {
            let is_allowed = |row| allowed.is_none_or(|allowed| allowed.get(row));
            let exact: HashSet<usize> = self.exact(query, limit, is_allowed).into_iter().collect();
            let hits = self.index.search(query, limit, allowed).unwrap();
            found += hits.iter().filter(|hit| exact.contains(&hit.row)).count();
            wanted += exact.len();
        }
        found as f64 / wanted as f64
    }
}

fn report(rows: usize) {
    let corpus = corpus(rows);
    println!(
        "{rows}: recall@10 {:.4}, @10 of 1 % {:.4}, @10 of a third {:.4}, @200 {:.4}",
        corpus.recall(LIMIT, None),
        corpus.recall(LIMIT, Some(&corpus.one_in_a_hundred)),
        corpus.recall(LIMIT, Some(&corpus.one_in_three)),
        corpus.recall(200, None),
    );
    let start = Instant::now();
    let index = FlatIndex::open(&corpus.folder, spec()).unwrap();
    let opened = start.elapsed();
    index.search(&corpus.queries[0], LIMIT, None).unwrap();
    println!(
        "{rows}: opened in {opened:?}, first hits after {:?}",
        start.elapsed()
    );
    let start = Instant::now();
    index.verify().unwrap();
    println!("{rows}: verified in {:?}", start.elapsed());
}
