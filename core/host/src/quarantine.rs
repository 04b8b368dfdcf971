//! A plugin that panics again and again is asked no more.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gannet_api::{Error, PluginKind, Result};
use jiff::Timestamp;
use serde::Serialize;

/// How many panics are one too many.
const PANICS: usize = 5;

/// Within which time they count.
const WINDOW: Duration = Duration::from_secs(60);

/// An instance, as errors name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PluginName<'a> {
    pub kind: PluginKind,
    pub name: &'a str,
}

impl std::fmt::Display for PluginName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} `{}`", self.kind.label(), self.name)
    }
}

/// An instance that is asked no more until the host starts again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quarantined {
    /// Of which kind.
    pub kind: PluginKind,
    /// Its name in the configuration.
    pub name: String,
    /// Since when.
    pub since: Timestamp,
    /// The last panic's text and place.
    pub last_panic: String,
}

/// Counts panics and keeps those that panic too often from being asked.
#[derive(Default)]
pub(crate) struct Quarantine(Mutex<Ledger>);

#[derive(Default)]
struct Ledger {
    panics: BTreeMap<(PluginKind, String), VecDeque<Instant>>,
    quarantined: BTreeMap<(PluginKind, String), Quarantined>,
}

impl Quarantine {
    /// Lets a call through.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the plugin is in quarantine.
    pub fn admit(&self, plugin: PluginName<'_>) -> Result<()> {
        let ledger = self.ledger();
        if ledger.quarantined.is_empty() {
            return Ok(());
        }
        match ledger.quarantined.get(&key(plugin)) {
            None => Ok(()),
            Some(case) => Err(Error::Unavailable {
                message: format!(
                    "{plugin} is in quarantine: it panicked {PANICS} times within {} seconds, \
                     last: {}; fix or disable it, and reload or restart",
                    WINDOW.as_secs(),
                    case.last_panic
                ),
            }),
        }
    }

    /// Looks at a call's outcome. A panic that has no plugin's name is this
    /// plugin's own and gets its name; another was passed on.
    pub fn note<T>(&self, plugin: PluginName<'_>, outcome: Result<T>) -> Result<T> {
        match outcome {
            Err(Error::Panicked {
                plugin: unnamed,
                message,
            }) if unnamed.is_empty() => {
                self.count(plugin, &message, Instant::now());
                Err(Error::Panicked {
                    plugin: plugin.to_string(),
                    message,
                })
            }
            other => other,
        }
    }

    /// Those that are in quarantine, sorted by kind and name.
    pub fn list(&self) -> Vec<Quarantined> {
        self.ledger().quarantined.values().cloned().collect()
    }

    fn count(&self, plugin: PluginName<'_>, message: &str, now: Instant) {
        let mut ledger = self.ledger();
        let panics = ledger.panics.entry(key(plugin)).or_default();
        panics.push_back(now);
        panics.retain(|then| now.duration_since(*then) < WINDOW);
        if panics.len() < PANICS || ledger.quarantined.contains_key(&key(plugin)) {
            return;
        }
        tracing::error!("{plugin} is in quarantine: {PANICS} panics within {WINDOW:?}");
        let case = Quarantined {
            kind: plugin.kind,
            name: plugin.name.to_owned(),
            since: Timestamp::now(),
            last_panic: message.to_owned(),
        };
        ledger.quarantined.insert(key(plugin), case);
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        // A panic while the lock is held can only have been in a push; the
        // lists are whole in any case.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(plugin: PluginName<'_>) -> (PluginKind, String) {
    (plugin.kind, plugin.name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: PluginName<'static> = PluginName {
        kind: PluginKind::SearchModule,
        name: "shaky",
    };

    #[test]
    fn the_fifth_panic_within_a_minute_is_one_too_many() {
        let quarantine = Quarantine::default();
        let start = Instant::now();
        for second in [0, 10, 20, 30] {
            quarantine.count(MODULE, "boom", start + Duration::from_secs(second));
        }
        assert!(quarantine.admit(MODULE).is_ok());
        quarantine.count(MODULE, "boom", start + Duration::from_secs(59));
        let refused = quarantine.admit(MODULE).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|text| text.contains("`shaky` is in quarantine")));
        assert_eq!(quarantine.list().len(), 1);
    }

    #[test]
    fn panics_that_are_far_apart_do_not_add_up() {
        let quarantine = Quarantine::default();
        let start = Instant::now();
        for minute in 0..20 {
            quarantine.count(MODULE, "boom", start + Duration::from_secs(minute * 16));
        }
        assert!(quarantine.admit(MODULE).is_ok());
    }

    #[test]
    fn a_panic_that_was_passed_on_is_counted_where_it_was() {
        let quarantine = Quarantine::default();
        for _ in 0..PANICS {
            let passed_on: Result<()> = Err(Error::Panicked {
                plugin: "search module `other`".to_owned(),
                message: "boom".to_owned(),
            });
            assert!(quarantine.note(MODULE, passed_on).is_err());
        }
        assert!(quarantine.admit(MODULE).is_ok());
    }
}
