//! When a task in the background ran last, and when it runs again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

/// The times of one task; written by it, read by whoever asks.
#[derive(Debug, Default)]
pub(crate) struct Schedule(Mutex<TaskTimes>);

/// When a task ran and runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TaskTimes {
    /// Whether it runs now.
    pub is_running: bool,
    /// When it ended last, since the service started.
    pub last: Option<Timestamp>,
    /// Whether it failed then.
    pub has_failed: bool,
    /// When it runs again, where that is known.
    pub next: Option<Timestamp>,
}

impl Schedule {
    pub fn begin(&self) {
        let mut times = self.lock();
        times.is_running = true;
        times.next = None;
    }

    pub fn end(&self, has_failed: bool, next: Option<Timestamp>) {
        *self.lock() = TaskTimes {
            is_running: false,
            last: Some(Timestamp::now()),
            has_failed,
            next,
        };
    }

    pub fn times(&self) -> TaskTimes {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, TaskTimes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_task_that_runs_has_no_next_time() {
        let schedule = Schedule::default();
        assert_eq!(schedule.times(), TaskTimes::default());
        schedule.end(true, Some(Timestamp::MAX));
        let ended = schedule.times();
        assert!(ended.has_failed && ended.last.is_some());
        assert_eq!(ended.next, Some(Timestamp::MAX));
        schedule.begin();
        let running = schedule.times();
        assert!(running.is_running && running.next.is_none());
        assert_eq!(running.last, ended.last);
    }
}
