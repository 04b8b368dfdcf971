//! What instances remember of conversations: in memory, for a while.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gannet_api::{Call, Error, Result, SessionRequest, limits};
use serde_json::Value;

use crate::instance_key::InstanceKey;

/// The conversations of all instances and tenants.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<Kept>);

/// Whose session it is: the instance, the tenant, and the id.
type Place = (String, String, String);

#[derive(Debug, Default)]
struct Kept {
    sessions: HashMap<Place, Session>,
    /// Bytes of all values.
    bytes: usize,
}

#[derive(Debug)]
struct Session {
    /// JSON.
    value: String,
    used: Instant,
}

impl Session {
    fn is_used(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.used) < limits::SESSION_IDLE
    }
}

impl Sessions {
    /// Answers the host service [`SessionRequest::SERVICE`] to an instance, for
    /// the tenant of its call.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for an id or a value that is too long.
    pub(crate) fn answer(
        &self,
        call: &Call,
        instance: &InstanceKey,
        payload: &[u8],
        now: Instant,
    ) -> Result<Vec<u8>> {
        let service = SessionRequest::SERVICE;
        let unreadable = |error: serde_json::Error| {
            Error::invalid_input(format!("the request of the service `{service}`: {error}"))
        };
        let place = |id: String| match (1..=limits::NAME_BYTES).contains(&id.len()) {
            true => Ok((instance.to_string(), call.tenant.to_string(), id)),
            false => Err(Error::invalid_input(format!(
                "the id of a session is 1 to {} bytes",
                limits::NAME_BYTES
            ))),
        };
        let mut kept = self.lock();
        match serde_json::from_slice(payload).map_err(unreadable)? {
            SessionRequest::Read { id } => Ok(kept.read(&place(id)?, now)),
            SessionRequest::Write { id, value } => {
                kept.forget_idle(now);
                kept.write(place(id)?, checked(value)?, now);
                Ok(b"null".to_vec())
            }
            _ => Err(Error::missing_service(service)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // A panic while the lock is held can only have been for want of
        // memory; at worst `bytes` is too large then.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The JSON of a value that is not too long.
fn checked(value: Option<Value>) -> Result<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    let text = value.to_string();
    match text.len() <= limits::SESSION_VALUE_BYTES {
        true => Ok(Some(text)),
        false => Err(Error::invalid_input(format!(
            "what a session remembers is {} bytes as JSON; at most {} are kept",
            text.len(),
            limits::SESSION_VALUE_BYTES
        ))),
    }
}

impl Kept {
    fn read(&mut self, place: &Place, now: Instant) -> Vec<u8> {
        match self.sessions.get_mut(place) {
            Some(session) if session.is_used(now) => {
                session.used = now;
                session.value.clone().into_bytes()
            }
            _ => b"null".to_vec(),
        }
    }

    fn write(&mut self, place: Place, value: Option<String>, now: Instant) {
        self.forget(&place);
        let Some(value) = value else { return };
        while self.sessions.len() >= limits::SESSIONS
            || self.bytes + value.len() > limits::SESSIONS_BYTES
        {
            let oldest = self.sessions.iter().min_by_key(|(_, session)| session.used);
            let Some((oldest, _)) = oldest.map(|(place, session)| (place.clone(), session.used))
            else {
                break;
            };
            self.forget(&oldest);
        }
        self.bytes += value.len();
        self.sessions.insert(place, Session { value, used: now });
    }

    fn forget(&mut self, place: &Place) {
        if let Some(session) = self.sessions.remove(place) {
            self.bytes -= session.value.len();
        }
    }

    fn forget_idle(&mut self, now: Instant) {
        let bytes = &mut self.bytes;
        self.sessions.retain(|_, session| {
            let is_used = session.is_used(now);
            if !is_used {
                *bytes -= session.value.len();
            }
            is_used
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use gannet_api::{Deadline, PluginKind};
    use serde_json::json;

    use super::*;

    struct Host {
        sessions: Sessions,
        start: Instant,
    }

    impl Host {
        fn new() -> Self {
            Self {
                sessions: Sessions::default(),
                start: Instant::now(),
            }
        }

        /// Asks `seconds` after the start.
        fn ask(&self, seconds: u64, who: [&str; 2], request: Value) -> Result<Value> {
            let [instance, tenant] = who;
            let call = Call::new("r", tenant, Deadline::NEVER);
            let instance = InstanceKey::new(PluginKind::Pipeline, instance);
            let now = self.start + Duration::from_secs(seconds);
            let payload = serde_json::to_vec(&request).unwrap();
            let answer = self.sessions.answer(&call, &instance, &payload, now)?;
            Ok(serde_json::from_slice(&answer).unwrap())
        }

        fn read(&self, seconds: u64, who: [&str; 2], id: &str) -> Value {
            let request = json!({"action": "read", "id": id});
            self.ask(seconds, who, request).unwrap()
        }

        fn write(&self, seconds: u64, who: [&str; 2], id: &str, value: Value) -> Result<Value> {
            let request = json!({"action": "write", "id": id, "value": value});
            self.ask(seconds, who, request)
        }
    }

    const ME: [&str; 2] = ["unified", "ring-1"];

    #[test]
    fn a_session_belongs_to_one_instance_and_one_tenant() {
        let host = Host::new();
        host.write(0, ME, "a", json!({"turn": 1})).unwrap();
        assert_eq!(host.read(1, ME, "a"), json!({"turn": 1}));
        for other in [["unified", "ring-2"], ["agent", "ring-1"]] {
            assert_eq!(host.read(1, other, "a"), Value::Null);
        }
        assert_eq!(host.read(1, ME, "b"), Value::Null);
        host.write(2, ME, "a", Value::Null).unwrap();
        assert_eq!(host.read(3, ME, "a"), Value::Null);
        assert_eq!(host.sessions.lock().bytes, 0);
    }

    #[test]
    fn a_session_is_forgotten_after_twenty_minutes_without_use() {
        let host = Host::new();
        host.write(0, ME, "a", json!(1)).unwrap();
        assert_eq!(host.read(1_199, ME, "a"), json!(1));
        assert_eq!(host.read(2_398, ME, "a"), json!(1));
        assert_eq!(host.read(3_598, ME, "a"), Value::Null);
    }

    #[test]
    fn values_and_ids_that_are_too_long_are_refused() {
        let host = Host::new();
        let long = "x".repeat(limits::SESSION_VALUE_BYTES);
        assert!(host.write(0, ME, "a", json!(long)).is_err());
        assert!(host.write(0, ME, "", json!(1)).is_err());
        let id = "x".repeat(limits::NAME_BYTES + 1);
        assert!(host.write(0, ME, &id, json!(1)).is_err());
    }

    #[test]
    fn the_session_that_was_used_longest_ago_gives_way() {
        let host = Host::new();
        let long = json!("x".repeat(60 * 1024));
        let kept = limits::SESSIONS_BYTES / (60 * 1024);
        for number in 0..=kept as u64 {
            host.write(number / 100, ME, &number.to_string(), long.clone())
                .unwrap();
            // The first one stays in use.
            host.read(number / 100 + 1, ME, "0");
        }
        assert_eq!(host.read(20, ME, "0"), long);
        assert_eq!(host.read(20, ME, &kept.to_string()), long);
        assert!(host.sessions.lock().bytes <= limits::SESSIONS_BYTES);
    }
}
