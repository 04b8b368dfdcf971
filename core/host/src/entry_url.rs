//! The address of an entry in the facility's logbook, so that nobody has to
//! guess it.

use crate::Gannet;

impl Gannet {
    /// The address of an entry by `server.entry_url`, its id percent-encoded;
    /// `None` without the setting, without `{entry_id}` in it, and for a blank
    /// id.
    pub fn entry_url(&self, entry_id: &str) -> Option<String> {
        self.config().server.address_of(entry_id)
    }
}
