//! Entries as JSON Lines, which the adapter `jsonl` takes back as they were.

use std::io::Write;

use gannet_api::{Entry, Filter};
use gannet_store::ListRequest;
use serde_json::{Map, Value};

use crate::{Gannet, HostError, Stop};

/// Entries that are read at once.
const PAGE: usize = 500;
/// What belongs to the store that has the entry, and not to the entry.
const OF_THE_STORE: [&str; 4] = ["tenant", "enhancement_status", "created_at", "updated_at"];

impl Gannet {
    /// Writes the entries of a tenant that pass a filter, oldest first, one as
    /// a line. The same entries give the same bytes, in whichever store they
    /// are. Returns how many there were; fewer when it was asked to stop.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read,
    /// [`HostError::Output`] when `out` cannot be written.
    pub async fn export(
        &self,
        tenant: &str,
        filter: Filter,
        out: &mut (impl Write + Send),
        stop: &Stop,
    ) -> Result<u64, HostError> {
        let mut request = ListRequest {
            filter,
            limit: PAGE,
            after: None,
            newest_first: false,
        };
        let mut count = 0;
        while !stop.is_raised() {
            let page = self.store().list(tenant, request.clone()).await?;
            for entry in &page.entries {
                writeln!(out, "{}", line(entry)).map_err(HostError::Output)?;
                count += 1;
            }
            if page.next.is_none() {
                break;
            }
            request.after = page.next;
        }
        out.flush().map_err(HostError::Output)?;
        Ok(count)
    }
}

/// An entry as one line of JSON.
fn line(entry: &Entry) -> Value {
    let mut value = serde_json::to_value(entry).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        for name in OF_THE_STORE {
            fields.shift_remove(name);
        }
        // A database has its own order of keys.
        if let Some(metadata) = fields.get_mut("metadata") {
            sort_keys(metadata);
        }
    }
    value
}

fn sort_keys(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<(String, Value)> = std::mem::take(members).into_iter().collect();
            sorted.sort_by(|one, other| one.0.cmp(&other.0));
            for (_, member) in &mut sorted {
                sort_keys(member);
            }
            *members = Map::from_iter(sorted);
        }
        Value::Array(members) => members.iter_mut().for_each(sort_keys),
        _ => {}
    }
}
