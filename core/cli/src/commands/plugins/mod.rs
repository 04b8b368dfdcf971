//! `gannet plugins`: what is built in, what is loaded, what is on; and the
//! tools for those who write plugins.

mod inspect;
mod list;

use crate::arguments::{Common, PluginsCommand};
use crate::failure::{Exit, Failure};

/// Does what was typed.
pub async fn run(common: &Common, command: PluginsCommand) -> Result<Exit, Failure> {
    match command {
        PluginsCommand::List => list::list(common),
        PluginsCommand::Inspect { file } => inspect::inspect(common, &file),
    }
}
