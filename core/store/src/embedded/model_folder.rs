//! The folder of a model's vectors.

use sha2::{Digest, Sha256};

/// File systems take 255 bytes; the rest is for what files add to a name.
const LONGEST_FOLDER_NAME: usize = 200;

/// A model's name as the name of a folder: what is no letter, digit, dot or
/// dash becomes `%` and two hexadecimal digits. The end of a long one is a
/// digest of the whole.
pub(crate) fn folder_name(model: &str) -> String {
    let mut name = String::with_capacity(model.len());
    for byte in model.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || (byte == b'.' && !name.is_empty()) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    if name.len() > LONGEST_FOLDER_NAME {
        let digest = Sha256::digest(model.as_bytes());
        name.truncate(LONGEST_FOLDER_NAME - 33);
        name.push('~');
        name.extend(digest[..16].iter().map(|byte| format!("{byte:02x}")));
    }
    name
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_models_folder_lies_inside_the_store_whatever_its_name() {
        assert_eq!(folder_name("all-MiniLM-L6-v2"), "all-MiniLM-L6-v2");
        assert_eq!(folder_name("../x"), "%2e.%2fx");
        assert_ne!(folder_name("a/b"), folder_name("a%2fb"));
        let long = folder_name(&"x/".repeat(300));
        assert_eq!(long.len(), 200);
        assert_ne!(long, folder_name(&"x/".repeat(301)));
    }
}
