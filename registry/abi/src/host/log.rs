//! The host's log, as plugins of a dylib write to it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use abi_stable::std_types::RStr;
use gannet_api::limits::{LOG_BURST, LOG_BYTES, LOG_RECORDS_PER_SECOND, NAME_BYTES};
use tracing::Level;

use crate::contain::contained;
use crate::vtable::AbiLog;

/// Writes what a plugin says under the plugin's name: records of a bounded
/// length, and so many in the long run.
pub(super) struct HostLog {
    plugin: String,
    rate: Mutex<Rate>,
}

impl HostLog {
    pub(super) fn of(plugin: &str) -> Self {
        Self {
            plugin: plugin.to_owned(),
            rate: Mutex::new(Rate::new(Instant::now())),
        }
    }

    fn write(&self, level: u8, from: &str, message: &str) {
        let admitted = {
            let mut rate = self.rate.lock().unwrap_or_else(PoisonError::into_inner);
            rate.admit(Instant::now())
        };
        let plugin = self.plugin.as_str();
        match admitted {
            Admitted::No => return,
            Admitted::Yes { left_out: 0 } => {}
            Admitted::Yes { left_out } => tracing::warn!(
                target: "gannet::plugin",
                plugin,
                "{left_out} records of this plugin were left out: it logs more than \
                 {LOG_RECORDS_PER_SECOND} per second"
            ),
        }
        let from = one_line(from, NAME_BYTES);
        let from = from.as_str();
        let message = one_line(message, LOG_BYTES);
        match level {
            1 => tracing::error!(target: "gannet::plugin", plugin, from, "{message}"),
            2 => tracing::warn!(target: "gannet::plugin", plugin, from, "{message}"),
            3 => tracing::info!(target: "gannet::plugin", plugin, from, "{message}"),
            4 => tracing::debug!(target: "gannet::plugin", plugin, from, "{message}"),
            _ => tracing::trace!(target: "gannet::plugin", plugin, from, "{message}"),
        }
    }
}

/// How often a plugin may log: a bucket that holds a burst and is filled again
/// at a steady rate.
struct Rate {
    records: f64,
    since: Instant,
    left_out: u64,
}

/// Whether a record is written.
#[derive(Debug, PartialEq, Eq)]
enum Admitted {
    No,
    /// It is, after so many that were not.
    Yes {
        left_out: u64,
    },
}

impl Rate {
    fn new(now: Instant) -> Self {
        Self {
            records: f64::from(LOG_BURST),
            since: now,
            left_out: 0,
        }
    }

    fn admit(&mut self, now: Instant) -> Admitted {
        let passed: Duration = now.saturating_duration_since(self.since);
        let filled = passed.as_secs_f64() * f64::from(LOG_RECORDS_PER_SECOND);
        self.records = (self.records + filled).min(f64::from(LOG_BURST));
        self.since = now;
        if self.records < 1.0 {
            self.left_out += 1;
            return Admitted::No;
        }
        self.records -= 1.0;
        Admitted::Yes {
            left_out: std::mem::take(&mut self.left_out),
        }
    }
}

/// A record is one line: what a plugin writes must not look like another
/// record, nor move the cursor of who reads the log. A long one is cut.
fn one_line(text: &str, max_bytes: usize) -> String {
    let shown = &text[..text.floor_char_boundary(max_bytes)];
    let mut line = match shown.contains(char::is_control) {
        false => shown.to_owned(),
        true => shown.escape_debug().to_string(),
    };
    if shown.len() < text.len() {
        let marker = format!("… (cut, {} of {} bytes shown)", shown.len(), text.len());
        line.push_str(&marker);
    }
    line
}

impl AbiLog for HostLog {
    fn is_enabled(&self, level: u8) -> bool {
        let enabled = contained(|| match level {
            1 => tracing::enabled!(target: "gannet::plugin", Level::ERROR),
            2 => tracing::enabled!(target: "gannet::plugin", Level::WARN),
            3 => tracing::enabled!(target: "gannet::plugin", Level::INFO),
            4 => tracing::enabled!(target: "gannet::plugin", Level::DEBUG),
            _ => tracing::enabled!(target: "gannet::plugin", Level::TRACE),
        });
        enabled.unwrap_or(false)
    }

    fn log(&self, level: u8, target: RStr<'_>, message: RStr<'_>) {
        // A log that panics has nowhere to say so.
        let _ = contained(|| self.write(level, &target, &message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_100_mib_is_cut_and_is_one_line() {
        let line = one_line(&"x\n".repeat(50 * 1024 * 1024), LOG_BYTES);
        assert!(line.len() < 2 * LOG_BYTES, "{} bytes", line.len());
        assert!(line.ends_with("… (cut, 8192 of 104857600 bytes shown)"));
        assert!(!line.contains('\n'));
        assert_eq!(one_line("as it is", LOG_BYTES), "as it is");
    }

    #[test]
    fn of_a_million_records_a_burst_and_a_few_per_second_are_written() {
        let start = Instant::now();
        let mut rate = Rate::new(start);
        let mut written = 0;
        for number in 0..1_000_000 {
            // 100,000 per second, for ten seconds.
            let now = start + Duration::from_micros(number * 10);
            written += u32::from(rate.admit(now) != Admitted::No);
        }
        let expected = LOG_BURST + 10 * LOG_RECORDS_PER_SECOND;
        assert!(written.abs_diff(expected) <= 1, "{written}");
        let later = start + Duration::from_secs(60);
        let left_out = 1_000_000 - u64::from(written);
        assert!(matches!(
            rate.admit(later),
            Admitted::Yes { left_out: found } if found <= left_out && found > 0
        ));
    }
}
