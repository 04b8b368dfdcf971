//! Damages bytes by chance, and reads the results.
//!
//! [`check`] reads a thousand damaged copies of seeds; the same ones in
//! every run. With `GANNET_MUTATION_SECONDS` it goes on for so many seconds,
//! with other copies in each run. A panic, a copy that takes long and memory
//! beyond the limit fail the test, and the copy is kept in a file.

// A check of tests: what fails here fails the test.
#![allow(clippy::expect_used, clippy::panic)]

mod mutator;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub use mutator::Mutator;

/// Copies that are read where no time is set.
const COPIES: usize = 1_000;
/// Longer than this, even in a build without optimisation, is a hang.
const LONGEST: Duration = Duration::from_secs(10);
/// Memory of the process, in KiB.
const MOST_MEMORY: u64 = 1 << 20;

/// Reads damaged copies, which `copy` makes.
///
/// # Panics
/// If `read` panics, takes long or takes much memory.
pub fn check(
    name: &str,
    mut copy: impl FnMut(&mut Mutator) -> Vec<u8>,
    mut read: impl FnMut(&[u8]),
) {
    let seconds = std::env::var("GANNET_MUTATION_SECONDS").ok();
    let seconds = seconds.map(|seconds| seconds.parse().expect("a number of seconds"));
    let limit = seconds.map(Duration::from_secs);
    let seed = match limit {
        None => 1,
        Some(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(1, |now| now.as_secs())
        }
    };
    let mut mutator = Mutator::new(seed);
    let began = Instant::now();
    let mut copies = 0;
    while limit.map_or(copies < COPIES, |limit| began.elapsed() < limit) {
        copies += 1;
        let bytes = copy(&mut mutator);
        let started = Instant::now();
        let read = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        if let Err(panic) = read {
            eprintln!(
                "{name}: copy {copies} of seed {seed}: {}",
                keep(name, &bytes)
            );
            resume_unwind(panic);
        }
        let took = started.elapsed();
        if took > LONGEST {
            panic!("{name}: {took:?} for {}", keep(name, &bytes));
        }
        if let Some(memory) = memory().filter(|memory| *memory > MOST_MEMORY) {
            panic!("{name}: {memory} KiB at {}", keep(name, &bytes));
        }
    }
    println!("{name}: {copies} copies in {:?}", began.elapsed());
}

/// The most memory that this process had, in KiB; known on Linux.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    most.split_whitespace().next()?.parse().ok()
}

/// Keeps a copy that failed, and tells where.
fn keep(name: &str, bytes: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("gannet-mutation-{name}"));
    std::fs::write(&path, bytes).expect("the temporary folder can be written");
    path.display().to_string()
}
