//! When a source is polled.

use std::time::Duration;

use jiff::Timestamp;

use crate::Stop;
use crate::config::{CronSchedule, WatchConfig};

/// How often a source that another process follows is asked for.
const ELSEWHERE: Duration = Duration::from_secs(30);
/// The longest wait for a time of a cron line: the clock may be set meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(600);
/// The wait after the first failure of what has a cron line.
const FIRST_RETRY: Duration = Duration::from_secs(30);

/// A source, as the scheduler sees it.
pub(super) trait Poll {
    /// Reads the source once.
    fn poll(&mut self) -> impl Future<Output = Polled> + Send;

    /// Ends when the source has probably changed since the last poll.
    fn changed(&mut self) -> impl Future<Output = ()> + Send;

    /// It waits so long for the next poll.
    fn waits(&mut self, wait: Duration) -> impl Future<Output = ()> + Send;
}

/// What came of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polled {
    /// It was read to its end, or needed no reading.
    Read,
    /// Another process follows the source.
    Elsewhere,
    /// It failed.
    Failed,
}

/// Why a source is not followed any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was asked to stop.
    Stopped,
    /// It was to be polled once, which did not fail.
    Done,
    /// It failed the one time that it was to be polled.
    Failed,
    /// It failed too often.
    GivenUp,
}

/// When there is a poll, as long as none fails.
#[derive(Debug, Clone)]
pub(super) enum Timing {
    /// So long after the end of the last one.
    Every(Duration),
    /// At the times of a cron line; in between there may be polls too.
    Cron(CronSchedule),
}

/// The times of a source.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    pub(super) timing: Timing,
    pub(super) policy: WatchConfig,
    /// Poll once, and no more.
    pub(super) once: bool,
}

impl Schedule {
    /// The wait for the next poll after so many failures in a row.
    fn interval(&self, failures: u32) -> Duration {
        match &self.timing {
            Timing::Every(interval) => self.policy.interval(*interval, failures),
            Timing::Cron(_) if failures > 0 => self.policy.interval(FIRST_RETRY, failures - 1),
            Timing::Cron(times) => {
                let now = Timestamp::now();
                let next = times.next_after(now);
                let wait = next.and_then(|next| now.duration_until(next).try_into().ok());
                wait.map_or(LONGEST_SLEEP, |wait: Duration| wait.min(LONGEST_SLEEP))
            }
        }
    }

    /// Polls until it is asked to stop, or the source fails too often.
    pub(super) async fn follow(self, source: &mut impl Poll, stop: &Stop) -> Ended {
        let mut failures = 0_u32;
        loop {
            let polled = source.poll().await;
            failures = match polled {
                Polled::Failed => failures.saturating_add(1),
                Polled::Read => 0,
                Polled::Elsewhere => failures,
            };
            if stop.is_raised() {
                return Ended::Stopped;
            }
            if self.once {
                return match failures {
                    0 => Ended::Done,
                    _ => Ended::Failed,
                };
            }
            if failures > 0 && failures >= self.policy.max_consecutive_failures {
                return Ended::GivenUp;
            }
            let wait = match polled {
                Polled::Elsewhere => self.interval(0).min(ELSEWHERE),
                Polled::Read | Polled::Failed => self.interval(failures),
            };
            source.waits(wait).await;
            tokio::select! {
                biased;
                () = stop.raised() => return Ended::Stopped,
                () = source.changed(), if polled == Polled::Read => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::VecDeque;

    use tokio::time::Instant;

    use super::*;

    /// A source that does what a script says, and then stops.
    struct Script {
        outcomes: VecDeque<Polled>,
        /// Seconds after which it changes, once.
        changes_after: Option<u64>,
        stop: Stop,
        started: Instant,
        /// When it was polled, in seconds.
        polls: Vec<u64>,
    }

    impl Script {
        fn of(outcomes: &[Polled], stop: &Stop) -> Self {
            Self {
                outcomes: outcomes.iter().copied().collect(),
                changes_after: None,
                stop: stop.clone(),
                started: Instant::now(),
                polls: Vec::new(),
            }
        }
    }

    impl Poll for Script {
        async fn poll(&mut self) -> Polled {
            self.polls.push(self.started.elapsed().as_secs());
            let outcome = self.outcomes.pop_front().unwrap_or(Polled::Read);
            if self.outcomes.is_empty() {
                self.stop.raise();
            }
            outcome
        }

        async fn changed(&mut self) {
            match self.changes_after {
                Some(seconds) => {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    self.changes_after = None;
                }
                None => std::future::pending().await,
            }
        }

        async fn waits(&mut self, _wait: Duration) {}
    }

    fn every(seconds: u64) -> Schedule {
        Schedule {
            timing: Timing::Every(Duration::from_secs(seconds)),
            policy: WatchConfig::default(),
            once: false,
        }
    }

    async fn times(schedule: Schedule, outcomes: &[Polled]) -> (Vec<u64>, Ended) {
        let stop = Stop::default();
        let mut script = Script::of(outcomes, &stop);
        let ended = schedule.follow(&mut script, &stop).await;
        (script.polls, ended)
    }

    use Polled::{Elsewhere, Failed, Read};

    #[tokio::test(start_paused = true)]
    async fn failures_lengthen_the_interval_until_a_poll_succeeds() {
        let outcomes = [Read, Failed, Failed, Read, Read, Read];
        let (polls, ended) = times(every(60), &outcomes).await;
        assert_eq!(polls, [0, 60, 180, 420, 480, 540]);
        assert_eq!(ended, Ended::Stopped);
    }

    #[tokio::test(start_paused = true)]
    async fn the_interval_has_a_cap_and_ten_failures_end_it() {
        let mut schedule = every(600);
        schedule.policy.max_interval_seconds = 1000;
        let (polls, ended) = times(schedule, &[Failed; 20]).await;
        assert_eq!(
            polls,
            [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]
        );
        assert_eq!(ended, Ended::GivenUp);
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_that_always_fails_is_polled_as_often_as_ariels() {
        let cases = gannet_test_cases::cases("ariel.jsonl", "scheduler");
        let of_failures = |case: &serde_json::Value| {
            let limit = case["input"]["max_consecutive_failures"].as_u64()?;
            Some((
                u32::try_from(limit).ok()?,
                case["expected"]["polls"].as_u64()?,
            ))
        };
        for (limit, polls) in cases.iter().filter_map(of_failures) {
            let mut schedule = every(1);
            schedule.policy.max_consecutive_failures = limit;
            let (times, ended) = times(schedule, &[Failed; 9]).await;
            assert_eq!((times.len() as u64, ended), (polls, Ended::GivenUp));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_that_another_process_follows_is_asked_for_every_half_minute() {
        let (polls, _) = times(every(3600), &[Elsewhere, Elsewhere, Read, Read]).await;
        assert_eq!(polls, [0, 30, 60, 3660]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_read_before_the_interval_is_over() {
        let stop = Stop::default();
        let mut script = Script::of(&[Read, Read, Read], &stop);
        script.changes_after = Some(5);
        every(60).follow(&mut script, &stop).await;
        assert_eq!(script.polls, [0, 5, 65]);
    }

    #[tokio::test(start_paused = true)]
    async fn one_poll_is_enough_where_one_is_wanted() {
        let once = Schedule {
            once: true,
            ..every(60)
        };
        assert_eq!(
            times(once.clone(), &[Read, Read]).await,
            (vec![0], Ended::Done)
        );
        assert_eq!(times(once, &[Failed, Read]).await, (vec![0], Ended::Failed));
    }
}
