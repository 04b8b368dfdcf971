//! Names in addresses.

/// A name as a part of the path of an address.
///
/// ```
/// assert_eq!(gannet_sources::path_segment("my scope.png"), "my%20scope.png");
/// assert_eq!(gannet_sources::path_segment("../x"), "..%2Fx");
/// ```
pub fn path_segment(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encoded = name.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}
