//! The address of an entry in the facility's logbook, so that nobody has to
//! guess it.

use gannet_api::Entry;

use crate::Gannet;
use crate::new_entry::is_written_here;

impl Gannet {
    /// The address of an entry by `server.entry_url`, its id percent-encoded;
    /// `None` without the setting, without `{entry_id}` in it, for a blank id,
    /// and for an entry that was written here: the logbook does not have it.
    pub fn entry_url(&self, entry: &Entry) -> Option<String> {
        let address = || self.config().server.address_of(&entry.entry_id);
        (!is_written_here(entry)).then(address).flatten()
    }
}
