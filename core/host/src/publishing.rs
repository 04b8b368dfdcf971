//! Publishing: entries that are written into the facility's logbook, by the
//! adapter that `ingestion.publish_to` names.

mod attempt;
pub(crate) mod unseen;

use gannet_api::{
    Call, Credentials, Deadline, Entry, Error, PluginKind, PublishRequest, Result as ApiResult,
    Writing,
};
use gannet_store::StoreError;

pub use self::attempt::PublishAttempt;
use crate::ingestion::id_fault;
use crate::new_entry::is_written_here;
use crate::quarantine::PluginName;
use crate::secrets::without_secret;
use crate::services::invalid_result;
use crate::{Gannet, HostError};

/// Why an entry was not published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// No adapter writes.
    #[error("no logbook is configured that takes entries; set `ingestion.publish_to`")]
    NotConfigured,
    /// The entry that is to be published does not exist.
    #[error("no entry has the id `{0}`")]
    UnknownEntry(String),
    /// The entry came from elsewhere.
    #[error(
        "the entry `{entry_id}` comes from `{source_system}`; only entries that were written in \
         Gannet are published"
    )]
    NotWrittenHere {
        /// The entry.
        entry_id: String,
        /// Where it came from.
        source_system: String,
    },
    /// Credentials are missing or were refused. Nothing was written.
    #[error("{0}")]
    Credentials(String),
    /// The logbook did not take the entry.
    #[error("the logbook did not take the entry: {0}")]
    Refused(String),
    /// The logbook gave no answer that says whether it took the entry.
    #[error("it is not known whether the logbook took the entry: {0}")]
    Unclear(String),
    /// The same was asked for before, and that has not ended or ended as
    /// [`Unclear`](Self::Unclear).
    #[error(
        "an earlier attempt to publish the entry is under way, or it is not known whether the \
         logbook took it; look for the entry there"
    )]
    EarlierAttempt,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Gannet {
    /// How entries are published; `None` where they are kept here only.
    pub fn writing(&self) -> Option<&Writing> {
        let adapter = self.config().ingestion.publish_to.as_deref()?;
        let instance = self
            .services()
            .catalog()
            .get(PluginKind::Adapter, adapter)?;
        instance.descriptor.writing.as_ref()
    }

    /// Begins to publish an entry. Of all attempts of one name one writes: after
    /// an attempt that is under way, or whose end is not known, there is none
    /// again. Without a name each is an attempt of its own.
    ///
    /// # Errors
    /// [`PublishError::EarlierAttempt`], and what the store failed with.
    pub async fn begin_publishing(
        &self,
        tenant: &str,
        name: Option<&str>,
    ) -> Result<PublishAttempt, PublishError> {
        match name {
            Some(name) => PublishAttempt::begin(self.store(), tenant, name).await,
            None => Ok(PublishAttempt::default()),
        }
    }

    /// Whether there was an attempt of this name, and under which id it
    /// published the entry.
    ///
    /// # Errors
    /// What the store failed with.
    pub async fn earlier_attempt(
        &self,
        tenant: &str,
        name: &str,
    ) -> Result<Option<Option<String>>, StoreError> {
        attempt::earlier(self.store(), tenant, name).await
    }

    /// Writes an entry into the facility's logbook, unless the attempt did so
    /// before. Returns the entry with the id and the source system that it has
    /// there; it is not stored.
    ///
    /// # Errors
    /// See [`PublishError`]. No error contains the password.
    pub async fn publish(
        &self,
        attempt: PublishAttempt,
        mut entry: Entry,
        credentials: Option<Credentials>,
    ) -> Result<Entry, PublishError> {
        let writing = self.writing().ok_or(PublishError::NotConfigured)?;
        let source_system = writing.source_system.clone();
        let entry_id = match attempt.written() {
            Some(entry_id) => entry_id.to_owned(),
            None => {
                let outcome = self.write(entry.clone(), credentials).await;
                attempt.end(self.store(), &outcome).await;
                outcome?
            }
        };
        // Before it is stored: from then on it could be taken for missing.
        unseen::note(self.store(), &entry.tenant, &entry_id).await;
        (entry.entry_id, entry.source_system) = (entry_id, source_system);
        Ok(entry)
    }

    /// Publishes an entry that was written here and is stored. It is stored
    /// under the id that the logbook gave it, and no longer under its own.
    ///
    /// # Errors
    /// See [`PublishError`].
    pub async fn publish_stored(
        &self,
        tenant: &str,
        entry_id: &str,
        credentials: Option<Credentials>,
    ) -> Result<Entry, PublishError> {
        let ids = [entry_id.to_owned()];
        let found = self.store().entries(tenant, &ids).await?.pop();
        let entry = found.ok_or_else(|| PublishError::UnknownEntry(entry_id.to_owned()))?;
        if !is_written_here(&entry) {
            return Err(PublishError::NotWrittenHere {
                entry_id: entry.entry_id,
                source_system: entry.source_system,
            });
        }
        let name = format!("entry {entry_id}");
        let attempt = self.begin_publishing(tenant, Some(&name)).await?;
        let published = self.publish(attempt, entry, credentials).await?;
        self.store().upsert(vec![published.clone()]).await?;
        if published.entry_id != entry_id {
            self.store().delete(tenant, &ids).await?;
        }
        Ok(published)
    }

    /// The id that the logbook gave the entry.
    async fn write(
        &self,
        entry: Entry,
        credentials: Option<Credentials>,
    ) -> Result<String, PublishError> {
        let name = self.config().ingestion.publish_to.as_deref();
        let name = name.ok_or(PublishError::NotConfigured)?;
        let adapter = self.services().catalog().adapter(name).cloned();
        let adapter = adapter.ok_or(PublishError::NotConfigured)?;
        let plugin = PluginName {
            kind: PluginKind::Adapter,
            name,
        };
        let deadline = Deadline::after(self.request_timeout());
        let call = Call::new(self.next_request_id(), entry.tenant.as_str(), deadline);
        let context = self.services().context(call, plugin);
        let password = credentials.as_ref().map(|given| given.password.clone());
        let request = PublishRequest::new(entry).with_credentials(credentials);
        let work = async move { Ok(adapter.publish(request, &context).await?.entry_id) };
        let written = self.services().isolate(plugin, deadline, work).await;
        let written = written.and_then(|entry_id| checked(entry_id, plugin));
        written.map_err(|error| failed(error, password.as_deref().unwrap_or_default()))
    }
}

