//! Whether a file or a folder has changed: by looking, which also works on
//! network file systems that tell nobody of changes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

/// How often a source is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Looking takes at most this part of the time.
const SHARE: u32 = 20;
/// A folder with more files than this is read at its interval only.
const MOST_FILES: usize = 20_000;

/// A source that is looked at between two polls.
pub(super) struct Changes {
    /// None for a source that is not on a file system.
    path: Option<PathBuf>,
    /// What the host itself writes.
    own: PathBuf,
    /// As it was before the last poll.
    last: Option<Fingerprint>,
}

/// Names, sizes and times of files, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fingerprint(u64);

impl Changes {
    /// Of a source; what the host itself writes below `own` is no change.
    pub(super) fn of(path: Option<PathBuf>, own: PathBuf) -> Self {
        Self {
            path,
            own,
            last: None,
        }
    }

    /// The source will be read now: what changes from here on is to be read
    /// again.
    pub(super) async fn begin(&mut self) {
        self.last = self.look().await;
    }

    /// Ends when the source has changed since [`begin`](Self::begin), and is
    /// the same for a moment: whoever writes it is probably done.
    pub(super) async fn next(&mut self) {
        let Some(last) = self.last else {
            return std::future::pending().await;
        };
        let mut before = last;
        loop {
            let started = Instant::now();
            // A file that is being replaced is missing for a moment.
            let now = self.look().await.unwrap_or(before);
            if now != last && now == before {
                return;
            }
            before = now;
            tokio::time::sleep(LOOK.max(started.elapsed() * SHARE)).await;
        }
    }

    async fn look(&self) -> Option<Fingerprint> {
        let (path, own) = (self.path.clone()?, self.own.clone());
        let looking = tokio::task::spawn_blocking(move || fingerprint(&path, &own));
        looking.await.ok()?.ok()?
    }
}

/// The fingerprint of a file, or of all files of a folder; none of a folder
/// with too many files.
fn fingerprint(path: &Path, own: &Path) -> io::Result<Option<Fingerprint>> {
    // Paths that are compared have no links and no dots in them.
    let path = &path.canonicalize()?;
    let own = own.canonicalize().unwrap_or_else(|_| own.to_owned());
    let metadata = std::fs::metadata(path)?;
    let mut files = 0;
    let mut sum = 0_u64;
    let mut folders = Vec::new();
    match metadata.is_dir() {
        true => folders.push(path.to_owned()),
        false => sum = hash_of(path, &metadata),
    }
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, metadata) = (entry.path(), entry.metadata()?);
            if path == own {
                continue;
            }
            if metadata.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            if files > MOST_FILES {
                return Ok(None);
            }
            // The order in which a folder is listed does not count.
            sum = sum.wrapping_add(hash_of(&path, &metadata));
        }
    }
    Ok(Some(Fingerprint(sum)))
}

fn hash_of(path: &Path, metadata: &std::fs::Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    metadata.len().hash(&mut hasher);
    // Where the file system has no times, the size has to do.
    metadata.modified().ok().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn look(path: &Path) -> Fingerprint {
        let own = path.join("store");
        fingerprint(path, &own).unwrap().unwrap()
    }

    #[test]
    fn a_file_that_grows_or_comes_or_goes_is_a_change_and_the_store_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.jsonl");
        std::fs::write(&file, "a").unwrap();
        let (before, of_file) = (look(folder.path()), look(&file));
        assert_eq!(look(folder.path()), before);
        std::fs::write(&file, "ab").unwrap();
        assert_ne!(look(folder.path()), before);
        assert_ne!(look(&file), of_file);

        let before = look(folder.path());
        std::fs::create_dir_all(folder.path().join("2024/01")).unwrap();
        assert_eq!(look(folder.path()), before);
        std::fs::write(folder.path().join("2024/01/more.jsonl"), "").unwrap();
        let more = look(folder.path());
        assert_ne!(more, before);
        std::fs::create_dir(folder.path().join("store")).unwrap();
        std::fs::write(folder.path().join("store/store.db"), "x").unwrap();
        assert_eq!(look(folder.path()), more);
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_counts_when_it_has_settled_and_none_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut changes = Changes::of(Some(folder.path().to_owned()), PathBuf::new());
        changes.begin().await;
        let unchanged = tokio::time::timeout(Duration::from_secs(60), changes.next());
        assert!(unchanged.await.is_err());
        std::fs::write(folder.path().join("log.jsonl"), "a").unwrap();
        let started = Instant::now();
        changes.next().await;
        assert!(started.elapsed() >= LOOK);
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_never_changes_by_itself() {
        let mut changes = Changes::of(None, PathBuf::new());
        changes.begin().await;
        let waited = tokio::time::timeout(Duration::from_secs(3600), changes.next());
        assert!(waited.await.is_err());
    }
}
