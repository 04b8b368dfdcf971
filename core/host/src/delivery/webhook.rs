//! A message posted as JSON.

use std::time::Duration;

use gannet_outbound::Origin;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, Url};

use super::{DeliveryError, Message};
use crate::config::WebhookDelivery;
use crate::outgoing::Outgoing;

/// How long the server may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The header with the id of the message, by which the receiver can tell a
/// repetition.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Posts a message; any status of success means that it was taken.
pub(super) async fn post(
    outgoing: &Outgoing,
    to: &WebhookDelivery,
    message: &Message,
) -> Result<(), DeliveryError> {
    let origin = Origin::configured(&to.url)?;
    let url = Url::parse(to.url.trim());
    let url = url.map_err(|error| DeliveryError::Unusable(error.to_string()))?;
    let client = outgoing.client_of(&origin)?;
    let request = client.request(Method::POST, url)?.timeout(TIMEOUT);
    let mut request = request.header(IDEMPOTENCY_KEY, &message.id).json(message);
    for (name, secret) in &to.headers {
        let (name, value) = header(name, &secret.read()?)?;
        request = request.header(name, value);
    }
    let host = origin.host();
    let response = request.send().await.map_err(|error| {
        // Without the address, which may hold a secret.
        DeliveryError::Refused(format!("{host}: {}", reason(&error.without_url())))
    })?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(DeliveryError::Refused(format!("{host} answered {status}"))),
    }
}

/// A header whose value is not shown.
fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), DeliveryError> {
    let unusable = |what: &str| DeliveryError::Unusable(format!("the header `{name}` {what}"));
    let header = HeaderName::from_bytes(name.as_bytes());
    let header = header.map_err(|_| unusable("has a name that is not one of a header"))?;
    let value = HeaderValue::from_str(value);
    let mut value = value.map_err(|_| unusable("has a value that no header may have"))?;
    value.set_sensitive(true);
    Ok((header, value))
}

/// The innermost reason, which says most.
fn reason(error: &dyn std::error::Error) -> String {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}
