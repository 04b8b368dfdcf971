//! The service: addresses and headers that cannot be used, found before the
//! service starts.

use gannet_outbound::Origin;
use reqwest::Url;
use reqwest::header::HeaderName;

use super::error::{ConfigError, ConfigErrorKind};
use super::layer::Origins;
use super::server::TracesConfig;

const ENDPOINT: &str = "server.traces.endpoint";
const ALLOWED_ORIGINS: &str = "server.allowed_origins";
const HEADERS: &str = "server.traces.headers";

/// What is wrong with where traces go. No message repeats the address: what
/// is too much in it may be a token.
pub(super) fn check_traces(traces: &TracesConfig, origins: &Origins) -> Vec<ConfigError> {
    let refuse = |key: &str, message: String, help: &str| {
        let kind = ConfigErrorKind::InvalidValue;
        origins.error(kind, key, message, Some(help.to_owned()))
    };
    let mut errors = Vec::new();
    let wrong = traces.endpoint.as_deref().and_then(fault_of);
    if let Some(fault) = wrong {
        let message = format!("`{ENDPOINT}`: {fault}");
        let help = "write http://HOST:PORT/v1/traces; a token goes into `server.traces.headers`";
        errors.push(refuse(ENDPOINT, message, help));
    }
    for name in traces.headers.keys() {
        if HeaderName::from_bytes(name.as_bytes()).is_err() {
            let key = format!("{HEADERS}.{name}");
            let message = format!("`{key}` is not the name of a header");
            errors.push(refuse(
                &key,
                message,
                "write a name such as `authorization`",
            ));
        }
    }
    errors
}

/// Origins that no browser sends, and so never match.
pub(super) fn check_allowed_origins(allowed: &[String], origins: &Origins) -> Vec<ConfigError> {
    let wrong = allowed.iter().filter(|one| !is_origin(one));
    let errors = wrong.map(|one| {
        let message = format!("`{ALLOWED_ORIGINS}`: `{one}` is not the origin of a page");
        let help = "write http://HOST or https://HOST, with :PORT where it has one, and no path";
        let kind = ConfigErrorKind::InvalidValue;
        origins.error(kind, ALLOWED_ORIGINS, message, Some(help.to_owned()))
    });
    errors.collect()
}

fn is_origin(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        url.origin()
            .ascii_serialization()
            .eq_ignore_ascii_case(text)
    })
}

fn fault_of(endpoint: &str) -> Option<String> {
    if let Err(error) = Origin::configured(endpoint) {
        return Some(error.to_string());
    }
    let url = Url::parse(endpoint.trim()).ok()?;
    let has_more = url.query().is_some() || url.fragment().is_some();
    has_more.then(|| "the address must not contain a query or a fragment".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_and_no_path() {
        for origin in ["https://logbook.example", "http://LOG.example:8080"] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "logbook.example",
            "https://logbook.example/",
            "*",
            "null",
            "",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }
}
