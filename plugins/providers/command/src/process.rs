//! A running program.

use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::group::Group;

/// Maximum size of an answer in bytes, so that an endless output does not fill
/// the memory.
const MAX_ANSWER: usize = 1024 * 1024;

/// Maximum size of the saved end of standard error, in bytes.
const COMPLAINTS: usize = 2000;

/// How long to read the remaining output after the program has exited: a child
/// process may keep the output open.
const PATIENCE: Duration = Duration::from_millis(200);

/// A running program, killed on drop together with its child processes.
pub(crate) struct Process {
    /// `None` once the program has exited. Declared before `child`, so that it is
    /// dropped before the child is reaped.
    group: Option<Group>,
    child: Child,
    stdout: ChildStdout,
    complaints: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
    teller: JoinHandle<()>,
    /// Deadline for the remaining output, once the program has exited.
    patient_until: Option<Instant>,
    /// Bytes of the answer so far.
    received: usize,
    /// Bytes of an incomplete UTF-8 sequence.
    rest: Vec<u8>,
}

impl Process {
    /// Starts the program and writes its input. It is not an error if the program
    /// does not read it.
    pub(crate) fn start(
        program: &str,
        arguments: &[String],
        input: String,
    ) -> std::io::Result<Self> {
        let mut command = tokio::process::Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (mut child, group) = Group::start(&mut command)?;
        let missing = || std::io::Error::other("the program has no input or output");
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        // A separate task: a program may write before it has read all input.
        let teller = tokio::spawn(async move {
            let _ = stdin.write_all(input.as_bytes()).await;
        });
        let complaints = Arc::new(Mutex::new(Vec::new()));
        let listener = tokio::spawn(keep_the_end(stderr, Arc::clone(&complaints)));
        Ok(Self {
            group: Some(group),
            child,
            stdout,
            complaints,
            listener,
            teller,
            patient_until: None,
            received: 0,
            rest: Vec::new(),
        })
    }

    /// The next text, as soon as it is available; `None` at the end.
    ///
    /// # Errors
    /// The answer is too long or cannot be read.
    pub(crate) async fn text(&mut self) -> std::io::Result<Option<String>> {
        let mut piece = [0; 4096];
        loop {
            let count = self.read(&mut piece).await?;
            if count == 0 {
                let rest = std::mem::take(&mut self.rest);
                let text = String::from_utf8_lossy(&rest).into_owned();
                return Ok((!text.is_empty()).then_some(text));
            }
            self.received += count;
            if self.received > MAX_ANSWER {
                let mebibytes = MAX_ANSWER / 1024 / 1024;
                return Err(std::io::Error::other(format!(
                    "the command wrote more than {mebibytes} MiB, and was terminated"
                )));
            }
            self.rest.extend_from_slice(&piece[..count]);
            let whole = complete_length(&self.rest);
            if whole > 0 {
                let text: Vec<u8> = self.rest.drain(..whole).collect();
                return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
            }
        }
    }

    /// Reads available bytes; 0 at the end of the output or, because a child process
    /// may keep the output open, some time after the program has exited.
    async fn read(&mut self, piece: &mut [u8]) -> std::io::Result<usize> {
        let until = match (self.patient_until, &mut self.group) {
            (Some(until), _) => until,
            (None, None) => return Ok(0),
            (None, Some(group)) => tokio::select! {
                biased;
                count = self.stdout.read(piece) => return count,
                () = group.exited() => *self.patient_until.insert(Instant::now() + PATIENCE),
            },
        };
        // Available bytes are read even after the deadline.
        let read = timeout_at(until, self.stdout.read(piece)).await;
        read.unwrap_or(Ok(0))
    }

    /// Waits until the program exits, and kills its remaining child processes.
    pub(crate) async fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(group) = &mut self.group {
            group.exited().await;
        }
        self.group = None;
        self.child.wait().await
    }

    /// The end of its standard error.
    pub(crate) async fn complaints(&mut self) -> String {
        let _ = timeout(PATIENCE, &mut self.listener).await;
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
        self.teller.abort();
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

/// Length of the prefix without an incomplete UTF-8 sequence at the end. Invalid
/// bytes are part of it.
fn complete_length(bytes: &[u8]) -> usize {
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
    fn an_incomplete_utf8_sequence_is_held_back() {
        let euro = "\u{20ac}".as_bytes();
        assert_eq!(complete_length(b"abc"), 3);
        assert_eq!(complete_length(&[b"ab", &euro[..2]].concat()), 2);
        assert_eq!(complete_length(&[b"ab", euro].concat()), 5);
        assert_eq!(complete_length(&euro[..1]), 0);
        assert_eq!(complete_length(b"ab\xff"), 3);
        assert_eq!(complete_length(b"\xffa"), 2);
        assert_eq!(complete_length(b""), 0);
    }
}
