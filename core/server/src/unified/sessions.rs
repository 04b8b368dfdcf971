//! Sessions: the entities of the questions before, for a while.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Sessions of all tenants at most; of more, those that were used the longest
/// ago are forgotten.
const MOST: usize = 10_000;

/// The sessions of all users, by their keys.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Session>>);

/// What a session remembers.
struct Session {
    entities: Vec<String>,
    used: Instant,
}

impl Sessions {
    /// The entities of a session, the newest first; none of one that was not
    /// used for so long.
    pub fn entities(&self, key: &str, lasts: Duration, now: Instant) -> Vec<String> {
        let mut sessions = self.lock();
        let session = sessions.get_mut(key);
        match session {
            Some(session) if now.saturating_duration_since(session.used) < lasts => {
                session.used = now;
                session.entities.clone()
            }
            Some(_) => {
                sessions.remove(key);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Adds the entities of a question to a session, which begins with it, and
    /// keeps the newest.
    pub fn add(&self, key: &str, entities: &[String], most: usize, now: Instant) -> Vec<String> {
        let mut sessions = self.lock();
        if sessions.len() >= MOST && !sessions.contains_key(key) {
            forget_half(&mut sessions);
        }
        let session = sessions.entry(key.to_owned()).or_insert_with(|| Session {
            entities: Vec::new(),
            used: now,
        });
        session.used = now;
        for entity in entities.iter().rev() {
            session.entities.retain(|known| known != entity);
            session.entities.insert(0, entity.clone());
        }
        session.entities.truncate(most);
        session.entities.clone()
    }

    /// Forgets a session.
    pub fn reset(&self, key: &str) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forget_half(sessions: &mut HashMap<String, Session>) {
    let mut times: Vec<Instant> = sessions.values().map(|session| session.used).collect();
    times.sort_unstable();
    if let Some(middle) = times.get(times.len() / 2).copied() {
        sessions.retain(|_, session| session.used > middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWENTY_MINUTES: Duration = Duration::from_secs(1200);

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_session_is_forgotten_when_it_is_not_used() {
        let (sessions, start) = (Sessions::default(), Instant::now());
        sessions.add("a", &names(&["RF-2"]), 8, start);
        let minutes = |number: u64| start + Duration::from_secs(60 * number);
        assert_eq!(
            sessions.entities("a", TWENTY_MINUTES, minutes(19)),
            ["RF-2"]
        );
        // Every question begins the time anew.
        assert_eq!(
            sessions.entities("a", TWENTY_MINUTES, minutes(38)),
            ["RF-2"]
        );
        assert!(
            sessions
                .entities("a", TWENTY_MINUTES, minutes(58))
                .is_empty()
        );
        assert!(sessions.entities("b", TWENTY_MINUTES, start).is_empty());
    }

    #[test]
    fn the_newest_entities_are_kept_and_a_reset_forgets_all() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        sessions.add("a", &names(&["RF-1", "RF-2"]), 2, now);
        let kept = sessions.add("a", &names(&["RF-3", "RF-1"]), 2, now);
        assert_eq!(kept, ["RF-3", "RF-1"]);
        sessions.reset("a");
        assert!(sessions.entities("a", TWENTY_MINUTES, now).is_empty());
    }

    #[test]
    fn however_many_sessions_there_are_a_bounded_number_is_kept() {
        let (sessions, start) = (Sessions::default(), Instant::now());
        for number in 0..(MOST as u64 + 10) {
            let now = start + Duration::from_millis(number);
            sessions.add(&number.to_string(), &names(&["RF-2"]), 8, now);
        }
        assert!(sessions.lock().len() <= MOST);
        let newest = (MOST + 9).to_string();
        assert!(!sessions.entities(&newest, TWENTY_MINUTES, start).is_empty());
    }
}
