//! Chance that nobody can guess.

use ring::error::Unspecified;
use ring::rand::{SecureRandom, SystemRandom};

/// So many bytes from the system's generator, as lower-case hexadecimal.
///
/// # Errors
/// The system gives none.
pub(crate) fn random_hex(bytes: usize) -> Result<String, Unspecified> {
    let mut buffer = vec![0; bytes];
    SystemRandom::new().fill(&mut buffer)?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}
