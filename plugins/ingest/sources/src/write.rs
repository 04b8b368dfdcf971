//! Writing entries into a logbook over HTTP.

use std::time::Duration;

use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Context, Error, Result, settings};
use gannet_plugin::publish::{Credentials, PublishRequest, Published, Writing};
use gannet_plugin::setup::Secret;
use serde_json::Value;

/// Characters of a refusal that an error quotes.
const QUOTED: usize = 200;

/// How entries are written into the logbook.
#[settings]
#[derive(PartialEq, Eq)]
pub struct WriteSettings {
    /// The address that entries are sent to. Without one the adapter only
    /// reads.
    pub url: Option<String>,
    /// The user who writes entries that come without credentials.
    pub user: Option<String>,
    /// The password of that user, as { env: NAME } or { file: PATH }.
    pub password: Option<Secret>,
    /// The logbook of entries that name none.
    pub logbook: Option<String>,
    /// The level of entries that name none.
    #[setting(default = "Info")]
    pub level: String,
}

impl WriteSettings {
    /// What an instance with these settings says of itself.
    pub fn writing(&self, source_system: &str) -> Option<Writing> {
        let has_own = self.user.is_some() && self.password.is_some();
        let writing = Writing::new(source_system).with_needs_credentials(!has_own);
        self.url.as_ref().map(|_| writing)
    }

    /// The address that entries are sent to.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where none is configured.
    pub fn address(&self) -> Result<&str> {
        let message = "`write.url` of the adapter is not set, so it only reads".to_owned();
        self.url.as_deref().ok_or(Error::Unavailable { message })
    }

    /// Writes an entry into the logbook of this name. `encode` makes the request
    /// with the credentials, and `id_of` reads the id of the entry in the answer.
    ///
    /// # Errors
    /// Those of [`send_entry`], and of `encode`.
    pub async fn publish(
        &self,
        request: &PublishRequest,
        (logbook, timeout_seconds): (&str, u64),
        context: &Context,
        encode: impl FnOnce(&Credentials) -> Result<HttpRequest>,
        id_of: impl FnOnce(&str) -> Option<String>,
    ) -> Result<Published> {
        let credentials = self.credentials(request)?;
        let timeout = Duration::from_secs(timeout_seconds);
        let encoded = encode(&credentials)?.with_timeout(timeout);
        let answer = send_entry(context, encoded, logbook).await?;
        let id = id_of(String::from_utf8_lossy(&answer.body).trim());
        let message = || format!("the answer has no id{}", quoted(&answer));
        id.map(Published::new)
            .ok_or_else(|| unclear(logbook, message()))
    }

    /// The credentials of the request, otherwise the configured ones.
    ///
    /// # Errors
    /// [`Error::Credentials`] where there are none, or blank ones.
    pub fn credentials(&self, request: &PublishRequest) -> Result<Credentials> {
        let credentials = match (&request.credentials, &self.user, &self.password) {
            (Some(given), _, _) => given.clone(),
            (None, Some(user), Some(password)) => Credentials::new(user, password.read()?),
            _ => return Err(missing("the logbook needs a user name and a password")),
        };
        match credentials.user.trim().is_empty() || credentials.password.is_empty() {
            true => Err(missing("the user name or the password is empty")),
            false => Ok(credentials),
        }
    }

    /// The logbook of an entry, otherwise the configured one.
    pub fn logbook<'a>(&'a self, request: &'a PublishRequest) -> Option<&'a str> {
        entry_logbook(request).or(self.logbook.as_deref())
    }

    /// The level of an entry, otherwise the configured one.
    pub fn level<'a>(&'a self, request: &'a PublishRequest) -> &'a str {
        let named = request.entry.metadata.get("level").and_then(Value::as_str);
        named.unwrap_or(&self.level)
    }
}

/// The logbook that an entry names.
pub fn entry_logbook(request: &PublishRequest) -> Option<&str> {
    let named = request.entry.metadata.get("logbook");
    let named = named.and_then(Value::as_str).map(str::trim);
    named.filter(|name| !name.is_empty())
}

/// The tags of an entry that are texts.
pub fn entry_tags(request: &PublishRequest) -> impl Iterator<Item = &str> {
    let tags = request.entry.metadata.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(Value::as_str);
    tags.map(str::trim).filter(|tag| !tag.is_empty())
}

