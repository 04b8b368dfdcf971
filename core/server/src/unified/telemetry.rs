//! Telemetry: what happened, for the quality metrics, under hashed keys and
//! without any text.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Events of all tenants at most; of more, the oldest are forgotten.
const MOST: usize = 50_000;

/// What happened lately.
#[derive(Default)]
pub(super) struct Telemetry(Mutex<VecDeque<Event>>);

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub at: Timestamp,
    pub tenant: String,
    pub kind: Kind,
    /// The hash of the user.
    pub user: String,
    /// The hash of the session, where there is one.
    pub session: Option<String>,
    /// The hash of the question.
    pub query: Option<String>,
    /// Status and code of an answer.
    pub status: Option<String>,
    pub code: Option<String>,
    /// The entry that was opened.
    pub entry: Option<String>,
}

/// What sort of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// A question was asked.
    Query,
    /// An entry of a result was opened.
    Click,
    /// A question found nothing.
    ZeroResult,
    /// A chat model phrased an answer.
    Synthesis,
    /// An answer was given, with a status.
    AnswerFrame,
    /// The same user asked in other words after an answer that was none.
    Reformulation,
    /// A user did what was offered after an answer that was none: another
    /// scope, a question back.
    RescueAction,
}

impl Telemetry {
    /// Adds what happened; what is older than that is forgotten.
    pub fn add(&self, events: Vec<Event>, lasts: Duration) {
        let Some(newest) = events.iter().map(|event| event.at).max() else {
            return;
        };
        let mut all = self.lock();
        all.extend(events);
        let oldest = newest.checked_sub(lasts).unwrap_or(Timestamp::MIN);
        while all.len() > MOST || all.front().is_some_and(|event| event.at < oldest) {
            all.pop_front();
        }
    }

    /// What happened to a tenant, oldest first.
    pub fn of(&self, tenant: &str, lasts: Duration, now: Timestamp) -> Vec<Event> {
        let oldest = now.checked_sub(lasts).unwrap_or(Timestamp::MIN);
        let all = self.lock();
        let own = all
            .iter()
            .filter(|event| event.tenant == tenant && event.at >= oldest);
        own.cloned().collect()
    }

    /// The last answer of a session: its question and its status.
    pub fn last_answer(&self, tenant: &str, session: &str) -> Option<(Option<String>, String)> {
        let all = self.lock();
        let mut newest_first = all.iter().rev();
        let last = newest_first.find(|event| {
            event.kind == Kind::AnswerFrame
                && event.tenant == tenant
                && event.session.as_deref() == Some(session)
        })?;
        Some((last.query.clone(), last.status.clone()?))
    }

    /// How often the entries of a tenant were opened.
    pub fn clicks(&self, tenant: &str) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for event in self.lock().iter() {
            if let (Kind::Click, Some(entry)) = (event.kind, &event.entry)
                && event.tenant == tenant
            {
                *counts.entry(entry.clone()).or_default() += 1;
            }
        }
        counts
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn event(tenant: &str, second: i64) -> Event {
        Event {
            at: Timestamp::from_second(second).unwrap(),
            tenant: tenant.to_owned(),
            kind: Kind::Click,
            user: "u".to_owned(),
            session: None,
            query: None,
            status: None,
            code: None,
            entry: Some("E1".to_owned()),
        }
    }

    #[test]
    fn events_have_the_names_of_the_source_system() {
        for case in gannet_test_cases::cases("seeds.jsonl", "telemetry.events") {
            for name in case["expected"].as_array().unwrap() {
                let kind: Result<Kind, _> = serde_json::from_value(name.clone());
                assert!(kind.is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn events_are_of_a_tenant_and_forgotten_in_time() {
        let telemetry = Telemetry::default();
        let hour = Duration::from_secs(3600);
        telemetry.add(vec![event("a", 0), event("b", 10)], hour);
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(telemetry.of("a", hour, at(20)).len(), 1);
        assert_eq!(telemetry.clicks("b")["E1"], 1);
        telemetry.add(vec![event("a", 3605)], hour);
        assert_eq!(telemetry.lock().len(), 2);
        assert_eq!(telemetry.of("a", hour, at(3605)).len(), 1);
    }

    #[test]
    fn however_much_happens_a_bounded_number_is_kept() {
        let telemetry = Telemetry::default();
        let events = (0..MOST as i64 + 10).map(|second| event("a", second));
        telemetry.add(events.collect(), Duration::MAX);
        assert_eq!(telemetry.lock().len(), MOST);
    }
}
