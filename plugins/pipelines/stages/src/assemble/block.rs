//! How one entry is shown: a header line and its text.

use gannet_plugin::prelude::Entry;

use super::{neutral, neutral_line};

/// One entry as it is shown to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which entry.
    pub entry_id: String,
    /// `ENTRY #<id> | <time> | Author: <name> | <title>`, with its line end.
    pub header: String,
    /// The entry's text.
    pub body: String,
}

/// Shows an entry. The author of an entry without one is `Unknown`. All that
/// comes from the entry is made [neutral].
pub fn entry_block(entry: &Entry, timezone: &str) -> Block {
    let author = match entry.author.trim() {
        "" => "Unknown".to_owned(),
        author => neutral_line(author),
    };
    let title = entry
        .title()
        .map(|title| format!(" | {}", neutral_line(title)))
        .unwrap_or_default();
    let id = neutral_line(&entry.entry_id);
    let time = time_in(entry, timezone);
    Block {
        entry_id: entry.entry_id.clone(),
        header: format!("ENTRY #{id} | {time} | Author: {author}{title}\n"),
        body: neutral(&entry.raw_text),
    }
}

fn time_in(entry: &Entry, timezone: &str) -> String {
    const ISO: &str = "%Y-%m-%dT%H:%M:%S%.f%:z";
    let zoned = match timezone {
        "" | "UTC" => None,
        name => entry.timestamp.in_tz(name).ok(),
    };
    match zoned {
        Some(zoned) => zoned.strftime(ISO).to_string(),
        None => {
            let utc = entry.timestamp.strftime("%Y-%m-%dT%H:%M:%S%.f");
            format!("{utc}+00:00")
        }
    }
}
