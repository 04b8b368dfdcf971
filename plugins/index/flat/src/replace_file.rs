//! Writing a file so that a crash leaves the old one or the new one, whole.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::VectorError;
use super::error::IoContext;

/// What unfinished files end with. They are left by a crash only.
pub(super) const UNFINISHED: &str = ".unfinished";

/// A file being written beside the one it is going to replace.
///
/// It takes the place of the old one in [`finish`](Self::finish), and is
/// removed when dropped before.
pub(super) struct ReplacementFile {
    writer: BufWriter<File>,
    written_to: PathBuf,
    target: PathBuf,
    finished: bool,
}

impl ReplacementFile {
    /// Starts a replacement of `target`.
    pub(super) fn create(target: &Path) -> Result<Self, VectorError> {
        let mut name = target.as_os_str().to_os_string();
        name.push(UNFINISHED);
        let written_to = PathBuf::from(name);
        let file = File::create(&written_to).at("create", &written_to)?;
        Ok(Self {
            writer: BufWriter::with_capacity(1 << 20, file),
            written_to,
            target: target.to_path_buf(),
            finished: false,
        })
    }

    /// Appends bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), VectorError> {
        self.writer.write_all(bytes).at("write", &self.written_to)
    }

    /// Overwrites the beginning of the file.
    pub(super) fn write_at_start(&mut self, bytes: &[u8]) -> Result<(), VectorError> {
        self.writer
            .seek(SeekFrom::Start(0))
            .at("write", &self.written_to)?;
        self.write(bytes)
    }

    /// Brings the bytes to the disk.
    pub(super) fn sync(&mut self) -> Result<(), VectorError> {
        self.writer.flush().at("write", &self.written_to)?;
        self.writer
            .get_ref()
            .sync_all()
            .at("sync", &self.written_to)
    }

    /// Syncs, takes the place of the old file, and syncs the folder, so that
    /// the new name survives a power cut too.
    pub(super) fn finish(mut self) -> Result<(), VectorError> {
        self.sync()?;
        fs::rename(&self.written_to, &self.target).at("rename", &self.written_to)?;
        self.finished = true;
        sync_folder_of(&self.target)
    }
}

impl Drop for ReplacementFile {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing can be done about a failure here, and none is needed:
            // the next commit removes leftovers.
            let _ = fs::remove_file(&self.written_to);
        }
    }
}

fn sync_folder_of(path: &Path) -> Result<(), VectorError> {
    // Windows cannot open folders as files, and journals renames itself.
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .at("sync", folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::ReplacementFile;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let mut replacement = ReplacementFile::create(&path).unwrap();
        replacement.write(b"_new").unwrap();
        replacement.write_at_start(b"N").unwrap();
        replacement.sync().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        replacement.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"Nnew");
    }

    #[test]
    fn an_abandoned_replacement_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        drop(ReplacementFile::create(&path).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
