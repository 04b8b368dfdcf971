//! Lines from the keyboard, with editing and history; or from a pipe.

use std::io::{BufRead, IsTerminal, stdin};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use crate::failure::Failure;

/// Where lines come from.
pub enum Lines {
    /// A person at a terminal.
    Keyboard(Box<Editor<(), MemHistory>>),
    /// A file or another program.
    Pipe,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// A line, without its end.
    Line(String),
    /// Ctrl-C: this line is dropped.
    Dropped,
    /// Nothing more.
    End,
}

impl Lines {
    /// From the standard input.
    pub fn open() -> Result<Self, Failure> {
        if !stdin().is_terminal() {
            return Ok(Self::Pipe);
        }
        let editor = Editor::with_history(Config::default(), MemHistory::new());
        Ok(Self::Keyboard(Box::new(editor.map_err(unusable)?)))
    }

    /// Whether a person types.
    pub fn are_typed(&self) -> bool {
        matches!(self, Self::Keyboard(_))
    }

    /// The next line. Waits for it, on a thread of its own.
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