/// The id, where an entry can have it.
fn checked(entry_id: String, plugin: PluginName<'_>) -> ApiResult<String> {
    match id_fault(&entry_id) {
        None => Ok(entry_id),
        Some(fault) => Err(invalid_result(plugin, fault)),
    }
}

/// What an error of the adapter means, without the password.
fn failed(error: Error, password: &str) -> PublishError {
    let message = without_secret(&error.to_string(), password);
    match error {
        Error::Credentials { .. } => PublishError::Credentials(message),
        error if wrote_nothing(&error) => PublishError::Refused(message),
        _ => PublishError::Unclear(message),
    }
}

/// Whether the contract says that nothing was written after this error.
fn wrote_nothing(error: &Error) -> bool {
    match error {
        Error::InvalidInput { .. }
        | Error::Configuration { .. }
        | Error::Setting { .. }
        | Error::NotFound { .. }
        | Error::Credentials { .. }
        | Error::Unavailable { .. } => true,
        Error::Provider { retryable, .. } => *retryable,
        _ => false,
    }
}

impl From<PublishError> for HostError {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::Store(error) => Self::Store(error),
            error => Self::Publish(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_has_the_password() {
        let error = Error::invalid_input("no user lee with s3cret");
        let told = failed(error, "s3cret").to_string();
        assert_eq!(
            told,
            "the logbook did not take the entry: no user lee with [REDACTED]"
        );
    }

    #[test]
    fn an_error_after_which_the_entry_may_be_there_is_told_apart() {
        let provider = |retryable| Error::Provider {
            provider: "log".to_owned(),
            message: String::new(),
            retryable,
        };
        let is_unclear = |error| matches!(failed(error, ""), PublishError::Unclear(_));
        assert!(is_unclear(provider(false)));
        assert!(is_unclear(Error::panicked("x")));
        assert!(is_unclear(Error::internal("x")));
        assert!(!is_unclear(provider(true)));
        assert!(!is_unclear(Error::invalid_input("x")));
    }
}
