//! A running `git log`.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command};
use std::thread::{self, JoinHandle};

use gannet_plugin::prelude::{Error, Result};

/// Bytes of its complaint that are kept.
const COMPLAINT: u64 = 2_000;

/// What the process writes. The end is an error where it failed; a process
/// whose output nobody reads any more is ended.
pub(crate) struct LogProcess {
    child: Child,
    output: ChildStdout,
    complaint: Option<JoinHandle<String>>,
}

impl LogProcess {
    /// Starts the process.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where the program is not there or cannot start.
    pub(crate) fn start(mut command: Command, source: &Path) -> Result<Self> {
        let program = command.get_program().display().to_string();
        let failed = |why: String| Error::Unavailable {
            message: format!(
                "`{}` cannot be read: the program `{program}` cannot be run: {why}; install git, \
                 or set `program`",
                source.display()
            ),
        };
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(failed("no pipe to it".to_owned()));
        };
        // Read beside the output: a full pipe would stop the process.
        let complaint = thread::spawn(move || read_complaint(errors));
        Ok(Self {
            child,
            output,
            complaint: Some(complaint),
        })
    }

    /// How the process ended, once its output did.
    fn outcome(&mut self) -> io::Result<()> {
        let status = self.child.wait()?;
        let complaint = self.complaint.take().and_then(|thread| thread.join().ok());
        match status.success() {
            true => Ok(()),
            false => Err(io::Error::other(match complaint.as_deref() {
                None | Some("") => format!("git ended with {status}"),
                Some(complaint) => complaint.to_owned(),
            })),
        }
    }
}

impl Read for LogProcess {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.output.read(buffer)?;
        if length == 0 && !buffer.is_empty() {
            self.outcome()?;
        }
        Ok(length)
    }
}

impl Drop for LogProcess {
    fn drop(&mut self) {
        // Both fail only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_complaint(mut errors: ChildStderr) -> String {
    let mut complaint = Vec::new();
    // What cannot be read is missing in the message; the status still says
    // that the process failed.
    let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut complaint);
    let _ = io::copy(&mut errors, &mut io::sink());
    String::from_utf8_lossy(complaint.trim_ascii()).into_owned()
}
