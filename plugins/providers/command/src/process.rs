//! The program while it runs.

use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout};
use tokio::task::JoinHandle;

/// Bytes of what it complains about that are kept.
const COMPLAINTS: usize = 2000;

/// How long complaints are waited for when it has ended: something that it
/// left behind may hold them open.
const PATIENCE: Duration = Duration::from_millis(200);

/// A program that runs. Dropped, it is ended with all that it started.
pub(crate) struct Process {
    child: Child,
    stdout: ChildStdout,
    complaints: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
    has_ended: bool,
    /// Bytes of a letter that is not complete.
    rest: Vec<u8>,
}

impl Process {
    /// Starts the program and gives it its input. One that does not read it
    /// is no error.
    pub(crate) fn start(
        program: &str,
        arguments: &[String],
        input: String,
    ) -> std::io::Result<Self> {
        let mut child = tokio::process::Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own, which ends as a whole.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let missing = || std::io::Error::other("the program has no input or output");
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        // Beside the reading: a program may write before it has read all.
        tokio::spawn(async move {
            let _ = stdin.write_all(input.as_bytes()).await;
        });
        let complaints = Arc::new(Mutex::new(Vec::new()));
        let listener = tokio::spawn(keep_the_end(stderr, Arc::clone(&complaints)));
        Ok(Self {
            child,
            stdout,
            complaints,
            listener,
            has_ended: false,
            rest: Vec::new(),
        })
    }

    /// The next text that it writes, as soon as it is there; none at the end.
    pub(crate) async fn text(&mut self) -> std::io::Result<Option<String>> {
        let mut piece = [0; 4096];
        loop {
            let count = self.stdout.read(&mut piece).await?;
            if count == 0 {
                let rest = std::mem::take(&mut self.rest);
                let text = String::from_utf8_lossy(&rest).into_owned();
                return Ok((!text.is_empty()).then_some(text));
            }
            self.rest.extend_from_slice(&piece[..count]);
            let whole = whole_letters(&self.rest);
            if whole > 0 {
                let text: Vec<u8> = self.rest.drain(..whole).collect();
                return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
            }
        }
    }

    /// Waits for its end.
    pub(crate) async fn end(&mut self) -> std::io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.has_ended = true;
        Ok(status)
    }

    /// The end of what it wrote to its standard error.
    pub(crate) async fn complaints(&mut self) -> String {
        let _ = tokio::time::timeout(PATIENCE, &mut self.listener).await;
        let kept = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.listener.abort();
        // Once it was waited for, its number may be another program's.
        if self.has_ended {
            return;
        }
        let number = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = number.and_then(Pid::from_raw) {
            // There is nothing to do about a group that is gone.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

async fn keep_the_end(mut stderr: impl AsyncRead + Unpin, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..count]);
        let over = kept.len().saturating_sub(COMPLAINTS);
        kept.drain(..over);
    }
}

/// How many of the bytes are whole letters. Bytes that are none count as
/// such; only a letter that may still be completed does not.
fn whole_letters(bytes: &[u8]) -> usize {
    match bytes.utf8_chunks().last() {
        Some(last) => {
            let open = last.invalid();
            let may_go_on =
                std::str::from_utf8(open).is_err_and(|error| error.error_len().is_none());
            match may_go_on {
                true => bytes.len() - open.len(),
                false => bytes.len(),
            }
        }
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_letter_that_is_not_complete_waits() {
        let euro = "\u{20ac}".as_bytes();
        assert_eq!(whole_letters(b"abc"), 3);
        assert_eq!(whole_letters(&[b"ab", &euro[..2]].concat()), 2);
        assert_eq!(whole_letters(&[b"ab", euro].concat()), 5);
        assert_eq!(whole_letters(&euro[..1]), 0);
        assert_eq!(whole_letters(b"ab\xff"), 3);
        assert_eq!(whole_letters(b"\xffa"), 2);
        assert_eq!(whole_letters(b""), 0);
    }
}
