//! The right to work on what waits for a module: a lock file of its own.

use super::EmbeddedStore;
use super::lock::FileLock;
use crate::claim::{EnhancementClaim, Kind};
use crate::error::StoreError;

/// Held until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderClaim {
    _lock: FileLock,
}

impl EmbeddedStore {
    /// The right to work on what waits for a module; `None` while another
    /// process, or another store on this folder, has it.
    pub async fn claim_enhancement(
        &self,
        module: &str,
    ) -> Result<Option<EnhancementClaim>, StoreError> {
        let shared = &self.0.shared;
        shared.records.refuse_when_read_only("enhance entries")?;
        let path = shared.options.path.join(file_name(module));
        let lock = FileLock::try_take(&path)?;
        Ok(lock.map(|lock| EnhancementClaim(Kind::Folder(FolderClaim { _lock: lock }))))
    }
}

/// Two modules never share a file, whatever their names are.
fn file_name(module: &str) -> String {
    let mut name = "enhance-".to_owned();
    for byte in module.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name + ".lock"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_s_file_has_a_harmless_name() {
        assert_eq!(file_name("text_embedding"), "enhance-text_embedding.lock");
        assert_eq!(file_name("../Ä"), "enhance-%2e%2e%2f%c3%84.lock");
    }
}
