//! Percent-encoding (RFC 3986) of parts of addresses.

/// A text in which every byte but letters, digits and those to be kept stands
/// as `%` and two digits.
pub(super) fn encoded(text: &str, kept: &[u8]) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
