//! A message as an entry.

use gannet_api::Entry;
use gannet_store::Store;
use serde_json::Value;

use super::{DeliveryError, Message};
use crate::config::EntryDelivery;
use crate::new_entry::SOURCES;

/// The field of entries that were made from a message; saved searches skip
/// them.
pub(crate) const FIELD: &str = "delivered_message";

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
