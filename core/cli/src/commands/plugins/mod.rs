//! `gannet plugins`: what is built in, what is loaded, what is on; and the
//! tools for those who write plugins.

mod check;
mod inspect;
mod list;
mod new;

use crate::arguments::{Common, PluginsCommand};
use crate::failure::{Exit, Failure};

/// Does what was typed.
pub async fn run(common: &Common, command: PluginsCommand) -> Result<Exit, Failure> {
    match command {
        PluginsCommand::List => list::list(common),
        PluginsCommand::Inspect { file } => inspect::inspect(common, &file),
        PluginsCommand::Check { file, here } => match here {
            true => check::check_here(&file).await,
            false => check::check(common, &file).await,
        },
        PluginsCommand::New(wanted) => new::new(wanted),
    }
}
