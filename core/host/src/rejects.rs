//! Keeps the records that cannot become entries, each with its reason.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use gannet_api::RejectedRecord;
use serde::Serialize;

use crate::HostError;

/// A JSONL file that is made when the first record is rejected. Each line
/// names the ingestion run, so that repeated runs can be told apart.
pub(crate) struct RejectFile {
    path: PathBuf,
    run: i64,
    writer: Option<BufWriter<File>>,
    count: u64,
}

/// One line of the file.
#[derive(Serialize)]
struct Kept<'a> {
    run: i64,
    #[serde(flatten)]
    record: &'a RejectedRecord,
}

impl RejectFile {
    /// Records of this run are added to the file.
    pub(crate) fn new(path: PathBuf, run: i64) -> Self {
        Self {
            path,
            run,
            writer: None,
            count: 0,
        }
    }

    /// How many records were kept.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Where they are, if there are any.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.writer.is_some().then_some(self.path.as_path())
    }

    /// Keeps one record.
    pub(crate) fn keep(&mut self, record: &RejectedRecord) -> Result<(), HostError> {
        let kept = Kept {
            run: self.run,
            record,
        };
        let line = serde_json::to_string(&kept).map_err(|error| self.failed(error.into()))?;
        let written = self.open().and_then(|writer| writeln!(writer, "{line}"));
        written.map_err(|error| self.failed(error))?;
        self.count += 1;
        Ok(())
    }

    /// Hands everything to the system.
    pub(crate) fn flush(&mut self) -> Result<(), HostError> {
        match &mut self.writer {
            None => Ok(()),
            Some(writer) => writer.flush().map_err(|source| HostError::File {
                path: self.path.clone(),
                source,
            }),
        }
    }

    fn open(&mut self) -> std::io::Result<&mut BufWriter<File>> {
        if self.writer.is_none() {
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(&self.path)?;
            self.writer = Some(BufWriter::new(file));
        }
        self.writer
            .as_mut()
            .ok_or_else(|| std::io::Error::other("the reject file was not opened"))
    }

    fn failed(&self, source: std::io::Error) -> HostError {
        HostError::File {
            path: self.path.clone(),
            source,
        }
    }
}
