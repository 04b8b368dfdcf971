//! `gannet config`: what is in force, and whether it can be used.

use gannet_core::{Gannet, config};

use crate::arguments::{Common, ConfigCommand};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, WARNING};
use crate::session;

/// Shows or checks the configuration. Opens no store.
pub fn run(common: &Common, command: ConfigCommand) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Show { origin } => {
            let loaded = session::configuration(common, &[])?;
            out!("{}", loaded.show(origin));
        }
        ConfigCommand::Validate => {
            let loaded = session::configuration(common, &[])?;
            let left_out = Gannet::check(&loaded.config)
                .map_err(|error| Failure::from(error).located(&loaded))?;
            for reason in left_out {
                outln!("{WARNING}left out{WARNING:#} {reason}");
            }
            for notice in &loaded.notices {
                outln!("{notice}");
            }
            outln!("{GOOD}ok{GOOD:#} the configuration can be used");
        }
        ConfigCommand::Schema => outln!("{}", config::schema()),
    }
    Ok(Exit::Done)
}
