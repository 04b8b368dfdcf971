//! Entries that are written into a logbook: rare, so that they cross as JSON.

use abi_stable::std_types::{RString, RVec};
use async_ffi::FutureExt;
use gannet_api::{Credentials, Entry, Error, PublishRequest, Published, Result};
use serde::{Deserialize, Serialize};

use super::AbiResult;
use crate::vtable::{AbiOutcome, AbiOutcomeFuture};

/// A [`PublishRequest`] as it crosses. The contract's own type has no JSON, so
/// that no password is written anywhere else.
#[derive(Serialize, Deserialize)]
struct Wire {
    entry: Entry,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credentials: Option<WireCredentials>,
}

#[derive(Serialize, Deserialize)]
struct WireCredentials {
    user: String,
    password: String,
}

/// A request for the other side.
///
/// # Errors
/// [`Error::Internal`]: none that is known.
pub(crate) fn publish_out(request: PublishRequest) -> Result<RString> {
    let credentials = request.credentials.map(|given| WireCredentials {
        user: given.user,
        password: given.password,
    });
    let wire = Wire {
        entry: request.entry,
        credentials,
    };
    let json = serde_json::to_string(&wire);
    Ok(json.map_err(|error| unreadable(&error))?.into())
}

/// A request that crossed.
///
/// # Errors
/// [`Error::Internal`] for one that is not understood.
pub(crate) fn publish_in(json: &str) -> Result<PublishRequest> {
    let wire: Wire = serde_json::from_str(json).map_err(|error| unreadable(&error))?;
    let credentials = wire.credentials;
    let credentials = credentials.map(|given| Credentials::new(given.user, given.password));
    Ok(PublishRequest::new(wire.entry).with_credentials(credentials))
}

/// An answer for the other side.
///
/// # Errors
/// [`Error::Internal`]: none that is known.
pub(crate) fn published_out(published: &Published) -> Result<RString> {
    let json = serde_json::to_string(published);
    Ok(json.map_err(|error| unreadable(&error))?.into())
}

/// An answer that crossed.
///
/// # Errors
/// [`Error::Internal`] for one that is not understood.
pub(crate) fn published_in(json: &str) -> Result<Published> {
    serde_json::from_str(json).map_err(|error| unreadable(&error))
}

/// What a method answers that the other side does not have.
pub(crate) fn not_offered<T: Send + 'static>(method: &str) -> AbiOutcomeFuture<T> {
    let outcome = AbiOutcome {
        result: not_made(method),
        diagnostics: RVec::new(),
    };
    async move { outcome }.into_ffi()
}

/// What a constructor answers that the other side does not have.
pub(crate) fn not_made<T>(method: &str) -> AbiResult<T> {
    let message = format!("the plugin has no `{method}`; it was built for an older contract");
    AbiResult::RErr(Error::Unavailable { message }.into())
}

/// The place and the kind of the fault, without the text, which may hold a
/// password.
fn unreadable(error: &serde_json::Error) -> Error {
    Error::internal(format!(
        "an entry to publish is not understood: {:?} at column {}",
        error.classify(),
        error.column()
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_request_and_its_answer_cross_as_they_were() {
        let entry = Entry::new("E1", "Gannet", jiff::Timestamp::UNIX_EPOCH, "RF trip");
        for credentials in [None, Some(Credentials::new("lee", "s3cret"))] {
            let request = PublishRequest::new(entry.clone()).with_credentials(credentials);
            let crossed = publish_in(&publish_out(request.clone()).unwrap()).unwrap();
            assert_eq!(crossed, request);
        }
        let published = Published::new("4711");
        let crossed = published_in(&published_out(&published).unwrap()).unwrap();
        assert_eq!(crossed, published);
    }

    #[test]
    fn a_request_that_is_not_understood_is_not_quoted() {
        let refused = publish_in(r#"{"entry": 5, "credentials": {"password": "s3cret"}}"#);
        let refused = refused.unwrap_err().to_string();
        assert!(!refused.contains("s3cret"), "{refused}");
    }
}
