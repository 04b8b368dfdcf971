//! A message as an entry.

use gannet_api::{DELIVERED_MESSAGE, Entry, OWN_SOURCE};
use gannet_store::Store;
use serde_json::Value;

use super::{DeliveryError, Message};
use crate::config::EntryDelivery;

/// Stores a message as an entry under its id.
pub(super) async fn store(
    store: &Store,
    to: &EntryDelivery,
    message: &Message,
) -> Result<(), DeliveryError> {
    let text = format!("{}\n\n{}", message.title, message.text);
    let mut entry = Entry::new(&message.id, OWN_SOURCE, message.created_at, text);
    entry.tenant.clone_from(&message.tenant);
    entry.author.clone_from(&to.author);
    let fields = [
        ("title", Some(message.title.clone())),
        ("logbook", to.logbook.clone()),
        (DELIVERED_MESSAGE, Some(message.name.clone())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            entry.metadata.insert(name.to_owned(), Value::from(value));
        }
    }
    store.upsert(vec![entry]).await?;
    Ok(())
}
