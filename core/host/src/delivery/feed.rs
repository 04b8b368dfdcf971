//! An Atom feed (RFC 4287) of the newest messages.

use gannet_api::DEFAULT_TENANT;
use gannet_store::{Store, StoreError};
use quick_xml::escape::escape;

use super::file::replace;
use super::{DeliveryError, Message};
use crate::config::FeedDelivery;
use crate::kept_state::{key, read, write};
use crate::new_entry::local_id;

/// For whom the store keeps the messages of feeds.
const OWNER: &str = "service.feeds";
/// For whom it keeps the id of the installation, and under which name.
const INSTALLATION: (&str, &str) = ("service.installation", "id");

/// Adds a message to a feed, unless it is in it.
pub(super) async fn add(
    store: &Store,
    (name, feed): (&str, &FeedDelivery),
    message: &Message,
) -> Result<(), DeliveryError> {
    let mut messages = messages(store, &message.tenant, name).await?;
    if messages.iter().all(|one| one.id != message.id) {
        messages.push(message.clone());
        messages.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    }
    messages.truncate(feed.most);
    write(store, &key(OWNER, &message.tenant, name), Some(&messages)).await?;
    let installation = made_installation(store).await?;
    match &feed.path {
        Some(path) => replace(path, atom((&installation, name), &messages)).await,
        None => Ok(()),
    }
}

/// A feed of a tenant as Atom.
///
/// # Errors
/// What the store failed with.
pub async fn feed_of(store: &Store, tenant: &str, name: &str) -> Result<String, StoreError> {
    let messages = messages(store, tenant, name).await?;
    let installation = installation(store).await?.unwrap_or_default();
    Ok(atom((&installation, name), &messages))
}

/// What tells the ids of this installation from those of others, as Atom wants
/// them to be unique; none before the first message.
async fn installation(store: &Store) -> Result<Option<String>, StoreError> {
    let (owner, name) = INSTALLATION;
    read(store, &key(owner, DEFAULT_TENANT, name)).await
}

async fn made_installation(store: &Store) -> Result<String, StoreError> {
    if let Some(known) = installation(store).await? {
        return Ok(known);
    }
    let (owner, name) = INSTALLATION;
    let made = local_id().replace("gannet-", "");
    write(store, &key(owner, DEFAULT_TENANT, name), Some(&made)).await?;
    Ok(made)
}

async fn messages(store: &Store, tenant: &str, name: &str) -> Result<Vec<Message>, StoreError> {
    let kept = read(store, &key(OWNER, tenant, name)).await?;
    Ok(kept.unwrap_or_default())
}

/// The newest message first.
fn atom((installation, name): (&str, &str), messages: &[Message]) -> String {
    let newest = messages.iter().map(|one| one.created_at).max();
    let updated = newest.unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let name = escape(name);
    let mut feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <id>urn:gannet:{installation}:feed:{name}</id>\n<title>{name}</title>\n\
         <updated>{updated}</updated>\n<author><name>Gannet</name></author>\n"
    );
    for message in messages {
        feed.push_str(&format!(
            "<entry>\n<id>urn:gannet:{installation}:message:{}</id>\n<title>{}</title>\n<updated>{}</updated>\n",
            escape(&message.id),
            escape(clean(&message.title)),
            message.created_at
        ));
        for url in message.entries.iter().filter_map(|one| one.url.as_ref()) {
            let url = clean(url);
            feed.push_str(&format!(
                "<link rel=\"related\" href=\"{}\"/>\n",
                escape(&url)
            ));
        }
        feed.push_str(&format!(
            "<content type=\"text\">{}</content>\n</entry>\n",
            escape(clean(&message.text))
        ));
    }
    feed.push_str("</feed>\n");
    feed
}

/// Without control characters, which XML cannot have.
fn clean(text: &str) -> String {
    // The last two code points of the plane are no characters of XML 1.0.
    let allowed = |letter: &char| match letter {
        '\n' | '\t' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        other => !other.is_control(),
    };
    text.chars().filter(allowed).collect()
}
