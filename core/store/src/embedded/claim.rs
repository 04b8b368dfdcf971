//! The right to work on what waits for a module, or to follow a source: a lock
//! file of its own.

use super::EmbeddedStore;
use super::lock::FileLock;
use crate::claim::{Kind, WorkClaim};
use crate::error::StoreError;

/// Held until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderClaim {
    _lock: FileLock,
}

impl EmbeddedStore {
    /// The right to work on what waits for a module; `None` while another
    /// process, or another store on this folder, has it.
    pub async fn claim_enhancement(&self, module: &str) -> Result<Option<WorkClaim>, StoreError> {
        self.claim("enhance entries", &file_name("enhance", module))
    }

    /// The right to follow a source; `None` while another process, or another
    /// store on this folder, has it.
    pub async fn claim_source(&self, source: &str) -> Result<Option<WorkClaim>, StoreError> {
        self.claim("follow a source", &file_name("watch", source))
    }

    fn claim(&self, action: &'static str, file: &str) -> Result<Option<WorkClaim>, StoreError> {
        let shared = &self.0.shared;
        shared.records.refuse_when_read_only(action)?;
        let lock = FileLock::try_take(&shared.options.path.join(file))?;
        Ok(lock.map(|lock| WorkClaim(Kind::Folder(FolderClaim { _lock: lock }))))
    }
}

/// Two names never share a file, whatever they are.
fn file_name(work: &str, claimed: &str) -> String {
    let mut name = format!("{work}-");
    for byte in claimed.bytes() {
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
        assert_eq!(
            file_name("enhance", "text_embedding"),
            "enhance-text_embedding.lock"
        );
        assert_eq!(file_name("watch", "../Ä"), "watch-%2e%2e%2f%c3%84.lock");
    }
}
