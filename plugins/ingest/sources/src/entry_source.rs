//! What the entries that one call reads have in common.

use gannet_plugin::prelude::{Context, Entry};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Where entries come from, and whose they are.
#[derive(Debug, Clone)]
pub struct EntrySource {
    /// Where entries say they came from.
    pub source_system: String,
    /// Whose entries they are.
    pub tenant: String,
    /// The zone of times without an offset.
    pub zone: TimeZone,
}

impl EntrySource {
    /// The source of the entries that a call reads.
    pub fn new(source_system: &str, zone: &TimeZone, context: &Context) -> Self {
        Self {
            source_system: source_system.to_owned(),
            tenant: context.call.tenant.to_string(),
            zone: zone.clone(),
        }
    }

    /// An entry of this source.
    ///
    /// ```
    /// use gannet_plugin::testing;
    /// use gannet_sources::EntrySource;
    /// use jiff::Timestamp;
    /// use jiff::tz::TimeZone;
    ///
    /// let source = EntrySource::new("ELOG", &TimeZone::UTC, &testing::context());
    /// let entry = source.entry("17".to_owned(), Timestamp::UNIX_EPOCH, "RF trip".to_owned());
    /// assert_eq!((entry.source_system, entry.tenant), ("ELOG".into(), "default".into()));
    /// ```
    pub fn entry(&self, entry_id: String, time: Timestamp, text: String) -> Entry {
        let mut entry = Entry::new(entry_id, &self.source_system, time, text);
        entry.tenant.clone_from(&self.tenant);
        entry
    }
}
