//! Ids that cannot be guessed.

use std::hash::{BuildHasher, RandomState};

/// So many hexadecimal digits at random, up to 32. Each comes from a keyed
/// hash whose key the operating system draws.
pub(crate) fn hex(digits: usize) -> String {
    let number = || RandomState::new().hash_one(());
    let mut text = format!("{:016x}{:016x}", number(), number());
    text.truncate(digits);
    text
}
