//! `gannet config`: what is in force, and whether it can be used.

use gannet_core::registry::Registry;
use gannet_core::{Gannet, HostError, config};

use crate::arguments::{Common, ConfigCommand, Format};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, WARNING, print_json};
use crate::session;

/// Shows or checks the configuration. Opens no store.
pub fn run(common: &Common, command: ConfigCommand) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Show { origin } => {
            let loaded = session::configuration(common, &[])?;
            match common.format {
                Format::Table => out!("{}", loaded.show(origin)),
                format => print_json(&loaded.show_json(origin), format)?,
            }
        }
        ConfigCommand::Validate => {
            // Its notices are a part of what is printed, so they are not logged.
            let loaded = config::load(session::load_options(common, &[])?)?;
            let checked = Gannet::check(&loaded.config)
                .map_err(|error| Failure::from(error).located(&loaded))?;
            for reason in checked.left_out {
                outln!("{WARNING}disabled{WARNING:#} {reason}");
            }
            for notice in loaded.notices.iter().chain(&checked.notices) {
                outln!("{notice}");
            }
            outln!("{GOOD}ok{GOOD:#} the configuration is valid");
        }
        ConfigCommand::Schema => {
            let plugins = Registry::linked().map_err(|error| HostError::Catalog(vec![error]))?;
            outln!("{}", config::schema(&plugins));
        }
    }
    Ok(Exit::Done)
}
