//! `gannet man`: man pages.

use std::path::Path;

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::failure::{Exit, Failure};
use crate::output;

/// Prints the page of `gannet`, or writes the pages of all commands to a
/// folder.
pub fn run(folder: Option<&Path>) -> Result<Exit, Failure> {
    let command = Arguments::command();
    match folder {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            output::write_all(&page);
        }
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)?;
        }
    }
    Ok(Exit::Done)
}
