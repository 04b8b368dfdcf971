//! Entries as the service takes them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{Error, Result};
use gannet_plugin::publish::{Credentials, PublishRequest};
use gannet_sources::{WriteSettings, entry_tags};
use serde_json::{Value, json};

/// `PUT url/logs` with the credentials as HTTP Basic. The service takes no
/// entry without a logbook.
pub(crate) fn put(
    settings: &WriteSettings,
    request: &PublishRequest,
    credentials: &Credentials,
) -> Result<HttpRequest> {
    let logbook = settings.logbook(request).ok_or_else(|| {
        Error::invalid_input(
            "the service needs a logbook: name one with the entry, or set `write.logbook`",
        )
    })?;
    let tags = entry_tags(request).map(|tag| json!({"name": tag, "state": "Active"}));
    let log = json!({
        "title": request.subject(),
        "description": request.details(),
        "level": settings.level(request),
        "logbooks": [{"name": logbook}],
        "tags": tags.collect::<Vec<_>>(),
    });
    let pair = format!("{}:{}", credentials.user, credentials.password);
    let url = settings.address()?.trim_end_matches('/');
    Ok(HttpRequest::new("PUT", format!("{url}/logs"))
        .header("content-type", "application/json")
        .header("authorization", format!("Basic {}", STANDARD.encode(pair)))
        .with_body(log.to_string().into_bytes()))
}

/// The id of the entry that the service answers.
pub(crate) fn id_of(answer: &str) -> Option<String> {
    let log: Value = serde_json::from_str(answer).ok()?;
    match &log["id"] {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.trim().to_owned()).filter(|id| !id.is_empty()),
        _ => None,
    }
}
