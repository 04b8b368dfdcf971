//! Distributes texts over threads.

use std::cmp::Reverse;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::encoder::Scratch;

/// The results of `work` for each index below `count`, in order, computed by
/// `threads` threads (0: as many as the machine has). The longest are computed
/// first, so that no thread ends with a long one.
pub(crate) fn in_threads<T: Send>(
    count: usize,
    threads: usize,
    length_of: impl Fn(usize) -> usize,
    work: impl Fn(usize, &mut Scratch) -> T + Sync,
) -> Vec<T> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        given => given,
    };
    let mut longest_first: Vec<usize> = (0..count).collect();
    longest_first.sort_by_key(|&index| Reverse(length_of(index)));
    let next = AtomicUsize::new(0);
    let share = || {
        let mut scratch = Scratch::default();
        let mut done = Vec::new();
        while let Some(&index) = longest_first.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((index, work(index, &mut scratch)));
        }
        done
    };
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(count))
            .map(|_| scope.spawn(share))
            .collect();
        let mut place = |done: Vec<(usize, T)>| {
            for (index, result) in done {
                results[index] = Some(result);
            }
        };
        place(share());
        for helper in helpers {
            match helper.join() {
                Ok(done) => place(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    results.into_iter().flatten().collect()
}
