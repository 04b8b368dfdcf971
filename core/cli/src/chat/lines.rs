//! Input lines: from a terminal with editing and history, or from a pipe.

use std::io::{BufRead, IsTerminal, stdin};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use crate::failure::Failure;

/// The source of lines.
pub enum Lines {
    /// A terminal.
    Keyboard(Box<Editor<(), MemHistory>>),
    /// A file or another program.
    Pipe,
}

/// An input event.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// A line, without its end.
    Line(String),
    /// Ctrl-C: the line is discarded.
    Dropped,
    /// The end of the input.
    End,
}

impl Lines {
    /// Reads standard input.
    pub fn open() -> Result<Self, Failure> {
        if !stdin().is_terminal() {
            return Ok(Self::Pipe);
        }
        let editor = Editor::with_history(Config::default(), MemHistory::new());
        Ok(Self::Keyboard(Box::new(editor.map_err(unusable)?)))
    }

    /// Whether the input is a terminal.
    pub fn are_typed(&self) -> bool {
        matches!(self, Self::Keyboard(_))
    }

    /// The next line, read on a separate thread.
    pub async fn next(self) -> Result<(Self, Typed), Failure> {
        let read = tokio::task::spawn_blocking(move || self.read());
        match read.await {
            Ok(read) => read,
            Err(error) => Err(Failure::usage(format!("the input cannot be read: {error}"))),
        }
    }

    fn read(mut self) -> Result<(Self, Typed), Failure> {
        let typed = match &mut self {
            Self::Keyboard(editor) => match editor.readline("> ") {
                Ok(line) => {
                    editor.add_history_entry(&line).map_err(unusable)?;
                    Typed::Line(line)
                }
                Err(ReadlineError::Interrupted) => Typed::Dropped,
                Err(ReadlineError::Eof) => Typed::End,
                Err(error) => return Err(unusable(error)),
            },
            Self::Pipe => {
                let mut line = Vec::new();
                match stdin().lock().read_until(b'\n', &mut line)? {
                    0 => Typed::End,
                    _ => {
                        let line = String::from_utf8_lossy(&line);
                        Typed::Line(line.trim_end_matches(['\n', '\r']).to_owned())
                    }
                }
            }
        };
        Ok((self, typed))
    }
}

fn unusable(error: ReadlineError) -> Failure {
    Failure::usage(format!("the terminal cannot be read: {error}"))
}
