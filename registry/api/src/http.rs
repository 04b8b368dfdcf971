//! Requests to other servers, which the host makes for a plugin.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::setters::setters;
use crate::{Error, Result};

/// Characters of the body of a refusal that its error quotes.
const MOST_SAID: usize = 200;

/// A request to another server, for [`Context::http`](crate::Context::http).
///
/// ```
/// use gannet_api::HttpRequest;
/// use serde_json::json;
///
/// let ask = HttpRequest::get("https://archiver.lab.example/search").query("q", "RF trip");
/// let tell = HttpRequest::post_json("https://log.lab.example/entries", &json!({"text": "Reset"}))
///     .header("authorization", "Bearer …");
/// assert_eq!((ask.method.as_str(), tell.method.as_str()), ("GET", "POST"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HttpRequest {
    /// `GET`, `POST` or another method.
    pub method: String,
    /// The address, which the settings of the instance that asks have to
    /// name: its scheme, host and port.
    pub url: String,
    /// Parameters that are written behind the address, encoded there.
    #[serde(default)]
    pub query: Vec<(String, String)>,
    /// Headers.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// How long it may take in all; the call's deadline bounds it too.
    #[serde(default)]
    pub timeout: Option<Duration>,
    /// Whether a response of any status is given back; otherwise one that is
    /// not one of the 200s is an error.
    #[serde(default)]
    pub any_status: bool,
    /// The body. It follows the rest where a request crosses to the host.
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// What a server answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HttpResponse {
    /// The status, of the 200s unless the request takes any.
    pub status: u16,
    /// Its headers, their names in lower case.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body.
    #[serde(skip)]
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// The host service that answers it; see [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "http";

    /// A request of any method, without a body.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            query: Vec::new(),
            headers: Vec::new(),
            timeout: None,
            any_status: false,
            body: Vec::new(),
        }
    }

    /// A `GET`.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    /// A `POST` of a value as JSON. A value that has no JSON (a map whose keys
    /// are no texts) is sent as `null`.
    pub fn post_json(url: impl Into<String>, value: &impl Serialize) -> Self {
        let mut request = Self::new("POST", url).header("content-type", "application/json");
        request.body = serde_json::to_vec(value).unwrap_or_else(|_| b"null".to_vec());
        request
    }

    /// With a parameter behind the address.
    #[must_use]
    pub fn query(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.query.push((name.into(), value.to_string()));
        self
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The request as one piece, for the way to the host.
    ///
    /// # Errors
    /// [`Error::Internal`]: none that is known.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        join(self, &self.body)
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (head, body): (Self, _) = split(bytes)?;
        Ok(Self { body, ..head })
    }
}

setters!(HttpRequest {
    with_timeout(timeout: impl Into<Option<Duration>>),
    with_any_status(any_status: bool),
    with_body(body: Vec<u8>),
});

impl HttpResponse {
    /// A response with this body.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// This response where its status is one of the 200s. Hosts call it.
    ///
    /// # Errors
    /// [`Error::Provider`] with the status and the beginning of the body;
    /// retryable are 429 and the 500s.
    pub fn checked(self, server: &str) -> Result<Self> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let body = String::from_utf8_lossy(&self.body);
        let said: String = body.trim().chars().take(MOST_SAID).collect();
        let colon = if said.is_empty() { "" } else { ": " };
        Err(Error::Provider {
            provider: server.to_owned(),
            message: format!("status {}{colon}{said}", self.status),
            retryable: self.status == 429 || self.status >= 500,
        })
    }

    /// The header of this name, letter case aside.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// [`Error::Provider`] with the place where it is something else.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body).map_err(|error| Error::Provider {
            provider: "http".to_owned(),
            message: format!("the response is not the JSON that is expected: {error}"),
            retryable: false,
        })
    }

    /// The response as one piece, for the way from the host.
    ///
    /// # Errors
    /// [`Error::Internal`]: none that is known.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        join(self, &self.body)
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (head, body): (Self, _) = split(bytes)?;
        Ok(Self { body, ..head })
    }
}

/// A line of JSON, and the body behind it.
fn join(head: &impl Serialize, body: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(head).map_err(|error| Error::internal(error.to_string()))?;
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    Ok(bytes)
}

fn split<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Vec<u8>)> {
    let unreadable = |why: String| Error::invalid_input(format!("no HTTP message: {why}"));
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let line = line.ok_or_else(|| unreadable("no first line".to_owned()))?;
    let head = serde_json::from_slice(&bytes[..line]);
    let head = head.map_err(|error| unreadable(error.to_string()))?;
    Ok((head, bytes[line + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_crosses_as_it_was() {
        let mut request = HttpRequest::post_json("http://a.example/b", &json!({"text": "a\nb"}))
            .query("q", 5)
            .header("x-a", "b");
        request.timeout = Some(Duration::from_millis(1_500));
        let bytes = request.to_bytes().unwrap();
        assert_eq!(HttpRequest::from_bytes(&bytes).unwrap(), request);

        let mut response = HttpResponse::new(204, *b"\n\x00\xff");
        response.headers = vec![("etag".to_owned(), "1".to_owned())];
        let bytes = response.to_bytes().unwrap();
        assert_eq!(HttpResponse::from_bytes(&bytes).unwrap(), response);
        assert_eq!(response.header("ETag"), Some("1"));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for bytes in [&b""[..], b"{}", b"x\n", b"{}\nbody"] {
            assert!(HttpRequest::from_bytes(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_body_that_is_no_json_is_an_error_of_the_server() {
        let page = HttpResponse::new(200, "<html>").json::<Vec<String>>();
        assert!(matches!(
            page,
            Err(Error::Provider {
                retryable: false,
                ..
            })
        ));
    }
}
