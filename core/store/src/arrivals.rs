//! Entries in the order in which they came into the store.

/// An entry that came into the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the change with which it came. An entry that is changed
    /// keeps it.
    pub number: i64,
    /// Its tenant.
    pub tenant: String,
    /// Its id.
    pub entry_id: String,
}

/// Entries that came after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// In the order of their numbers; those that are still there.
    pub entries: Vec<Arrival>,
    /// The change up to which these are all.
    pub reached: i64,
}

impl Arrivals {
    /// At most `limit` rows of number, tenant and id, read up to change `last`.
    pub(crate) fn of(rows: Vec<(i64, String, String)>, limit: usize, last: i64) -> Self {
        let entries: Vec<Arrival> = rows
            .into_iter()
            .map(|(number, tenant, entry_id)| Arrival {
                number,
                tenant,
                entry_id,
            })
            .collect();
        let reached = match entries.last() {
            Some(arrival) if entries.len() >= limit => arrival.number,
            _ => last,
        };
        Self { entries, reached }
    }
}
