//! Writing entries into a facility's logbook.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Entry;
use crate::setters::setters;

/// That an instance of an adapter writes entries into a logbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Writing {
    /// The source system of the logbook's entries.
    pub source_system: String,
    /// Whether the caller has to give credentials, because the instance is
    /// configured with none.
    #[serde(default)]
    pub needs_credentials: bool,
}

impl Writing {
    /// Into the logbook of this source system, without credentials of the
    /// caller.
    pub fn new(source_system: impl Into<String>) -> Self {
        Self {
            source_system: source_system.into(),
            needs_credentials: false,
        }
    }
}

setters!(Writing {
    with_needs_credentials(needs_credentials: bool),
});

/// An entry that is to be written into a logbook.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PublishRequest {
    /// The entry. Its id is the host's; the logbook gives it another one.
    pub entry: Entry,
    /// Who writes it; the adapter's configured credentials when missing.
    pub credentials: Option<Credentials>,
}

impl PublishRequest {
    /// A request without credentials.
    pub fn new(entry: Entry) -> Self {
        Self {
            entry,
            credentials: None,
        }
    }

    /// The title of the entry, or the first line of its text.
    pub fn subject(&self) -> &str {
        let first_line = self.entry.raw_text.trim_start().lines().next();
        self.entry
            .title()
            .unwrap_or(first_line.unwrap_or_default())
            .trim()
    }

    /// The text of the entry without the subject that it begins with.
    pub fn details(&self) -> &str {
        let text = self.entry.raw_text.trim();
        text.strip_prefix(self.subject())
            .map_or(text, str::trim_start)
    }
}

setters!(PublishRequest {
    with_credentials(credentials: impl Into<Option<Credentials>>),
});

/// A user name and a password for a logbook. Only its user name is printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name of the user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl Credentials {
    /// Of this user.
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            password: password.into(),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credentials({})", self.user)
    }
}

/// An entry was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Published {
    /// The id that the logbook gave it, as [`fetch`](crate::Adapter::fetch)
    /// gives it later.
    pub entry_id: String,
}

impl Published {
    /// Under this id.
    pub fn new(entry_id: impl Into<String>) -> Self {
        Self {
            entry_id: entry_id.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn request(text: &str, title: Option<&str>) -> PublishRequest {
        let mut entry = Entry::new("E", "log", Timestamp::UNIX_EPOCH, text);
        if let Some(title) = title {
            entry.metadata.insert("title".to_owned(), title.into());
        }
        PublishRequest::new(entry)
    }

    #[test]
    fn a_request_has_subject_and_details_with_and_without_a_title() {
        for (text, title, subject, details) in [
            ("RF trip\n\nReset.", Some("RF trip"), "RF trip", "Reset."),
            ("RF trip\nReset.\nBack.", None, "RF trip", "Reset.\nBack."),
            (
                "Reset at 08:45.",
                Some("RF trip"),
                "RF trip",
                "Reset at 08:45.",
            ),
            ("RF trip", None, "RF trip", ""),
        ] {
            let request = request(text, title);
            assert_eq!((request.subject(), request.details()), (subject, details));
        }
    }

    #[test]
    fn a_password_is_never_printed() {
        let credentials = Credentials::new("lee", "s3cret");
        let request = request("x", None).with_credentials(credentials);
        let printed = format!("{request:?}");
        assert!(printed.contains("lee") && !printed.contains("s3cret"));
    }
}
