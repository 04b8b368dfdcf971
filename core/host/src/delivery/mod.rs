//! Deliveries: messages of digests and saved searches, brought to where the
//! configuration says.
//!
//! A message is put into the outbox of the store under its id, in one row for
//! each delivery, before whoever made it goes on. The outbox is then worked on:
//! a message is sent, its row becomes the note that it was, and what fails is
//! tried again, later each time, until it is given up. A crash loses nothing;
//! between the sending and the note it leads to a second sending. A file, a
//! feed and an entry are written under the id of the message, so that the second
//! one changes nothing; a webhook and a mail carry the id, by which the receiver
//! can drop the second one.

mod entry;
mod feed;
mod file;
mod mail;
mod message;
mod outbox;
mod rows;
mod status;
mod webhook;

pub use feed::feed_of;
pub(crate) use message::id_part;
pub use message::{Message, MessageEntry, MessageKind, TO_THE_MINUTE};
pub(crate) use status::findings;
pub use status::{DeliveryReport, DeliveryStatus};

use std::path::PathBuf;

use gannet_store::StoreError;

use crate::Gannet;
use crate::config::DeliveryConfig;

/// Why a message was not delivered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// The server did not take it.
    #[error("{0}")]
    Refused(String),
    /// A secret, an address or TLS cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<gannet_api::Error> for DeliveryError {
    fn from(error: gannet_api::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<gannet_outbound::OutboundError> for DeliveryError {
    fn from(error: gannet_outbound::OutboundError) -> Self {
        Self::Unusable(error.to_string())
    }
}

/// Brings a message to its place, once.
async fn send(
    gannet: &Gannet,
    (name, delivery): (&str, &DeliveryConfig),
    message: &Message,
) -> Result<(), DeliveryError> {
    if let Some(file) = &delivery.file {
        file::write(file, message).await
    } else if let Some(feed) = &delivery.feed {
        feed::add(gannet.store(), (name, feed), message).await
    } else if let Some(webhook) = &delivery.webhook {
        webhook::post(gannet.services().outgoing(), webhook, message).await
    } else if let Some(mail) = &delivery.mail {
        mail::send(gannet.services().outgoing(), mail, message).await
    } else if let Some(entry) = &delivery.entry {
        entry::store(gannet.store(), entry, message).await
    } else {
        // The check of the configuration refuses it.
        Err(DeliveryError::Unusable("it delivers nowhere".to_owned()))
    }
}
