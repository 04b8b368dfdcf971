//! The headers of a request to the collector, which are secrets.

use std::collections::BTreeMap;

use gannet_core::api::Secret;
use gannet_core::config::TracesConfig;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Where the headers stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Headers {
    named: BTreeMap<String, Secret>,
    list: Option<Secret>,
}

impl Headers {
    pub fn of(config: &TracesConfig) -> Self {
        Self {
            named: config.headers.clone(),
            list: config.header_list.clone(),
        }
    }

    /// Reads them, anew for each request, so that a changed file counts at
    /// once. Those with a name of their own win.
    ///
    /// # Errors
    /// What cannot be read, without any value.
    pub fn read(&self) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::new();
        if let Some(list) = &self.list {
            let text = list.read().map_err(|error| error.to_string())?;
            for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
                let (name, value) = pair
                    .split_once('=')
                    .ok_or("a member of the list of headers is not `name=value`")?;
                add(&mut headers, name.trim(), &decoded(value.trim()))?;
            }
        }
        for (name, secret) in &self.named {
            let value = secret.read().map_err(|error| error.to_string())?;
            add(&mut headers, name, value.as_bytes())?;
        }
        Ok(headers)
    }
}

fn add(headers: &mut HeaderMap, name: &str, value: &[u8]) -> Result<(), String> {
    let header = HeaderName::from_bytes(name.as_bytes());
    let header = header.map_err(|_| "the name of a header is not one".to_owned())?;
    let value = HeaderValue::from_bytes(value);
    let mut value = value.map_err(|_| format!("the header `{header}` has no valid value"))?;
    value.set_sensitive(true);
    headers.insert(header, value);
    Ok(())
}

/// A text with `%20` as a blank; what is no such form stays as it is.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> Secret {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Secret::file(path)
    }

    #[test]
    fn headers_come_from_a_list_and_by_name_and_are_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let list = "authorization=Basic%20s3cret, x-team = a%b,";
        let headers = Headers {
            list: Some(file(&folder, "list", list)),
            named: BTreeMap::from([("X-Team".to_owned(), file(&folder, "team", "rf\n"))]),
        };
        let read = headers.read().unwrap();
        assert_eq!(read["authorization"], "Basic s3cret");
        assert_eq!(read["x-team"], "rf");
        assert!(!format!("{read:?}").contains("s3cret"));
    }

    #[test]
    fn what_cannot_be_a_header_is_said_without_its_value() {
        let folder = tempfile::tempdir().unwrap();
        for list in ["s3cret", "a b=s3cret", "name=s3cret%0Ax"] {
            let headers = Headers {
                list: Some(file(&folder, "list", list)),
                ..Headers::default()
            };
            let refused = headers.read().unwrap_err();
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }
}
