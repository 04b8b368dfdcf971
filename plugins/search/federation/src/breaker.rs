//! The circuit breaker: a server that fails again and again is left alone for
//! a while, so that nobody waits for it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts failures in a row, and pauses after so many of them. After the pause
/// one request is let through: if it succeeds all are again, and if it fails
/// the next pause begins.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use gannet_federation::Breaker;
///
/// let breaker = Breaker::new(2, Duration::from_secs(30));
/// let now = Instant::now();
/// breaker.failed("no answer", now);
/// assert!(breaker.admit(now).is_ok());
/// breaker.failed("no answer", now);
/// assert!(breaker.admit(now).is_err());
/// ```
#[derive(Debug)]
pub struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    in_a_row: u32,
    last: String,
    /// Until when the server is left alone.
    until: Option<Instant>,
}

/// What a breaker says where it lets no request through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// How long the pause goes on.
    pub left: Duration,
    /// Failures in a row.
    pub failures: u32,
    /// The last of them.
    pub last: String,
}

impl Breaker {
    /// Pauses for so long after so many failures in a row.
    pub fn new(failures: u32, pause: Duration) -> Self {
        Self {
            failures,
            pause,
            state: Mutex::default(),
        }
    }

    /// Lets a request through. The first one after a pause holds the others
    /// back for another pause, unless it succeeds before.
    ///
    /// # Errors
    /// The pause that goes on.
    pub fn admit(&self, now: Instant) -> Result<(), Pass> {
        let mut state = self.state();
        if let Some(pass) = state.pass(now) {
            return Err(pass);
        }
        if state.until.is_some() {
            state.until = Some(now + self.pause);
        }
        Ok(())
    }

    /// The pause that goes on, if one does. Lets nothing through.
    pub fn pause(&self, now: Instant) -> Option<Pass> {
        self.state().pass(now)
    }

    /// A request was answered.
    pub fn succeeded(&self) {
        *self.state() = State::default();
    }

    /// A request failed, and another one may succeed later.
    pub fn failed(&self, why: impl Into<String>, now: Instant) {
        let mut state = self.state();
        state.in_a_row = state.in_a_row.saturating_add(1);
        state.last = why.into();
        if state.in_a_row >= self.failures {
            state.until = Some(now + self.pause);
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // No code that can panic runs while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pass(&self, now: Instant) -> Option<Pass> {
        let left = self.until?.saturating_duration_since(now);
        (left > Duration::ZERO).then(|| Pass {
            left,
            failures: self.in_a_row,
            last: self.last.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(30);

    #[test]
    fn after_the_pause_one_request_decides() {
        let breaker = Breaker::new(3, PAUSE);
        let start = Instant::now();
        for _ in 0..3 {
            assert!(breaker.admit(start).is_ok());
            breaker.failed("no answer", start);
        }
        let pass = breaker.pause(start);
        assert!(pass.is_some_and(|pass| pass.failures == 3 && pass.last == "no answer"));

        let later = start + PAUSE;
        assert!(breaker.admit(later).is_ok(), "the one that decides");
        assert!(breaker.admit(later).is_err(), "the others wait for it");
        breaker.failed("no answer", later);
        assert!(breaker.admit(later + PAUSE / 2).is_err());

        let at_last = later + PAUSE;
        assert!(breaker.admit(at_last).is_ok());
        breaker.succeeded();
        assert!(breaker.admit(at_last).is_ok());
        assert!(breaker.admit(at_last).is_ok());
    }

    #[test]
    fn a_success_forgets_the_failures_before() {
        let breaker = Breaker::new(2, PAUSE);
        let now = Instant::now();
        for _ in 0..5 {
            breaker.failed("no answer", now);
            breaker.succeeded();
        }
        assert_eq!(breaker.pause(now), None);
    }
}
