//! Admission: how many searches run at once, how many wait, and for how long.
//! What is over is refused, so that accepted ones stay fast.

mod pace;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::pace::Pace;
use crate::problem::Problem;

/// The searches of one sort that run at once, and those that wait for them.
pub(crate) struct Lane {
    running: Arc<Semaphore>,
    size: usize,
    waiting: AtomicUsize,
    max_waiting: usize,
    timeout: Duration,
    pace: Arc<Pace>,
}

/// The right to run, until it is dropped.
pub(crate) struct Permit {
    _place: OwnedSemaphorePermit,
    pace: Arc<Pace>,
    since: Instant,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.pace.took(self.since.elapsed());
    }
}

impl Lane {
    /// A lane in which so many run and so many wait, each for this long at
    /// most, and for less while the lane is overloaded (see [`Pace`]).
    pub fn new(size: usize, max_waiting: usize, timeout: Duration) -> Self {
        let size = size.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            running: Arc::new(Semaphore::new(size)),
            size,
            waiting: AtomicUsize::new(0),
            max_waiting,
            timeout,
            pace: Arc::default(),
        }
    }

    /// The right to run.
    ///
    /// # Errors
    /// 503 `overloaded` when the queue is full, or the time in it is over.
    pub async fn admit(&self) -> Result<Permit, Problem> {
        if let Ok(place) = self.running.clone().try_acquire_owned() {
            self.pace.found_place(Instant::now());
            return Ok(self.permit(place));
        }
        let limit = self.pace.found_none(Instant::now());
        let limit = limit.map_or(self.timeout, |limit| limit.min(self.timeout));
        match self.place_within(limit).await {
            Some(place) => Ok(self.permit(place)),
            None => {
                self.pace.refused(Instant::now());
                Err(overloaded())
            }
        }
    }

    /// A place that gets free while there is room in the queue.
    async fn place_within(&self, limit: Duration) -> Option<OwnedSemaphorePermit> {
        let _queued = Place::take(self)?;
        let place = self.running.clone().acquire_owned();
        tokio::time::timeout(limit, place).await.ok()?.ok()
    }

    fn permit(&self, place: OwnedSemaphorePermit) -> Permit {
        Permit {
            _place: place,
            pace: self.pace.clone(),
            since: Instant::now(),
        }
    }

    /// How many run.
    pub fn running(&self) -> usize {
        self.size - self.running.available_permits().min(self.size)
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// A place in the queue; given back also when the client goes away.
struct Place<'l>(&'l Lane);

impl<'l> Place<'l> {
    fn take(lane: &'l Lane) -> Option<Self> {
        let place = Self(lane);
        let before = lane.waiting.fetch_add(1, Ordering::Relaxed);
        (before < lane.max_waiting).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

fn overloaded() -> Problem {
    Problem::unavailable(
        "overloaded",
        "too many searches run at once; try again in a moment",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test]
    async fn one_runs_one_waits_and_the_third_is_refused() {
        let lane = Arc::new(Lane::new(1, 1, Duration::from_secs(60)));
        let first = lane.admit().await.unwrap();
        let second = tokio::spawn({
            let lane = lane.clone();
            async move { lane.admit().await.map(drop) }
        });
        while lane.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let third = lane.admit().await.map(drop).unwrap_err();
        assert_eq!((third.status, third.code), (503, "overloaded"));
        assert_eq!((lane.running(), lane.waiting()), (1, 1));
        drop(first);
        second.await.unwrap().unwrap();
        assert_eq!((lane.running(), lane.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn who_waits_too_long_is_refused_and_leaves_the_queue() {
        let lane = Lane::new(1, 1, Duration::ZERO);
        let _first = lane.admit().await.unwrap();
        assert!(lane.admit().await.is_err());
        assert_eq!(lane.waiting(), 0);
    }
}
