//! `gannet completions`: a completion script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::Exit;
use crate::output;

/// Prints the script.
pub fn run(shell: Shell) -> Exit {
    let mut command = Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "gannet", &mut script);
    output::write_all(&script);
    Exit::Done
}
