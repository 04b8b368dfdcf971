//! A message as an entry.

use gannet_api::Entry;
use gannet_store::Store;
use serde_json::Value;

use super::{DeliveryError, Message};
use crate::config::EntryDelivery;
use crate::new_entry::SOURCES;

/// The field of entries that were made from a message.
const FIELD: &str = "delivered_message";

/// Whether an entry was made here from a message; saved searches skip it. An
/// entry of another logbook may have a field of the same name.
pub(crate) fn is_delivered(entry: &Entry) -> bool {
    entry.source_system == SOURCES[1] && entry.metadata.contains_key(FIELD)
}

/// Stores a message as an entry under its id.
pub(super) async fn store(
    store: &Store,
    to: &EntryDelivery,
    message: &Message,
) -> Result<(), DeliveryError> {
    let text = format!("{}\n\n{}", message.title, message.text);
    let mut entry = Entry::new(&message.id, SOURCES[1], message.created_at, text);
    entry.tenant.clone_from(&message.tenant);
    entry.author.clone_from(&to.author);
    let fields = [
        ("title", Some(message.title.clone())),
        ("logbook", to.logbook.clone()),
        (FIELD, Some(message.name.clone())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            entry.metadata.insert(name.to_owned(), Value::from(value));
        }
    }
    store.upsert(vec![entry]).await?;
    Ok(())
}
