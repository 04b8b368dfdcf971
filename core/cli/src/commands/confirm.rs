//! The question before something is deleted.

use std::io::{BufRead, IsTerminal, stdin};

use crate::failure::Failure;
use crate::output;

/// Asks at a terminal; elsewhere `--yes` is needed.
pub fn confirm(question: &str) -> Result<bool, Failure> {
    refuse_without_terminal()?;
    out!("{question} [y/N] ");
    output::flush();
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer)?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}

/// An error where nobody can be asked.
pub fn refuse_without_terminal() -> Result<(), Failure> {
    match stdin().is_terminal() {
        true => Ok(()),
        false => Err(Failure::usage(
            "deleting asks for confirmation, and the input is not a terminal; add `--yes`",
        )),
    }
}
