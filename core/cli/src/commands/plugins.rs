//! `gannet plugins`: what is built in and what is on.

use gannet_core::{Gannet, PluginListing};

use crate::arguments::{Common, Format};
use crate::failure::{Exit, Failure};
use crate::render::{print_json_list, table};
use crate::session;

/// Lists every plugin and instance. Opens no store.
pub fn list(common: &Common) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    let listing = Gannet::list_plugins(&loaded.config)
        .map_err(|error| Failure::from(error).located(&loaded))?;
    match common.format {
        Format::Table => {
            let header = ["kind", "name", "plugin", "version", "from", "state"];
            anstream::println!("{}", table(&header, listing.iter().map(row)));
        }
        format => print_json_list(&listing, format)?,
    }
    Ok(Exit::Done)
}

fn row(plugin: &PluginListing) -> Vec<String> {
    vec![
        plugin.kind.label().to_owned(),
        plugin.name.clone(),
        plugin.plugin.clone(),
        plugin.version.clone(),
        plugin.from.clone(),
        if plugin.enabled { "on" } else { "off" }.to_owned(),
    ]
}
