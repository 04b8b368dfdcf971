//! Entries that are written into the facility's logbook before they are stored.

use std::fmt;

use axum::http::StatusCode;
use gannet_core::api::{Credentials, Entry};
use gannet_core::{PublishAttempt, PublishError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::create::{CreateBody, Destination, NewFile};
use super::idempotency::KeyedWrite;
use crate::problem::Problem;
use crate::state::App;

/// Who writes, for the facility's logbook.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct GivenCredentials {
    /// The user name for the facility's logbook.
    #[serde(default)]
    pub auth_user: Option<String>,
    /// The password for the facility's logbook.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub auth_password: Option<Password>,
}

/// A password, which nothing prints or stores.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub(crate) struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[REDACTED]")
    }
}

impl GivenCredentials {
    fn are_given(&self) -> bool {
        self.auth_user.is_some() || self.auth_password.is_some()
    }

    /// Both, where either is given: what is missing is for the adapter to
    /// refuse.
    fn credentials(&self) -> Option<Credentials> {
        let password = self.auth_password.as_ref().map(|given| given.0.clone());
        self.are_given().then(|| {
            let user = self.auth_user.clone().unwrap_or_default();
            Credentials::new(user, password.unwrap_or_default())
        })
    }
}

/// That the entry of a request is published.
pub(super) struct Publication {
    credentials: Option<Credentials>,
    /// Whether the request names no author.
    is_anonymous: bool,
    attempt: Option<PublishAttempt>,
}

impl Publication {
    /// Of the entries of a request; `None` where they are stored here only.
    ///
    /// # Errors
    /// 422 for credentials that are of no use.
    pub(super) fn of(
        app: &App,
        destination: Destination,
        bodies: &[(CreateBody, Vec<NewFile>)],
    ) -> Result<Option<Self>, Problem> {
        let Some((body, _)) = bodies.first() else {
            return Ok(None);
        };
        if destination == Destination::Here {
            let mut given = bodies.iter().map(|(body, _)| &body.credentials);
            return match given.any(GivenCredentials::are_given) {
                true => Err(Problem::invalid(
                    "auth_user: the entries of a batch are kept here; write an entry with \
                     POST /api/entries to publish it",
                )),
                false => Ok(None),
            };
        }
        let author = body.author.as_deref().unwrap_or_default();
        Ok(app.gannet.writing().map(|_| Self {
            credentials: body.credentials.credentials(),
            is_anonymous: author.trim().is_empty(),
            attempt: None,
        }))
    }

    /// Begins, under the key of the request where it has one.
    ///
    /// # Errors
    /// 409 where it is not known how an earlier attempt ended.
    pub(super) async fn begin(
        &mut self,
        app: &App,
        keyed: Option<&KeyedWrite>,
    ) -> Result<(), Problem> {
        let name = keyed.map(KeyedWrite::name);
        let attempt = app.gannet.begin_publishing(app.tenant(), name.as_deref());
        self.attempt = Some(attempt.await?);
        Ok(())
    }

    /// Publishes the entry, which has the id and the source system of the
    /// logbook then.
    ///
    /// # Errors
    /// 401 for credentials, 502 where the logbook did not take the entry.
    pub(super) async fn publish(&mut self, app: &App, entry: &mut Entry) -> Result<(), Problem> {
        let credentials = self.credentials.take();
        if let (true, Some(given)) = (self.is_anonymous, &credentials) {
            given.user.clone_into(&mut entry.author);
        }
        let attempt = self.attempt.take().unwrap_or_default();
        *entry = app
            .gannet
            .publish(attempt, entry.clone(), credentials)
            .await?;
        app.backend.note_published(app.caller(), entry).await;
        Ok(())
    }
}

impl From<PublishError> for Problem {
    fn from(error: PublishError) -> Self {
        if let PublishError::Store(error) = error {
            return error.into();
        }
        tracing::warn!(%error, "an entry was not published");
        let of = |status, code, detail: &str| Self::new(status, code, detail);
        match error {
            PublishError::Credentials(_) => of(
                StatusCode::UNAUTHORIZED,
                "auth_required",
                "the facility's logbook needs a valid user name and password: `auth_user` and \
                 `auth_password`",
            ),
            PublishError::Unclear(_) => of(
                StatusCode::BAD_GATEWAY,
                "publish_unclear",
                "Publish failed: it is not known whether the facility's logbook took the entry; \
                 look for it there before you send it again",
            ),
            PublishError::EarlierAttempt => of(
                StatusCode::CONFLICT,
                "publish_unclear",
                "an earlier request with this key is under way, or it is not known whether the \
                 facility's logbook took the entry; look for it there",
            ),
            PublishError::UnknownEntry(_) => {
                of(StatusCode::NOT_FOUND, "not_found", "there is no such entry")
            }
            PublishError::NotConfigured | PublishError::NotWrittenHere { .. } => {
                of(StatusCode::CONFLICT, "not_published", &error.to_string())
            }
            _ => of(
                StatusCode::BAD_GATEWAY,
                "publish_failed",
                "Publish failed: the facility's logbook did not take the entry; nothing was \
                 stored, and the log has the reason",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_printed() {
        let given = GivenCredentials {
            auth_user: Some("lee".to_owned()),
            auth_password: Some(Password("s3cret".to_owned())),
        };
        let printed = format!("{given:?} {:?}", given.credentials());
        assert!(printed.contains("lee") && !printed.contains("s3cret"));
    }
}
