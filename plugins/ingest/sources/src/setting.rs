//! Settings that several adapters have.

use gannet_plugin::prelude::{Error, Result};
use jiff::Timestamp;

/// The instant that a setting of this name says, RFC 3339.
///
/// # Errors
/// [`Error::Setting`] where it says none.
///
/// ```
/// use gannet_sources::instant_setting;
///
/// assert_eq!(instant_setting("start", "1970-01-01T00:01:00Z").unwrap().as_second(), 60);
/// let refused = instant_setting("start", "long ago").unwrap_err().to_string();
/// assert!(refused.starts_with("setting `start`: "));
/// ```
pub fn instant_setting(name: &str, text: &str) -> Result<Timestamp> {
    text.parse()
        .map_err(|error: jiff::Error| Error::setting(name, error.to_string()))
}
