//! Secrets and ids that nobody can guess.

use std::hash::{BuildHasher, RandomState};

use ring::error::Unspecified;
use ring::rand::{SecureRandom, SystemRandom};

/// A secret: so many bytes from the system's generator, as lower-case hexadecimal.
///
/// # Errors
/// The system gives none.
pub(crate) fn random_hex(bytes: usize) -> Result<String, Unspecified> {
    let mut buffer = vec![0; bytes];
    SystemRandom::new().fill(&mut buffer)?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An id: so many hexadecimal digits, up to 32. Each comes from a keyed hash
/// whose key the operating system draws.
pub(crate) fn hex(digits: usize) -> String {
    let number = || RandomState::new().hash_one(());
    let mut text = format!("{:016x}{:016x}", number(), number());
    text.truncate(digits);
    text
}
