//! `gannet completions`: a completion script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::Exit;

/// Prints the script.
pub fn run(shell: Shell) -> Exit {
    let mut command = Arguments::command();
    clap_complete::generate(shell, &mut command, "gannet", &mut std::io::stdout());
    Exit::Done
}
