//! The address of an entry in the facility's logbook, so that nobody has to
//! guess it.

use std::fmt::Write;

use crate::Gannet;

/// What stands for the id in `server.entry_url`.
const PLACEHOLDER: &str = "{entry_id}";

impl Gannet {
    /// The address of an entry by `server.entry_url`, its id percent-encoded;
    /// `None` without the setting, without `{entry_id}` in it, and for a blank
    /// id.
    pub fn entry_url(&self, entry_id: &str) -> Option<String> {
        entry_url(self.config().server.entry_url.as_deref(), entry_id)
    }
}

fn entry_url(template: Option<&str>, entry_id: &str) -> Option<String> {
    let template = template.filter(|template| template.contains(PLACEHOLDER))?;
    if entry_id.trim().is_empty() {
        return None;
    }
    Some(template.replace(PLACEHOLDER, &percent_encoded(entry_id)))
}

/// All but the unreserved characters of RFC 3986 as `%XX`.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_those_of_the_source() {
        for case in gannet_test_cases::cases("ariel.jsonl", "entry_url") {
            let input = &case["input"];
            let id = input["entry_id"].as_str().unwrap_or_default();
            let url = entry_url(input["template"].as_str(), id);
            assert_eq!(url.as_deref(), case["expected"].as_str(), "{case}");
        }
    }

    #[test]
    fn letters_beyond_ascii_are_encoded_byte_by_byte() {
        let url = entry_url(Some("https://l.example/{entry_id}"), "ü/1");
        assert_eq!(url.as_deref(), Some("https://l.example/%C3%BC%2F1"));
    }
}
