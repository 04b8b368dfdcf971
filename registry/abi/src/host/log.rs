//! The host's log, as plugins of a dylib write to it.

use std::borrow::Cow;

use abi_stable::std_types::RStr;
use tracing::Level;

use crate::contain::contained;
use crate::vtable::AbiLog;

/// Writes what a plugin says under the plugin's name.
pub(super) struct HostLog {
    plugin: String,
}

impl HostLog {
    pub(super) fn of(plugin: &str) -> Self {
        Self {
            plugin: plugin.to_owned(),
        }
    }

    fn write(&self, level: u8, from: &str, message: &str) {
        let plugin = self.plugin.as_str();
        let message = one_line(message);
        match level {
            1 => tracing::error!(target: "gannet::plugin", plugin, from, "{message}"),
            2 => tracing::warn!(target: "gannet::plugin", plugin, from, "{message}"),
            3 => tracing::info!(target: "gannet::plugin", plugin, from, "{message}"),
            4 => tracing::debug!(target: "gannet::plugin", plugin, from, "{message}"),
            _ => tracing::trace!(target: "gannet::plugin", plugin, from, "{message}"),
        }
    }
}

/// A record is one line: what a plugin writes must not look like another
/// record, nor move the cursor of who reads the log.
fn one_line(message: &str) -> Cow<'_, str> {
    match message.contains(char::is_control) {
        false => Cow::Borrowed(message),
        true => Cow::Owned(message.escape_debug().to_string()),
    }
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
