//! `gannet entry create` and `gannet entry publish`: entries that are written
//! here, and into the facility's logbook.

use std::io::Read;

use gannet_core::api::{Credentials, DEFAULT_TENANT, Entry, Secret};
use gannet_core::new_entry::{NewEntry, Provenance, SOURCES, local_id};
use gannet_core::{Gannet, HostError, PublishAttempt};
use gannet_server::auth::AuditEvent;

use crate::arguments::{Common, CreateArguments, CredentialArguments, Format, PublishArguments};
use crate::commands::audit::audit;
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, print_json, safe_line};
use crate::session;

/// Stores a new entry, and publishes it where that is asked for.
pub async fn run(common: &Common, wanted: CreateArguments) -> Result<Exit, Failure> {
    let (is_published, credentials) = (wanted.publish, credentials(&wanted.credentials)?);
    if credentials.is_some() && !is_published {
        return Err(Failure::usage("--user is for --publish"));
    }
    let mut entry = entry(wanted)?;
    let gannet = session::open_existing(common).await?;
    if is_published {
        let attempt = PublishAttempt::default();
        let published = gannet.publish(attempt, entry, credentials).await;
        entry = published.map_err(HostError::from)?;
        note_published(&gannet, &entry);
    }
    gannet.store().upsert(vec![entry.clone()]).await?;
    let entry_id = &entry.entry_id;
    audit(gannet.config(), &AuditEvent::EntryStored { entry_id });
    finish(gannet, common.format, &entry, is_published).await
}

/// Publishes an entry that is stored.
pub async fn publish(common: &Common, wanted: PublishArguments) -> Result<Exit, Failure> {
    let credentials = credentials(&wanted.credentials)?;
    let gannet = session::open_existing(common).await?;
    let published = gannet.publish_stored(DEFAULT_TENANT, &wanted.id, credentials);
    let entry = published.await.map_err(HostError::from)?;
    note_published(&gannet, &entry);
    finish(gannet, common.format, &entry, true).await
}

fn note_published(gannet: &Gannet, entry: &Entry) {
    let event = AuditEvent::EntryPublished {
        entry_id: &entry.entry_id,
        source_system: &entry.source_system,
    };
    audit(gannet.config(), &event);
}

async fn finish(
    gannet: Gannet,
    format: Format,
    entry: &Entry,
    is_published: bool,
) -> Result<Exit, Failure> {
    gannet.store().flush().await?;
    gannet.close().await?;
    match (format, is_published) {
        (Format::Table, true) => outln!(
            "{GOOD}published{GOOD:#} to {} as {}",
            safe_line(&entry.source_system),
            safe_line(&entry.entry_id)
        ),
        (Format::Table, false) => {
            outln!("{GOOD}created{GOOD:#} {}", safe_line(&entry.entry_id));
        }
        (format, _) => print_json(entry, format)?,
    }
    Ok(Exit::Done)
}

fn entry(wanted: CreateArguments) -> Result<Entry, Failure> {
    let mut details = wanted.details;
    if details == "-" {
        details.clear();
        std::io::stdin().read_to_string(&mut details)?;
    }
    let new = NewEntry {
        author: wanted.author,
        logbook: wanted.logbook,
        shift: wanted.shift,
        tags: wanted.tags,
        ..NewEntry::now(wanted.subject, details)
    };
    if let Some(name) = new.blank_field() {
        return Err(Failure::usage(format!("--{name} is blank")));
    }
    Ok(new.into_entry(Provenance {
        entry_id: local_id(),
        source_system: SOURCES[1],
        tenant: DEFAULT_TENANT,
        anonymous: "",
    }))
}

fn credentials(given: &CredentialArguments) -> Result<Option<Credentials>, Failure> {
    let (Some(user), Some(file)) = (&given.user, &given.password_file) else {
        return Ok(None);
    };
    let password = Secret::file(file).read()?;
    Ok(Some(Credentials::new(user, password)))
}