/// Sends an entry, once: a request without an answer may have written it.
/// `logbook` names the logbook in errors.
///
/// # Errors
/// As [`Adapter::publish`](gannet_plugin::prelude::Adapter::publish) says:
/// [`Error::Credentials`] for 401 and 403, a retryable [`Error::Provider`] for
/// 429 and 503, [`Error::InvalidInput`] for another status of the 400s, and an
/// error that leaves open whether the entry was written for anything else.
pub async fn send_entry(
    context: &Context,
    request: HttpRequest,
    logbook: &str,
) -> Result<HttpResponse> {
    let answer = context.http(request.with_any_status(true)).await;
    let answer = answer.map_err(|error| match error {
        Error::Provider { message, .. } => unclear(logbook, message),
        error => error,
    })?;
    let refusal = || format!("status {}{}", answer.status, quoted(&answer));
    match answer.status {
        200..300 => Ok(answer),
        401 | 403 => Err(missing("the logbook refused the user name or the password")),
        429 | 503 => Err(Error::Provider {
            provider: logbook.to_owned(),
            message: refusal(),
            retryable: true,
        }),
        400..500 => Err(Error::invalid_input(format!(
            "the logbook `{logbook}` refused the entry: {}",
            refusal()
        ))),
        _ => Err(unclear(logbook, refusal())),
    }
}

/// The entry may have been written.
fn unclear(logbook: &str, message: String) -> Error {
    Error::Provider {
        provider: logbook.to_owned(),
        message,
        retryable: false,
    }
}

fn missing(message: &str) -> Error {
    Error::Credentials {
        message: message.to_owned(),
    }
}

/// The beginning of a body, behind a colon.
fn quoted(answer: &HttpResponse) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let text: String = text.trim().chars().take(QUOTED).collect();
    match text.is_empty() {
        true => text,
        false => format!(": {text}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing::{self, FakeHost};
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn request() -> PublishRequest {
        PublishRequest::new(Entry::new("L", "here", Timestamp::UNIX_EPOCH, "RF trip"))
    }

    #[test]
    fn it_says_that_it_writes_where_an_address_is_configured() {
        let settings = |value| testing::settings::<WriteSettings>(value).unwrap();
        assert_eq!(settings(json!({})).writing("ELOG"), None);
        assert!(settings(json!({})).address().is_err());
        let url = "https://log.lab.example";
        let with_user = json!({"url": url, "user": "g", "password": {"env": "PATH"}});
        for (own, needs) in [(json!({"url": url}), true), (with_user, false)] {
            let writing = settings(own).writing("ELOG").unwrap();
            assert_eq!(
                (writing.source_system.as_str(), writing.needs_credentials),
                ("ELOG", needs)
            );
        }
    }

    #[test]
    fn credentials_of_the_request_win_and_none_or_blank_ones_are_refused() {
        let own = json!({"user": "gannet", "password": {"env": "PATH"}});
        let own: WriteSettings = testing::settings(own).unwrap();
        assert_eq!(own.credentials(&request()).unwrap().user, "gannet");
        let given = request().with_credentials(Credentials::new("lee", "s"));
        assert_eq!(own.credentials(&given).unwrap().user, "lee");
        let none: WriteSettings = testing::settings(json!({})).unwrap();
        for request in [
            request(),
            request().with_credentials(Credentials::new(" ", "s")),
            request().with_credentials(Credentials::new("lee", "")),
        ] {
            let refused = none.credentials(&request).unwrap_err();
            assert!(matches!(refused, Error::Credentials { .. }), "{refused}");
        }
    }

    /// What becomes of an answer, and how often the server was asked.
    fn sent(answer: Result<HttpResponse>) -> (Result<HttpResponse>, usize) {
        let host = FakeHost::default().on_http(move |_| answer.clone());
        let request = HttpRequest::new("PUT", "https://log.lab.example");
        let outcome = pollster::block_on(send_entry(&host.context(), request, "ELOG"));
        (outcome, host.calls().http.len())
    }

    #[test]
    fn the_status_says_whether_the_entry_may_have_been_written() {
        let status = |status: u16| {
            let (outcome, requests) = sent(Ok(HttpResponse::new(status, "why")));
            assert_eq!(requests, 1, "{status}");
            outcome.unwrap_err()
        };
        for refused in [401, 403] {
            assert!(matches!(status(refused), Error::Credentials { .. }));
        }
        for later in [429, 503] {
            assert!(status(later).is_retryable());
        }
        for invalid in [400, 404, 422] {
            let error = status(invalid);
            assert!(matches!(error, Error::InvalidInput { .. }));
            assert!(
                error
                    .to_string()
                    .contains(&format!("status {invalid}: why"))
            );
        }
        for unclear in [302, 500, 502, 504] {
            let error = status(unclear);
            assert!(matches!(
                error,
                Error::Provider {
                    retryable: false,
                    ..
                }
            ));
        }
        assert!(sent(Ok(HttpResponse::new(201, ""))).0.is_ok());
    }

    #[test]
    fn a_request_without_an_answer_is_not_repeated_and_leaves_it_open() {
        let (outcome, requests) = sent(Err(Error::Provider {
            provider: "log.lab.example".to_owned(),
            message: "no answer: connection closed".to_owned(),
            retryable: true,
        }));
        assert_eq!(requests, 1);
        assert!(!outcome.unwrap_err().is_retryable());
    }
}
